import { realpathSync } from "node:fs";
import { WorldlineError } from "../record/error.ts";

/** The real path of a folder that a program names as its workspace, in a `call` of the library. */
export function realFolder(folder: string, call: "openSession" | "openExecution"): string {
  try {
    return realpathSync(folder);
  } catch (cause) {
    throw new WorldlineError("folder-unusable", { folder, call }, { cause });
  }
}
