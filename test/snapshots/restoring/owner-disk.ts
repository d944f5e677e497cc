import { lstatSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import type {
  WorkspaceFaults,
  WorkspaceOperation,
} from "../../../src/testing/disk/failing-workspace-disk.ts";

const NEEDS_NAMES: ReadonlySet<string> = new Set([
  "writeNew",
  "makeLink",
  "makeFolder",
  "rename",
  "unlink",
  "removeFolder",
]);
const TEMPORARY = realpathSync(tmpdir());
/** What opens the path itself. */
const NEEDS_READING: ReadonlySet<string> = new Set(["names", "readFile", "sync"]);

/**
 * What the system refuses an owner who is not root: to change names in a folder without w, to reach anything through
 * one without x, and to open a file or folder without r. Tests often run as root, who is refused nothing.
 */
export const asOwner: WorkspaceFaults = ({ name, path }: WorkspaceOperation) => {
  const folder = dirname(path);
  const needed = NEEDS_NAMES.has(name) ? 0o300 : 0o100;
  if ((modeOf(folder) & needed) !== needed || !canEnterAbove(folder)) return "EACCES";
  return NEEDS_READING.has(name) && (modeOf(path) & 0o400) === 0 ? "EACCES" : undefined;
};

/** As far as the folder of temporary files: tests make what is in it. */
function canEnterAbove(folder: string): boolean {
  const above = dirname(folder);
  return above.length <= TEMPORARY.length || ((modeOf(above) & 0o100) !== 0 && canEnterAbove(above));
}

/** What is not there, or cannot be reached by whoever runs the test, is refused by the system itself. */
function modeOf(path: string): number {
  try {
    const stat = lstatSync(Buffer.from(path, "latin1"), { throwIfNoEntry: false });
    return stat === undefined || stat.isSymbolicLink() ? 0o700 : stat.mode;
  } catch {
    return 0o700;
  }
}

/** Fails as `first` says, and else as the system would fail an owner. */
export function orAsOwner(first: WorkspaceFaults): WorkspaceFaults {
  return (operation) => first(operation) ?? asOwner(operation);
}
