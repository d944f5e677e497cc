import { readFileSync } from "node:fs";

/** Whether it is the SDK's program itself, and not a command that it runs. */
export function isOfSdk(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("--output-format");
}
