import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { userHome } from "../../disk/folders.ts";

/** What a word of the command line names, as a path. */
export function namedBy(word: string, cwd: () => string): "folder" | "file" | "nothing" {
  try {
    return statSync(resolve(cwd(), word)).isDirectory() ? "folder" : "file";
  } catch {
    // Whatever cannot be looked at (no such name, far too long, not a path at all) is nothing of ours.
    return "nothing";
  }
}

/** Whether nobody would write it for anything but a path. */
export function looksLikePath(word: string): boolean {
  return /^(?:\.{0,2}\/|~\/|~$)|\/$/u.test(word) && !/\s/u.test(word);
}

/** A shell expands `~`; what is typed elsewhere has it still. */
export function withHome(folder: string): string {
  return folder === "~" || folder.startsWith("~/") ? join(userHome(), folder.slice(1)) : folder;
}
