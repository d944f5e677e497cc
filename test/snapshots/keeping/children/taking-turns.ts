import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { realDisk } from "../../../../src/disk/disk.ts";
import { realProcesses } from "../../../../src/disk/lock-owner.ts";
import { acquireExclusive, acquireShared } from "../../../../src/snapshots/keeping/shared-lease.ts";

// Increments a number in two files while it holds the lease alone, and checks while it shares the lease that both are
// equal. If requested, it is killed while it holds the lease.
const [, , folder = "", rounds = "10", deadly = "no"] = process.argv;
const deps = {
  disk: realDisk,
  processes: realProcesses(),
  clock: {
    now: () => Date.now(),
    random: (count: number) => randomBytes(count),
    wait: async (milliseconds: number) => setTimeout(Math.min(milliseconds, 2)),
  },
};
const request = { name: `child ${process.pid}`, waitMs: 120_000 };
const leases = join(folder, "leases");
const [one, two] = [join(folder, "one"), join(folder, "two")];

async function look(): Promise<void> {
  const lease = await acquireShared(deps, leases, request);
  const before = readFileSync(one, "utf8");
  await setTimeout(1);
  if (readFileSync(two, "utf8") !== before) writeSync(1, "torn\n");
  if (deadly === "while sharing") process.kill(process.pid, "SIGKILL");
  await lease.release();
}

async function add(): Promise<void> {
  const lease = await acquireExclusive(deps, leases, request);
  const number = Number(readFileSync(one, "utf8")) + 1;
  writeFileSync(one, String(number));
  await setTimeout(1);
  writeFileSync(two, String(number));
  writeSync(1, "added\n");
  if (deadly === "while alone") process.kill(process.pid, "SIGKILL");
  await lease.release();
}

for (let round = 0; round < Number(rounds); round += 1) {
  if (deadly !== "while alone") await look();
  await add();
}
