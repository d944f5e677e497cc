import { relative, sep } from "node:path";
import type { FilesQuery, FoundInSnapshots } from "../../ports/snapshot-objects.ts";
import {
  type FileState,
  isWithin,
  type PathBytes,
  pathIn,
  pathOfText,
  shownPath,
} from "../../record/files.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import { stateAt } from "../comparing/compare.ts";
import type { SnapshotContext } from "../context.ts";
import { findContents } from "../keeping/forgotten.ts";
import { tableOf } from "../keeping/object-table.ts";
import { asSnapshotId, type FolderCache, readSnapshot, type Snapshot } from "../objects/tree-objects.ts";
import { orUndefined } from "../objects/tree-sizes.ts";
import type { WorkspaceDisk } from "../workspace/workspace-disk.ts";
import { type ListedPlaces, Places } from "./places-of.ts";

export interface SearchContext {
  readonly store: SnapshotContext;
  /**
   * The disk that contains the workspaces. The search also finds files in the workspaces, because these files would be
   * captured again.
   */
  readonly disk: WorkspaceDisk;
}

/** A snapshot and every workspace that it is known to belong to. An imported snapshot belongs to two workspaces. */
interface Known {
  readonly id: SnapshotId;
  readonly snapshot: Snapshot;
  readonly workspaces: ReadonlySet<string>;
  /**
   * The folders where the snapshot's files may be today. These are the workspaces that keep the snapshot or, if none
   * does, the workspace where it was captured.
   */
  readonly roots: readonly string[];
}

/** Searches everything in the store, whether or not references keep it. The caller must hold the store's lease. */
export function findSecrets(
  context: SearchContext,
  request: FilesQuery,
  onProgress?: (done: number, of: number) => void,
): FoundInSnapshots {
  const { objects, folders } = context.store;
  const snapshots = snapshotsIn(context.store);
  const { found, unreadable } =
    request.what === "content"
      ? findContents(objects, request.matches, onProgress)
      : { found: contentsAt(context.store, snapshots, request.path), unreadable: [] };
  const contents = new Set(found);
  const inName = request.what === "content" ? request.inName : (): boolean => false;
  const places = new Places(folders, { contents, inName });
  const whole = placesIn(snapshots, places);
  return {
    contents: found,
    snapshots: whole.snapshots,
    places: shown(whole.paths),
    inWorkspace: shown(stillThere(context, request, whole.paths)),
    inNames: shown(whole.names),
    labels: request.what === "content" ? context.store.refs.linesWith(request) : 0,
    unreadable: unreadable.length + places.unreadable,
    unlisted: whole.unlisted,
  };
}

function placesIn(
  snapshots: readonly Known[],
  places: Places,
): {
  readonly paths: Set<PathBytes>;
  readonly names: Set<PathBytes>;
  readonly snapshots: number;
  readonly unlisted: readonly SnapshotId[];
} {
  const counted = snapshots.map((known) => ({ ...known, ...places.countBelow(known.snapshot.root.hash) }));
  const byRoots = new Map<string, { readonly roots: readonly string[]; readonly listed: ListedPlaces }>();
  const unlisted: SnapshotId[] = [];
  // No capture creates a snapshot with too many places to list. Such snapshots come last, so that they do not use up
  // the limit before all other snapshots are listed.
  const fewestFirst = counted
    .filter(({ paths, names }) => paths + names > 0)
    .sort((a, b) => a.paths + a.names - (b.paths + b.names));
  for (const { id, roots, snapshot } of fewestFirst) {
    const key = JSON.stringify(roots);
    const group = byRoots.get(key) ?? {
      roots,
      listed: { paths: new Set(), names: new Set(), listed: new Set() },
    };
    byRoots.set(key, group);
    if (places.listBelow(snapshot.root.hash, group.listed) === "some") unlisted.push(id);
  }
  const [paths, names] = [new Set<PathBytes>(), new Set<PathBytes>()];
  for (const { roots, listed } of byRoots.values()) {
    for (const root of roots.map(pathOfText)) {
      for (const path of listed.paths) paths.add(pathIn(root, path));
      for (const name of listed.names) names.add(pathIn(root, name));
    }
  }
  return { paths, names, snapshots: counted.filter((each) => each.paths > 0).length, unlisted };
}

function shown(paths: Iterable<PathBytes>): string[] {
  return [...paths].sort().map(shownPath);
}

function snapshotsIn({ objects, refs }: SnapshotContext): Known[] {
  const ids = new Set<SnapshotId>();
  for (const { id } of objects.segments()) {
    objects.each(id, ({ kind, hash }) => {
      if (kind === "snapshot") ids.add(asSnapshotId(hash));
    });
  }
  const workspaces = new Map<SnapshotId, Set<string>>();
  for (const { snapshot, workspace } of refs.all()) {
    workspaces.set(snapshot, (workspaces.get(snapshot) ?? new Set()).add(workspace));
  }
  return [...ids].flatMap((id) => {
    const snapshot = orUndefined(() => readSnapshot(objects, id));
    if (snapshot === undefined) return [];
    const keptIn = [...(workspaces.get(id) ?? [])];
    const roots = keptIn.length === 0 ? [snapshot.workspace] : keptIn;
    return [{ id, snapshot, workspaces: new Set([snapshot.workspace, ...keptIn]), roots }];
  });
}

/** Returns the contents at or below a path. Leaves out empty files, because they do not have content to forget. */
function contentsAt(
  { folders, objects }: SnapshotContext,
  snapshots: readonly Known[],
  path: string,
): ObjectHash[] {
  const found = new Set<ObjectHash>();
  const seen = new Set<ObjectHash>();
  for (const { snapshot, workspaces } of snapshots) {
    for (const workspace of workspaces) {
      const within = relative(workspace, path);
      if (within === "" || within === ".." || within.startsWith(`..${sep}`)) continue;
      const state = orUndefined(() => stateAt(folders, snapshot.root, pathOfText(within)));
      if (state !== undefined) addContents(folders, state, { found, seen });
    }
  }
  if (found.size === 0) return [];
  // Folders still refer to contents that were erased, so erased contents are filtered out.
  const table = tableOf(objects);
  return [...found].filter((hash) => table.find(hash) !== undefined);
}

/**
 * Adds the contents at and below a path. Reads each folder only once, even if it is at several paths. Skips folders
 * that cannot be read. These folders are counted elsewhere.
 */
function addContents(
  folders: FolderCache,
  from: FileState,
  { found, seen }: { readonly found: Set<ObjectHash>; readonly seen: Set<ObjectHash> },
): void {
  const waiting = [from];
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    if (state.kind === "file" && state.size > 0) found.add(state.hash);
    if (state.kind !== "folder" || seen.has(state.hash)) continue;
    const { hash } = state;
    seen.add(hash);
    for (const entry of orUndefined(() => folders.read(hash))?.entries ?? []) waiting.push(entry.state);
  }
}

/** Returns the paths where the next capture would find the content. */
function stillThere({ disk }: SearchContext, request: FilesQuery, paths: Iterable<PathBytes>): PathBytes[] {
  const wanted = request.what === "path" ? pathOfText(request.path) : undefined;
  const all =
    wanted === undefined
      ? paths
      : new Set([...paths].filter((path) => isWithin(path, wanted)).concat(wanted));
  return [...all].filter((path) => {
    try {
      if (request.what === "path") return disk.stat(path)?.kind === "file";
      return disk.stat(path)?.kind === "file" && request.matches(disk.readFile(path).bytes);
    } catch {
      // If a file cannot be read, it cannot be captured either.
      return false;
    }
  });
}
