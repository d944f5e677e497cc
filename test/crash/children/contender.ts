import { readFileSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { openStore } from "../../../src/open-store.ts";
import { newEntryId, type SessionId } from "../../../src/record/ids.ts";

// Repeatedly competes with other processes for the write lease of one session. In `deaths` out of a hundred
// cases it kills itself while holding the lease.
const [, , address = "", home = "", id = "", name = "", times = "10", deaths = "0"] = process.argv;
const session = id as SessionId;
const store = openStore(address, { home });
const inside = join(home, `inside-${session}`);

/** Checks, by means other than the lock itself, that no other living process holds the session. */
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
    id: newEntryId(systemClock.random),
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
