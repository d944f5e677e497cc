import { readFileSync } from "node:fs";

/** Whether the process is the SDK's own program and not a command that it runs. */
export function isOfSdk(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("--output-format");
}
