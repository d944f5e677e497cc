import { WorldlineError } from "../../record/error.ts";
import type { FileState, FolderState, PathBytes } from "../../record/files.ts";
import { folderOf, isSameState } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { FolderCache } from "../objects/folder-cache.ts";
import type { Folder, FolderEntry } from "../objects/folder-object.ts";
import { EMPTY_FOLDER, entryOf, folderWith } from "../objects/folder-object.ts";
import { byBytes } from "./by-path.ts";

/**
 * What a path is to be. Undefined: gone, with all below it. A folder without a hash keeps what it holds, or begins
 * empty; with one, it holds what that says.
 */
export type FolderEdit = FileState | { readonly kind: "folder"; readonly mode: number } | undefined;

export interface UpdatedRoot {
  readonly root: ObjectHash;
  /** How many gaps there are. */
  readonly failures: number;
}

/** The edits at and below one path. */
interface EditNode {
  edit: { readonly to: FolderEdit } | undefined;
  below: Map<PathBytes, EditNode> | undefined;
}

const MADE_FOLDER_MODE = 0o755;

/**
 * The root folder after the edits. Costs the edits and the folders above them; each of those is written once, those
 * below first. Of edits that contradict each other, the one below wins: its parents are made, where need be, as
 * folders with mode 0755. Only what is to be there makes parents; what is to be gone does not.
 *
 * The mode of the workspace itself is not in the root folder but in the snapshot: an edit of "" to a folder does nothing.
 */
export function updateRoot(
  cache: FolderCache,
  root: ObjectHash | undefined,
  edits: ReadonlyMap<PathBytes, FolderEdit>,
): UpdatedRoot {
  const tree = treeOf(edits);
  const to = tree.edit === undefined ? undefined : tree.edit.to;
  if (to !== undefined && to.kind !== "folder") {
    throw new WorldlineError("WORKSPACE_UNUSABLE", "The workspace is no folder anymore.");
  }
  const isEmptied = tree.edit !== undefined && to === undefined;
  const begin = to !== undefined && "hash" in to ? to.hash : isEmptied ? undefined : root;
  const { hash, failures } = contentOf(cache, begin, tree.below);
  return { root: hash, failures };
}

function treeOf(edits: ReadonlyMap<PathBytes, FolderEdit>): EditNode {
  const root = newNode();
  /** Each folder once, so that many edits in one folder look it up and do not walk to it. */
  const folders = new Map<PathBytes, EditNode>([["", root]]);
  for (const [path, to] of edits) {
    const node = path === "" ? root : nodeIn(folderNode(folders, folderOf(path)), path);
    node.edit = { to };
  }
  return root;
}

function folderNode(folders: Map<PathBytes, EditNode>, folder: PathBytes): EditNode {
  const known = folders.get(folder);
  if (known !== undefined) return known;
  const node = nodeIn(folderNode(folders, folderOf(folder)), folder);
  folders.set(folder, node);
  return node;
}

/** The node of the last name of `path`, in that of its folder. */
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

/** The same object where nothing changed. */
function updateFolder(cache: FolderCache, folder: Folder, below: ReadonlyMap<PathBytes, EditNode>): Folder {
  const entries: FolderEntry[] = [];
  let next = 0;
  let changes = 0;
  for (const [name, node] of [...below].sort(([a], [b]) => byBytes(a, b))) {
    next = pushUntil(entries, folder, { from: next, until: name });
    const found = folder.entries[next];
    const old = found?.name === name ? found : undefined;
    if (old !== undefined) next++;
    const entry = updateEntry(cache, { name, old, node });
    if (entry !== undefined) entries.push(entry);
    if (!isSameEntry(old, entry)) changes++;
  }
  if (changes === 0) return folder;
  pushUntil(entries, folder, { from: next, until: undefined });
  return folderWith(entries);
}

/** Takes over what is not edited. Returns where it stopped. */
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

interface EntryUpdate {
  readonly name: PathBytes;
  readonly old: FolderEntry | undefined;
  readonly node: EditNode;
}

function updateEntry(cache: FolderCache, { name, old, node }: EntryUpdate): FolderEntry | undefined {
  const begin = folderToBegin(old, node.edit);
  if (begin !== undefined) {
    const { hash, failures } = contentOf(cache, begin.hash, node.below);
    return { name, state: { kind: "folder", mode: begin.mode, hash }, failures };
  }
  const made = node.below === undefined ? EMPTY_FOLDER : updateFolder(cache, EMPTY_FOLDER, node.below);
  if (made !== EMPTY_FOLDER) {
    const state: FolderState = { kind: "folder", mode: MADE_FOLDER_MODE, hash: cache.write(made) };
    return { name, state, failures: made.failures };
  }
  if (node.edit === undefined) return old;
  const { to } = node.edit;
  return to === undefined || to.kind === "folder" ? undefined : entryOf(name, to);
}

/** The folder that stands there before what is below it is looked at; undefined where there is to be none. */
function folderToBegin(
  old: FolderEntry | undefined,
  edit: EditNode["edit"],
): { readonly mode: number; readonly hash: ObjectHash | undefined } | undefined {
  const kept = old?.state.kind === "folder" ? old.state : undefined;
  if (edit === undefined) return kept;
  if (edit.to?.kind !== "folder") return undefined;
  return { mode: edit.to.mode, hash: "hash" in edit.to ? edit.to.hash : kept?.hash };
}

function contentOf(
  cache: FolderCache,
  begin: ObjectHash | undefined,
  below: EditNode["below"],
): { hash: ObjectHash; failures: number } {
  const folder = begin === undefined ? EMPTY_FOLDER : cache.read(begin);
  const updated = below === undefined ? folder : updateFolder(cache, folder, below);
  const hash = updated === folder && begin !== undefined ? begin : cache.write(updated);
  return { hash, failures: updated.failures };
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
