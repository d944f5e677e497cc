import { WorldlineError } from "../../record/error.ts";
import { type FileState, folderOf, isSameState, type PathBytes } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { Folder } from "../objects/tree-objects.ts";
import {
  EMPTY_FOLDER,
  entryNamed,
  entryOf,
  type FolderCache,
  type FolderEntry,
  folderWith,
} from "../objects/tree-objects.ts";
import { byBytes } from "./compare.ts";

/**
 * The new state of a path. If undefined, the path and everything below it are removed. A folder without a hash keeps
 * its contents, or is created empty if it does not exist. A folder with a hash receives the contents that the hash
 * identifies.
 */
export type FolderEdit = FileState | { readonly kind: "folder"; readonly mode: number } | undefined;

export interface UpdatedRoot {
  readonly root: ObjectHash;
  /** Number of gaps (paths that could not be captured). */
  readonly failures: number;
}

/** The edits at and below one path. */
interface EditNode {
  edit: { readonly to: FolderEdit } | undefined;
  below: Map<PathBytes, EditNode> | undefined;
}

const MADE_FOLDER_MODE = 0o755;

/**
 * Returns the root folder after the edits. The running time is proportional to the number of edits and the number of
 * folders above them. Each of these folders is written once, deepest first. If edits contradict each other, the deeper
 * edit wins, and its missing parents are created as folders with mode 0755. Missing parents are not created for a path
 * that is removed. The mode of the workspace itself is in the snapshot rather than in the root folder, so an edit that
 * makes "" a folder does nothing.
 */
export function updateRoot(
  cache: FolderCache,
  root: ObjectHash | undefined,
  edits: ReadonlyMap<PathBytes, FolderEdit>,
): UpdatedRoot {
  const tree = treeOf(edits);
  const to = tree.edit === undefined ? undefined : tree.edit.to;
  if (to !== undefined && to.kind !== "folder") {
    throw new WorldlineError("workspace-no-folder", {});
  }
  const isEmptied = tree.edit !== undefined && to === undefined;
  const begin = to !== undefined && "hash" in to ? to.hash : isEmptied ? undefined : root;
  const folder = folderAt(cache, begin);
  const updated = updateBelow(cache, folder, tree.below);
  const isUnchanged = updated === folder && begin !== undefined;
  return { root: isUnchanged ? begin : cache.write(updated), failures: updated.failures };
}

function treeOf(edits: ReadonlyMap<PathBytes, FolderEdit>): EditNode {
  const root = newNode();
  /** Maps folders to their nodes, so that adding an edit does not require walking from the root to its folder. */
  const folders = new Map<PathBytes, EditNode>([["", root]]);
  for (const [path, to] of edits) {
    const node = path === "" ? root : nodeIn(folderNode(folders, folderOf(path)), path);
    node.edit = { to };
  }
  return root;
}

function folderNode(folders: Map<PathBytes, EditNode>, folder: PathBytes): EditNode {
  const missing: PathBytes[] = [];
  let at = folder;
  let node = folders.get(at);
  while (node === undefined) {
    missing.push(at);
    at = folderOf(at);
    node = folders.get(at);
  }
  for (const path of missing.reverse()) {
    node = nodeIn(node, path);
    folders.set(path, node);
  }
  return node;
}

/** Returns the node for the last name in `path`. Adds it to `folder` if necessary. */
function nodeIn(folder: EditNode, path: PathBytes): EditNode {
  const above = folderOf(path);
  const name = above === "" ? path : path.slice(above.length + 1);
  folder.below ??= new Map();
  const known = folder.below.get(name);
  if (known !== undefined) return known;
  const node = newNode();
  folder.below.set(name, node);
  return node;
}

function newNode(): EditNode {
  return { edit: undefined, below: undefined };
}

/** A folder that is affected by edits. */
interface Visit {
  readonly name: PathBytes;
  readonly node: EditNode;
  readonly above: Visit | undefined;
  /** The entry at the folder's path before the edits. */
  readonly old: FolderEntry | undefined;
  /** The folder's contents before the edits. Empty if the folder did not exist. */
  readonly folder: Folder;
  readonly below: ReadonlyMap<PathBytes, EditNode>;
  /** The results for the subfolders that are affected by edits. */
  readonly visited: Map<PathBytes, FolderEntry | undefined>;
}

/**
 * Returns the folder after these edits. Reads the affected folders from the top down and then writes them from the
 * bottom up. Uses a list instead of recursion, because folders may be nested thousands of levels deep.
 */
