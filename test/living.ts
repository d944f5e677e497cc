import { readFileSync } from "node:fs";

/** Whether a process runs. A zombie does not: it has ended, and only its parent has not asked yet how. */
export function isLiving(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /su.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
