import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import type { LogStore } from "../../../../src/ports/log-store.ts";
import { type EntryId, newEntryId, type SessionId, toSeq } from "../../../../src/record/ids.ts";
import { textPart } from "../../../../src/record/parts.ts";

/** What a child does until it is killed. Says what was acknowledged, line by line, right after. */
export async function writeUntilKilled(store: LogStore, session: SessionId): Promise<never> {
  const { takenFrom } = await store.lease(session, { name: "writer", waitMs: 0 });
  writeSync(1, `heir of ${takenFrom?.pid ?? "nobody"}\n`);
  await store.recover(session);
  const { outline } = await store.open(session);
  let parent: EntryId | null = outline.head?.id ?? null;
  let seq: number = outline.nextSeq;
  for (let round = 0; ; round += 1) {
    if (round % 5 === 4) writeSync(1, `blob ${await store.putBlob(session, randomBytes(3000))}\n`);
    const entries = Array.from({ length: 1 + (round % 3) }, () => {
      const base = { seq: toSeq(seq), id: newEntryId(randomBytes), parent, at: new Date().toISOString() };
      parent = base.id;
      seq += 1;
      const parts = [textPart("words and more words ".repeat(1 + ((round * 37) % 200)))];
      return { ...base, kind: "prompt" as const, parts, estimate: 1 };
    });
    await store.append(session, entries[0]?.seq ?? toSeq(0), entries);
    for (const entry of entries) writeSync(1, `entry ${entry.seq} ${entry.id}\n`);
  }
}
