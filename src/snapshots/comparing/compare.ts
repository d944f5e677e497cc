import type { FileState, FolderState, PathBytes, PathChange } from "../../record/files.ts";
import { isSameState, pathIn } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { FolderCache } from "../objects/folder-cache.ts";
import type { Folder } from "../objects/folder-object.ts";
import { EMPTY_FOLDER } from "../objects/folder-object.ts";
import { EMPTY_TREE, PathBudget, type TreeSize } from "../objects/limits.ts";
import { TreeMeasures } from "../objects/tree-measures.ts";
import { byPath } from "./by-path.ts";

/**
 * Every path that differs, in the order of the bytes of paths, which has folders before what they hold. Descends only
 * where hashes differ. Of a folder that is there on both sides only the mode counts; one that comes or goes is named
 * with everything below it. The workspace itself is "". Throws SNAPSHOT_DAMAGED where a snapshot has more paths than
 * any capture makes.
 */
export function compareRoots(
  cache: FolderCache,
  before: FolderState | undefined,
  after: FolderState | undefined,
  budget: PathBudget = new PathBudget(),
): PathChange[] {
  const changes: PathChange[] = [];
  // A stack and not recursion: folders may be nested thousands deep.
  const waiting: PathChange[] = [{ path: "", before, after }];
  const sizes = (): (TreeSize | "broken")[] => {
    const measures = new TreeMeasures((hash) => cache.read(hash));
    return [before, after].map((root) => (root === undefined ? EMPTY_TREE : measures.of(root.hash)));
  };
  const comparison = { cache, changes, waiting, take: (path: PathBytes) => budget.take(path, sizes) };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) comparePath(comparison, next);
  // Names in order are not yet paths in order: "a-b" is before "a/b", and "a" before both.
  return changes.sort(byPath);
}

interface Comparison {
  readonly cache: FolderCache;
  readonly changes: PathChange[];
  /** What is still to be compared. */
  readonly waiting: PathChange[];
  /** Throws where there are too many. */
  readonly take: (path: PathBytes) => void;
}

function comparePath(comparison: Comparison, change: PathChange): void {
  const { path, before, after } = change;
  if (!isSameState(before, after)) comparison.changes.push(change);
  const old = folderHash(before);
  const now = folderHash(after);
  if (old === now) return;
  const { cache } = comparison;
  compareFolders(comparison, path, [
    old === undefined ? EMPTY_FOLDER : cache.read(old),
    now === undefined ? EMPTY_FOLDER : cache.read(now),
  ]);
}

function folderHash(state: FileState | undefined): ObjectHash | undefined {
  return state?.kind === "folder" ? state.hash : undefined;
}

/** Both in the order of names, so that each entry is met once, beside the other of its name. */
function compareFolders(comparison: Comparison, path: PathBytes, [before, after]: [Folder, Folder]): void {
  let next = 0;
  for (const entry of before.entries) {
    next = nameAdded(comparison, path, { folder: after, from: next, until: entry.name });
    const other = after.entries[next];
    const isThere = other?.name === entry.name;
    if (isThere) next++;
    if (isThere && isSameTree(entry.state, other.state)) continue;
    const change = { before: entry.state, after: isThere ? other.state : undefined };
    wait(comparison, { path: pathIn(path, entry.name), ...change });
  }
  nameAdded(comparison, path, { folder: after, from: next, until: undefined });
}

interface Added {
  readonly folder: Folder;
  readonly from: number;
  /** The next name that was there before. */
  readonly until: PathBytes | undefined;
}

function nameAdded(comparison: Comparison, path: PathBytes, { folder, from, until }: Added): number {
  let next = from;
  for (let entry = folder.entries[next]; entry !== undefined; entry = folder.entries[++next]) {
    if (until !== undefined && entry.name >= until) break;
    wait(comparison, { path: pathIn(path, entry.name), before: undefined, after: entry.state });
  }
  return next;
}

function wait({ waiting, take }: Comparison, change: PathChange): void {
  take(change.path);
  waiting.push(change);
}

function isSameTree(before: FileState, after: FileState | undefined): boolean {
  return isSameState(before, after) && folderHash(before) === folderHash(after);
}
