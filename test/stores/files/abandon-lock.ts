import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { realProcesses } from "../../../src/disk/lock/processes.ts";
import type { Owner } from "../../../src/ports/lease.ts";

/** Leaves the lock of a program that had our pid before us, and is dead: a pid is given out again, a start time is not. */
export function abandonLock(folder: string): void {
  const { pid, host, boot, namespace } = realProcesses();
  const owner: Owner = {
    pid,
    started: "1",
    boot,
    host,
    ...(namespace === undefined ? {} : { namespace }),
    name: "a program that was killed",
    since: "2026-01-01T00:00:00.000Z",
    token: "d".repeat(32),
  };
  writeFileSync(join(folder, "lock"), `${JSON.stringify(owner)}\n`);
}
