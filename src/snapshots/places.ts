import { createHash } from "node:crypto";
import { join } from "node:path";

/** Where the snapshot store keeps what. */
export interface SnapshotPlaces {
  readonly root: string;
  readonly segments: string;
  readonly refs: string;
  /** Who works on the store: captures share it, gc has it alone. */
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
  /** Which folder it is, for people: the name of ours is a hash. */
  readonly about: string;
  /** What each path looked like when it was captured last. A cache. */
  readonly manifest: string;
  /** Who works on the workspace: captures share it, a restore has it alone. */
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
