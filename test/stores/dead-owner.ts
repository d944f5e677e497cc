import { realProcesses } from "../../src/disk/lock-owner.ts";
import type { Owner } from "../../src/ports/lease.ts";

/** A dead program that once had our pid: pids are reused, but start times are not. */
export function deadOwner(): Owner {
  const { pid, host, boot, namespace } = realProcesses();
  return {
    pid,
    started: "1",
    boot,
    host,
    ...(namespace === undefined ? {} : { namespace }),
    name: "a program that was killed",
    since: "2026-01-01T00:00:00.000Z",
    token: "d".repeat(32),
  };
}
