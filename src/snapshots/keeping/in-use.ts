import { join } from "node:path";
import { writeError } from "../../disk/disk.ts";
import { namesIn, readWhole, removeTree } from "../../disk/durable-files.ts";
import type { LockContext } from "../../disk/lock.ts";
import type { ObjectHash } from "../../record/ids.ts";
import { isJsonObject } from "../../record/parts.ts";
import {
  type SnapshotContext,
  type SnapshotPlaces,
  type WorkspacePlaces,
  workspacePlaces,
} from "../context.ts";
import { rootOfManifest } from "../finding/manifest.ts";
import { RestoreJournal } from "../restoring/restore.ts";
import { sweepSegments } from "../segments/live-segment.ts";
import type { Refs } from "./refs.ts";
import { holdersOf, sweepDead } from "./shared-lease.ts";

/**
 * Returns data that is needed even though nothing refers to it: the root folders that the next captures start from, and
 * the contents that unfinished restores have yet to write.
 */
export function inUse({ disk, places }: SnapshotContext): {
  readonly folders: readonly ObjectHash[];
  readonly contents: readonly ObjectHash[];
} {
  const folders: ObjectHash[] = [];
  const contents: ObjectHash[] = [];
  for (const name of namesIn(disk, places.workspaces)) {
    const manifest = join(places.workspaces, name, "manifest");
    if (disk.stat(manifest) !== undefined) {
      const root = rootOfManifest(readWhole(disk, manifest));
      if (root !== undefined) folders.push(root);
    }
    const journal = new RestoreJournal(disk, join(places.workspaces, name, "journal"));
    for (const { after } of journal.list().flatMap(({ steps }) => steps)) {
      if (after?.kind === "file") contents.push(after.hash);
    }
  }
  return { folders, contents };
}

interface LeftoversContext extends LockContext {
  readonly places: SnapshotPlaces;
  readonly refs: Refs;
}

/**
 * Removes files that killed programs left next to the objects, and files that were stored there for removed workspaces.
 * A workspace's data is removed if its folder no longer exists, none of its snapshots is kept, and it has no unfinished
 * restore. Returns the workspaces whose data was removed. The caller must hold the store's lease exclusively.
 */
export function sweepLeftovers(context: LeftoversContext): readonly string[] {
  try {
    return sweep(context);
  } catch (error) {
    throw writeError(error, { what: "snapshots-leftover" });
  }
}

function sweep(context: LeftoversContext): readonly string[] {
  const { disk, places } = context;
  const kept = new Set(context.refs.all().map(({ workspace }) => workspace));
  const gone: string[] = [];
  sweepSegments(context, places.segments);
  for (const name of namesIn(disk, places.workspaces)) {
    const workspace = workspaceOf(context, join(places.workspaces, name));
    if (workspace === undefined) continue;
    const own = workspacePlaces(places, workspace);
    sweepDead(context, own.leases);
    // Clearing the journal is safe, because processes that write journals share the store's lease, and the caller now
    // holds it exclusively.
    new RestoreJournal(disk, own.journal).clearUnnamed();
    if (kept.has(workspace) || disk.stat(workspace) !== undefined || isInUse(context, own)) continue;
    removeTree(disk, own.folder);
    gone.push(workspace);
  }
  return gone;
}

function isInUse(context: LeftoversContext, { leases, journal }: WorkspacePlaces): boolean {
  return (
    holdersOf(context, leases).length > 0 ||
    namesIn(context.disk, journal).some((name) => name.endsWith(".json"))
  );
}

/**
 * Returns the workspace that a folder in the store belongs to, or undefined if the file that names the workspace is
 * missing or invalid. Data of unknown origin must not be removed.
 */
function workspaceOf({ disk, places }: LeftoversContext, folder: string): string | undefined {
  const about = join(folder, "workspace.json");
  if (disk.stat(about) === undefined) return undefined;
  const workspace = folderIn(readWhole(disk, about).toString("utf8"));
  if (workspace === undefined || workspacePlaces(places, workspace).folder !== folder) return undefined;
  return workspace;
}

function folderIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return undefined;
    const { folder } = value;
    return typeof folder === "string" ? folder : undefined;
  } catch {
    return undefined;
  }
}
