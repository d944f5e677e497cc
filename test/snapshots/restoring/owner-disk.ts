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
/** Operations that open the path itself. */
const NEEDS_READING: ReadonlySet<string> = new Set(["names", "readFile", "sync"]);

/**
 * Refuses what the system refuses to a non-root owner: changing names in a folder without w, reaching
 * anything through one without x, and opening a file or folder without r. Tests often run as root, to whom
 * nothing is refused.
 */
export const asOwner: WorkspaceFaults = ({ name, path }: WorkspaceOperation) => {
  const folder = dirname(path);
  const needed = NEEDS_NAMES.has(name) ? 0o300 : 0o100;
  if ((modeOf(folder) & needed) !== needed || !canEnterAbove(folder)) return "EACCES";
  return NEEDS_READING.has(name) && (modeOf(path) & 0o400) === 0 ? "EACCES" : undefined;
};

/** Checks the folders up to the temporary folder, in which tests work. */
function canEnterAbove(folder: string): boolean {
  const above = dirname(folder);
  return above.length <= TEMPORARY.length || ((modeOf(above) & 0o100) !== 0 && canEnterAbove(above));
}

/** Paths that are missing or unreachable count as open, because the system itself refuses them. */
function modeOf(path: string): number {
  try {
    const stat = lstatSync(Buffer.from(path, "latin1"), { throwIfNoEntry: false });
    return stat === undefined || stat.isSymbolicLink() ? 0o700 : stat.mode;
  } catch {
    return 0o700;
  }
}

/** Fails as `first` does, and otherwise as the system would fail an owner. */
export function orAsOwner(first: WorkspaceFaults): WorkspaceFaults {
  return (operation) => first(operation) ?? asOwner(operation);
}
