import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { CommandEntry } from "../command/command.ts";

/**
 * `worldline <folder>`: a folder in the place of a command is the workspace, and its sessions are shown. A
 * command of the same name wins; `./name` is always the folder.
 */
export function withFolderArgument(
  words: readonly string[],
  commands: readonly CommandEntry[],
  cwd: () => string,
): readonly string[] {
  const [first, ...rest] = words;
  if (first === undefined || first.startsWith("-")) return words;
  const isCommand = commands.some(({ name, aliases = [] }) => name === first || aliases.includes(first));
  if (isCommand || first === "help" || !isFolder(resolve(cwd(), first))) return words;
  return ["sessions", "list", "--workspace", first, ...rest];
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Whatever cannot be looked at (no such name, far too long, not a path at all) is no folder of ours.
    return false;
  }
}