function updateBelow(cache: FolderCache, folder: Folder, below: EditNode["below"]): Folder {
  if (below === undefined) return folder;
  const root: Visit = {
    name: "",
    node: newNode(),
    above: undefined,
    old: undefined,
    folder,
    below,
    visited: new Map(),
  };
  // The loop adds elements to this list.
  const visits = [root];
  for (const visit of visits) for (const next of visitsIn(cache, visit)) visits.push(next);
  for (const visit of visits.toReversed()) {
    if (visit.above === undefined) break;
    visit.above.visited.set(visit.name, visitedEntry(cache, visit));
  }
  return updateFolder(cache, root);
}

function* visitsIn(cache: FolderCache, above: Visit): Generator<Visit> {
  for (const [name, node] of above.below) {
    const { below } = node;
    if (below === undefined) continue;
    const old = entryNamed(above.folder, name);
    const folder = folderAt(cache, folderToBegin(old, node.edit)?.hash);
    yield { name, node, above, old, folder, below, visited: new Map() };
  }
}

/** Returns the folder after the edits at one level. Returns the same object if nothing changed. */
function updateFolder(cache: FolderCache, { folder, below, visited }: Visit): Folder {
  const entries: FolderEntry[] = [];
  let next = 0;
  let changes = 0;
  for (const [name, node] of [...below].sort(([a], [b]) => byBytes(a, b))) {
    next = pushUntil(entries, folder, { from: next, until: name });
    const found = folder.entries[next];
    const old = found?.name === name ? found : undefined;
    if (old !== undefined) next++;
    const entry = visited.has(name) ? visited.get(name) : entryAfter(cache, { name, old, node });
    if (entry !== undefined) entries.push(entry);
    if (!isSameEntry(old, entry)) changes++;
  }
  if (changes === 0) return folder;
  pushUntil(entries, folder, { from: next, until: undefined });
  return folderWith(entries);
}

/** Copies entries that are not edited. Returns the position after the last copied entry. */
function pushUntil(
  entries: FolderEntry[],
  folder: Folder,
  { from, until }: { from: number; until: PathBytes | undefined },
): number {
  let next = from;
  for (let entry = folder.entries[next]; entry !== undefined; entry = folder.entries[++next]) {
    if (until !== undefined && entry.name >= until) break;
    entries.push(entry);
  }
  return next;
}

/** Returns the new entry for a path that has edits below it. */
function visitedEntry(cache: FolderCache, visit: Visit): FolderEntry | undefined {
  const { name, old, node, folder } = visit;
  const updated = updateFolder(cache, visit);
  const begin = folderToBegin(old, node.edit);
  if (begin === undefined && updated === EMPTY_FOLDER) return entryAfter(cache, visit);
  const mode = begin?.mode ?? MADE_FOLDER_MODE;
  const isUnchanged = updated === folder && begin?.hash !== undefined;
  const hash = isUnchanged ? begin.hash : cache.write(updated);
  return { name, state: { kind: "folder", mode, hash }, failures: updated.failures };
}

/** Returns the new entry for a path that has no edits below it, or has nothing left below it after the edits. */
function entryAfter(
  cache: FolderCache,
  { name, old, node }: Pick<Visit, "name" | "old" | "node">,
): FolderEntry | undefined {
  const begin = folderToBegin(old, node.edit);
  if (begin !== undefined) {
    const folder = folderAt(cache, begin.hash);
    const hash = begin.hash ?? cache.write(folder);
    return { name, state: { kind: "folder", mode: begin.mode, hash }, failures: folder.failures };
  }
  if (node.edit === undefined) return old;
  const { to } = node.edit;
  return to === undefined || to.kind === "folder" ? undefined : entryOf(name, to);
}

/** Returns the folder that the edits below this path are applied to, or undefined if the path will not be a folder. */
function folderToBegin(
  old: FolderEntry | undefined,
  edit: EditNode["edit"],
): { readonly mode: number; readonly hash: ObjectHash | undefined } | undefined {
  const kept = old?.state.kind === "folder" ? old.state : undefined;
  if (edit === undefined) return kept;
  if (edit.to?.kind !== "folder") return undefined;
  return { mode: edit.to.mode, hash: "hash" in edit.to ? edit.to.hash : kept?.hash };
}

function folderAt(cache: FolderCache, hash: ObjectHash | undefined): Folder {
  return hash === undefined ? EMPTY_FOLDER : cache.read(hash);
}

function isSameEntry(a: FolderEntry | undefined, b: FolderEntry | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  const one = a.state;
  const other = b.state;
  if (one.kind === "file" && other.kind === "file") {
    return one.hash === other.hash && one.mode === other.mode && one.size === other.size;
  }
  if (one.kind === "folder" && other.kind === "folder") {
    return one.hash === other.hash && one.mode === other.mode;
  }
  return isSameState(one, other);
}
