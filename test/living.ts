import { readFileSync } from "node:fs";

/**
 * Whether a process is running. A zombie is not: it has ended, but its parent has not collected its exit
 * status yet.
 */
export function isLiving(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /su.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
