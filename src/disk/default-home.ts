import { homedir } from "node:os";
import { join } from "node:path";

/** Where everything is kept, unless somebody says otherwise. */
export function defaultHome(): string {
  // A variable that is set to nothing is not set.
  return process.env["WORLDLINE_HOME"] || join(homedir(), ".worldline");
}
