import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { openStore } from "../../../src/open-store.ts";
import { FORMAT_VERSION } from "../../../src/record/entry.ts";
import { type EntryId, newEntryId, type SessionId, toSeq } from "../../../src/record/ids.ts";
import { textPart } from "../../../src/record/parts.ts";

// Runs as its own process until it is killed. It reports each acknowledged write on its own line right away.
const [, , address = "", home = "", id = "", rotateBytes = "20000"] = process.argv;
const session = id as SessionId;
const store = openStore(address, { home, rotateBytes: Number(rotateBytes) });

const { takenFrom } = await store.lease(session, { name: "writer", waitMs: 0 });
writeSync(1, `heir of ${takenFrom?.pid ?? "nobody"}\n`);
await store.recover(session);
const { outline } = await store.open(session);
let parent: EntryId | null = outline.head?.id ?? null;
let seq: number = outline.nextSeq;

function nextBase() {
  const base = { seq: toSeq(seq), id: newEntryId(systemClock.random), parent, at: new Date().toISOString() };
  parent = base.id;
  seq += 1;
  return base;
}

for (let round = 0; ; round += 1) {
  const file = await store.rotationDue(session);
  if (file !== undefined) {
    const entry = { ...nextBase(), kind: "rotated" as const, file, session, version: FORMAT_VERSION };
    await store.rotate(session, entry);
    writeSync(1, `entry ${entry.seq} ${entry.id}\n`);
  }
  if (round % 5 === 4) writeSync(1, `blob ${await store.putBlob(session, randomBytes(3000))}\n`);
  const entries = Array.from({ length: 1 + (round % 3) }, () => ({
    ...nextBase(),
    kind: "prompt" as const,
    parts: [textPart("words and more words ".repeat(1 + ((round * 37) % 200)))],
    estimate: 1,
  }));
  await store.append(session, entries[0]?.seq ?? toSeq(0), entries);
  for (const entry of entries) writeSync(1, `entry ${entry.seq} ${entry.id}\n`);
}
