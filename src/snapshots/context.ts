import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Disk } from "../disk/disk.ts";
import { DurableFolders } from "../disk/durable-files.ts";
import type { Processes } from "../disk/lock-owner.ts";
import type { Clock } from "../ports/clock.ts";
import type { TakeOver } from "../ports/lease.ts";
import { type PathBytes, pathOfText } from "../record/files.ts";
import type { CoverageLimits } from "./finding/coverage.ts";
import { Refs } from "./keeping/refs.ts";
import { FolderCache } from "./objects/tree-objects.ts";
import type { SegmentStore } from "./segments/segment-store.ts";
import { openSegments } from "./segments/stored-segments.ts";
import type { WorkspaceDisk } from "./workspace/workspace-disk.ts";

/** Paths in the snapshot store. */
export interface SnapshotPlaces {
  readonly root: string;
  readonly segments: string;
  readonly refs: string;
  /** The folder with the leases on the store. Captures share a lease, but gc needs an exclusive one. */
  readonly leases: string;
  readonly workspaces: string;
}

export function snapshotPlaces(home: string): SnapshotPlaces {
  const root = join(home, "snapshots");
  return {
    root,
    segments: join(root, "segments"),
    refs: join(root, "refs"),
    leases: join(root, "leases"),
    workspaces: join(root, "workspaces"),
  };
}

export interface WorkspacePlaces {
  readonly folder: string;
  /**
   * A file that tells people which workspace this is, because the name of the workspace's folder in the store is a
   * hash.
   */
  readonly about: string;
  /** The file that caches each path's state at the time of its last capture. */
  readonly manifest: string;
  /** The folder with the leases on the workspace. Captures share a lease, but a restore needs an exclusive one. */
  readonly leases: string;
  readonly journal: string;
}

const NAME_LENGTH = 32;

export function workspacePlaces(places: SnapshotPlaces, workspace: string): WorkspacePlaces {
  const name = createHash("sha256").update(workspace).digest("hex").slice(0, NAME_LENGTH);
  const folder = join(places.workspaces, name);
  return {
    folder,
    about: join(folder, "workspace.json"),
    manifest: join(folder, "manifest"),
    leases: join(folder, "leases"),
    journal: join(folder, "journal"),
  };
}

/** The open snapshot store, which all workspaces share. */
export interface SnapshotContext {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly places: SnapshotPlaces;
  readonly objects: SegmentStore;
  readonly folders: FolderCache;
  readonly refs: Refs;
  readonly durable: DurableFolders;
}

interface SnapshotOptions {
  /** Worldline's home folder, which contains the store. */
  readonly home: string;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly processes: Processes;
}

/** Opens the snapshot store without creating anything. The first capture creates the store's folders. */
export function openSnapshotContext({ home, disk, clock, processes }: SnapshotOptions): SnapshotContext {
  const places = snapshotPlaces(home);
  const objects = openSegments({ disk, clock, processes, folder: places.segments });
  return {
    disk,
    clock,
    processes,
    places,
    objects,
    folders: new FolderCache(objects),
    refs: new Refs(disk, places.refs),
    // The home folder itself is made durable as well, because the process that created it may have failed right
    // afterward.
    durable: new DurableFolders(disk, home),
  };
}

/** A workspace and the store for its snapshots. */
export interface WorkspaceContext {
  readonly store: SnapshotContext;
  /** The real path of the workspace folder. */
  readonly folder: string;
  readonly root: PathBytes;
  readonly places: WorkspacePlaces;
  readonly disk: WorkspaceDisk;
  readonly limits: CoverageLimits;
  /** Worldline's home folder, which snapshots never include. */
  readonly home: string;
  /**
   * The key of the store whose sessions the snapshots belong to. Undefined for the session files in this home folder.
   */
  readonly sessionsIn?: string | undefined;
  /** The name of this program, which other programs show while they wait for it. */
  readonly name: string;
  /** Maximum time to wait for other processes. */
  readonly waitMs: number;
  /** Whether to take over leases from owners that cannot be checked. */
  readonly takeOver?: TakeOver;
  /** "auto" uses threads if there is enough work for them. */
  readonly threads: "auto" | "none";
}

export function workspaceContext(parts: Omit<WorkspaceContext, "root" | "places">): WorkspaceContext {
  return {
    ...parts,
    root: pathOfText(parts.folder),
    places: workspacePlaces(parts.store.places, parts.folder),
  };
}
