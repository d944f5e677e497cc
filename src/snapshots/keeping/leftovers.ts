import { join } from "node:path";
import { writeError } from "../../disk/disk.ts";
import { namesIn, readWhole, removeTree } from "../../disk/durable-files.ts";
import type { LeaseGround } from "../../disk/lock.ts";
import { isJsonObject } from "../../record/json.ts";
import { type SnapshotPlaces, type WorkspacePlaces, workspacePlaces } from "../places.ts";
import { RestoreJournal } from "../restoring/journal.ts";
import { sweepSegments } from "../segments/writing/segment-lock.ts";
import type { Refs } from "./refs.ts";
import { holdersOf, sweepDead } from "./shared-lease.ts";

export interface LeftoversGround extends LeaseGround {
  readonly places: SnapshotPlaces;
  readonly refs: Refs;
}

/**
 * Removes what killed programs and removed workspaces have left beside the objects; returns the workspaces that
 * went. What belongs to a workspace goes when its folder is gone and nothing of it is kept, and nothing there waits
 * to be finished. The caller has the store's lease alone.
 */
export function sweepLeftovers(ground: LeftoversGround): readonly string[] {
  try {
    return sweep(ground);
  } catch (error) {
    throw writeError(error, { what: "snapshots-leftover" });
  }
}

function sweep(ground: LeftoversGround): readonly string[] {
  const { disk, places } = ground;
  const kept = new Set(ground.refs.all().map(({ workspace }) => workspace));
  const gone: string[] = [];
  sweepSegments(ground, places.segments);
  for (const name of namesIn(disk, places.workspaces)) {
    const workspace = workspaceOf(ground, join(places.workspaces, name));
    if (workspace === undefined) continue;
    const own = workspacePlaces(places, workspace);
    sweepDead(ground, own.leases);
    // Journals are written by those who share the store, and the caller has it alone.
    new RestoreJournal(disk, own.journal).clearUnnamed();
    if (kept.has(workspace) || disk.stat(workspace) !== undefined || isInUse(ground, own)) continue;
    removeTree(disk, own.folder);
    gone.push(workspace);
  }
  return gone;
}

function isInUse(ground: LeftoversGround, { leases, journal }: WorkspacePlaces): boolean {
  return (
    holdersOf(ground, leases).length > 0 ||
    namesIn(ground.disk, journal).some((name) => name.endsWith(".json"))
  );
}

/** Undefined when it is not said, or said wrongly: what we do not know is not ours to remove. */
function workspaceOf({ disk, places }: LeftoversGround, folder: string): string | undefined {
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
