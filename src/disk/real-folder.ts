import { realpathSync } from "node:fs";
import { WorldlineError } from "../record/error.ts";

/** The real path of a folder that a program names as its workspace; `hint` says where it named it. */
export function realFolder(folder: string, hint: string): string {
  try {
    return realpathSync(folder);
  } catch (cause) {
    throw new WorldlineError(
      "WORKSPACE_UNUSABLE",
      `The folder ${folder} is not there, or cannot be looked at.`,
      { hint, cause },
    );
  }
}
