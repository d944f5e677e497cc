import { lstatSync } from "node:fs";
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

/**
 * What the system refuses someone who is not root and owns everything: to change names in a folder without w, and
 * to look into one without x. Tests often run as root, who is refused nothing.
 */
export const asOwner: WorkspaceFaults = ({ name, path }: WorkspaceOperation) => {
  const mode = lstatSync(Buffer.from(dirname(path), "latin1"), { throwIfNoEntry: false })?.mode ?? 0o700;
  const needed = NEEDS_NAMES.has(name) ? 0o300 : 0o100;
  return (mode & needed) === needed ? undefined : "EACCES";
};

/** Fails as `first` says, and else as the system would fail an owner. */
export function orAsOwner(first: WorkspaceFaults): WorkspaceFaults {
  return (operation) => first(operation) ?? asOwner(operation);
}
