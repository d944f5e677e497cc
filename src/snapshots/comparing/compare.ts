import type { Gap, PathState } from "../../ports/workspace-files.ts";
import {
  type FileState,
  type FolderState,
  isSameState,
  type PathBytes,
  type PathChange,
  pathIn,
} from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import { EMPTY_TREE, PathBudget, type TreeSize } from "../objects/object.ts";
import type { Folder } from "../objects/tree-objects.ts";
import { EMPTY_FOLDER, entryNamed, type FolderCache } from "../objects/tree-objects.ts";
import { TreeMeasures } from "../objects/tree-sizes.ts";

/**
 * Returns every path that differs, sorted by bytes, so that folders come before their contents. Visits only subfolders
 * whose hashes differ. If a folder exists on both sides, only the mode of the folder itself is compared. A folder that
 * exists on only one side is listed together with everything below it. The path of the workspace itself is "". Throws
 * SNAPSHOT_DAMAGED if a snapshot has more paths than any capture creates.
 */
export function compareRoots(
  cache: FolderCache,
  before: FolderState | undefined,
  after: FolderState | undefined,
  budget: PathBudget = new PathBudget(),
): PathChange[] {
  const changes: PathChange[] = [];
  // Uses a stack instead of recursion, because folders may be nested thousands of levels deep.
  const waiting: PathChange[] = [{ path: "", before, after }];
  const sizes = (): (TreeSize | "broken")[] => {
    const measures = new TreeMeasures((hash) => cache.read(hash));
    return [before, after].map((root) => (root === undefined ? EMPTY_TREE : measures.of(root.hash)));
  };
  const comparison = { cache, changes, waiting, take: (path: PathBytes) => budget.take(path, sizes) };
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) comparePath(comparison, next);
  // Paths are not visited in their sort order, in which "a-b" comes before "a/b", and "a" comes before both.
  return changes.sort(byPath);
}

interface Comparison {
  readonly cache: FolderCache;
  readonly changes: PathChange[];
  /** Pairs of states that have yet to be compared. */
  readonly waiting: PathChange[];
  /** Counts a path, and throws if there are too many. */
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

/**
 * Compares two folders. The entries of both folders are sorted by name, so that each entry is visited once, together
 * with the other folder's entry of the same name.
 */
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
  /** The next name in the earlier version of the folder. */
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

/**
 * Returns the state of a path in a snapshot, or undefined if the path is not in the snapshot. "" is the workspace
 * itself.
 */
export function stateAt(cache: FolderCache, root: FolderState, path: PathBytes): FileState | undefined {
  let state: FileState | undefined = root;
  if (path === "") return state;
  for (const name of path.split("/")) {
    if (state?.kind !== "folder") return undefined;
    state = entryNamed(cache.read(state.hash), name)?.state;
  }
  return state;
}

/**
 * Lists everything at or below a path, sorted by bytes, so that folders come before their contents. Throws
 * SNAPSHOT_DAMAGED if there are more paths than any capture creates.
 */
export function listUnder(
  cache: FolderCache,
  root: FolderState,
  under: PathBytes,
  budget: PathBudget = new PathBudget(),
): PathState[] {
  const state = stateAt(cache, root, under);
  if (state === undefined) return [];
  const found: PathState[] = [{ path: under, state }];
  const sizes = sizesFrom(cache, state);
  // The loop appends the entries of each folder to the end of this list.
  for (const { path, state: each } of found) {
    if (each.kind !== "folder") continue;
    for (const entry of cache.read(each.hash).entries) {
      const below = pathIn(path, entry.name);
      budget.take(below, sizes);
      found.push({ path: below, state: entry.state });
    }
  }
  return found.sort(byPath);
}

/**
 * Returns the failures that made a snapshot partial. Visits only folders with gaps. Throws the same errors as
 * `listUnder`.
 */
export function gapsOf(cache: FolderCache, root: ObjectHash, budget: PathBudget = new PathBudget()): Gap[] {
  const gaps: Gap[] = [];
  const sizes = sizesFrom(cache, { kind: "folder", mode: 0, hash: root });
  const folders: { path: PathBytes; hash: ObjectHash }[] = [{ path: "", hash: root }];
  for (const { path: folder, hash } of folders) {
    for (const { name, state, failures } of cache.read(hash).entries) {
      if (failures === 0) continue;
      const path = pathIn(folder, name);
      budget.take(path, sizes);
      if (state.kind === "folder") folders.push({ path, hash: state.hash });
      if (state.kind === "left-out") gaps.push({ path, why: state.why });
    }
  }
  return gaps.sort(byPath);
}

function sizesFrom(cache: FolderCache, state: FileState): () => readonly (TreeSize | "broken")[] {
  return () => (state.kind === "folder" ? [new TreeMeasures((hash) => cache.read(hash)).of(state.hash)] : []);
}

/**
 * Compares paths by their bytes, for `sort`. A folder comes before its contents, because the paths of its contents
 * begin with the path of the folder.
 */
export function byBytes(a: PathBytes, b: PathBytes): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

export function byPath(a: { readonly path: PathBytes }, b: { readonly path: PathBytes }): number {
  return byBytes(a.path, b.path);
}
