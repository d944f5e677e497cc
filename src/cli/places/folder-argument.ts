import { statSync } from "node:fs";
import { resolve } from "node:path";

/** Whether a word of the command line names a folder that is there. */
export function isFolder(word: string, cwd: () => string): boolean {
  try {
    return statSync(resolve(cwd(), word)).isDirectory();
  } catch {
    // Whatever cannot be looked at (no such name, far too long, not a path at all) is no folder of ours.
    return false;
  }
}
