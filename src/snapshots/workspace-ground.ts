import type { TakeOver } from "../ports/lease.ts";
import { type PathBytes, pathOfText } from "../record/files.ts";
import type { CoverageLimits } from "./finding/coverage.ts";
import type { SnapshotGround } from "./ground.ts";
import { type WorkspacePlaces, workspacePlaces } from "./places.ts";
import type { WorkspaceDisk } from "./workspace/workspace-disk.ts";

/** One workspace and the store that keeps its snapshots. */
export interface WorkspaceGround {
  readonly store: SnapshotGround;
  /** The real path of the folder. */
  readonly folder: string;
  readonly root: PathBytes;
  readonly places: WorkspacePlaces;
  readonly disk: WorkspaceDisk;
  readonly limits: CoverageLimits;
  /** Where Worldline keeps everything: left out of every snapshot. */
  readonly home: string;
  /** In which store the sessions are that keep snapshots; undefined: in the files of this home. */
  readonly sessionsIn?: string | undefined;
  /** What others are told while they wait for this one. */
  readonly name: string;
  /** How long to wait for others. */
  readonly waitMs: number;
  /** Whether to take over from others that cannot be asked whether they live. */
  readonly takeOver?: TakeOver;
  /** "auto": threads where there is enough to do for them. */
  readonly threads: "auto" | "none";
}

export function workspaceGround(parts: Omit<WorkspaceGround, "root" | "places">): WorkspaceGround {
  return {
    ...parts,
    root: pathOfText(parts.folder),
    places: workspacePlaces(parts.store.places, parts.folder),
  };
}
