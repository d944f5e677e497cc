import { randomBytes } from "node:crypto";
import { readFileSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { newEntryId, type SessionId } from "../../../src/record/ids.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";

// Wants to write to a session that others want to write to at the same time, a number of times.
// Of a hundred times that it holds the session, it dies `deaths` times, without a word.
const [, , root = "", id = "", name = "", times = "10", deaths = "0"] = process.argv;
const session = id as SessionId;
const clock = {
  now: () => Date.now(),
  random: (count: number) => randomBytes(count),
  wait: async (milliseconds: number) => setTimeout(milliseconds),
};
const store = openFilesStore({ root, clock });
const inside = join(root, `inside-${session}`);

/** Shows that nobody else who lives holds the session, by other means than the lock itself. */
function enter(): void {
  try {
    writeFileSync(inside, String(process.pid), { flag: "wx" });
  } catch {
    const other = Number(readFileSync(inside, "utf8"));
    if (isLiving(other)) writeSync(1, `collision ${other}\n`);
    writeFileSync(inside, String(process.pid));
  }
}

function isLiving(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/\) [ZX]/.test(stat);
  } catch {
    return false;
  }
}

for (let count = 0; count < Number(times); count += 1) {
  const onWait = (owner: { readonly name: string }) => writeSync(1, `waits ${owner.name}\n`);
  const lease = await store.lease(session, { name, waitMs: 120_000, onWait });
  enter();
  await store.recover(session);
  const { outline } = await store.open(session);
  const entry = {
    seq: outline.nextSeq,
    id: newEntryId(clock.random),
    parent: outline.head?.id ?? null,
    at: new Date().toISOString(),
    kind: "title" as const,
    title: `${name} ${count}`,
  };
  await store.append(session, entry.seq, [entry]);
  writeSync(1, `entry ${entry.seq} ${entry.id}\n`);
  if (Math.random() * 100 < Number(deaths)) process.kill(process.pid, "SIGKILL");
  unlinkSync(inside);
  await lease.release();
}
await store.close();
