import type { FileState, LeftOut, OutcomeDetail, PathBytes, PathChange } from "../record/files.ts";
import type { ObjectHash, SessionId, SnapshotId } from "../record/ids.ts";
import type { Json } from "../record/parts.ts";

/**
 * The files of one workspace, both the current files and those in its snapshots.
 *
 * Contract, checked by `workspaceFilesContract` in `testing/`:
 * - `capture` of an unchanged workspace returns the previous id. The snapshot is durable. If `keptFor` is given, the
 *   snapshot is protected for that reason.
 * - A snapshot, once returned, is never altered. Only `gc` and `forget` remove a snapshot, and then `has` returns
 *   false.
 * - The time that `compare` takes is proportional to the number of differences, not to the size of the workspace.
 * - For each path, `restore` either restores the requested state or leaves the path unchanged. It re-reads what it
 *   wrote, and returns the outcome for each path. A path that no longer matches `before` is kept. After a crash,
 *   `unfinished` lists the restore until `finished` has returned.
 * - Nothing outside the workspace is written, even if links in the workspace lead outside it.
 */
export interface WorkspaceFiles {
  /** The real path of the workspace. */
  readonly folder: string;

  /** Captures the current workspace. Captures run one at a time, and further calls wait. */
  capture(request: CaptureRequest): Promise<Captured>;
  has(snapshot: SnapshotId): Promise<boolean>;
  /** The paths that differ between two snapshots, folders before their contents, in byte order. */
  compare(before: SnapshotId, after: SnapshotId): Promise<readonly PathChange[]>;
  stateAt(snapshot: SnapshotId, path: PathBytes): Promise<FileState | undefined>;
  /**
   * The paths that are missing from a partial snapshot, in byte order. The time required is proportional to the number
   * of gaps, not to the size of the workspace.
   */
  gaps(snapshot: SnapshotId): Promise<readonly Gap[]>;
  /** All paths at or below `under`, folders before their contents, in byte order. */
  list(snapshot: SnapshotId, under?: PathBytes): Promise<readonly PathState[]>;
  /** The bytes of a file. Rejects with SNAPSHOT_MISSING or SNAPSHOT_DAMAGED if the content is lost or damaged. */
  content(hash: ObjectHash): Promise<Uint8Array>;
  /** Returns the given paths that match the ignore rules in the snapshot. */
  ignoredIn(snapshot: SnapshotId, paths: readonly PathBytes[]): Promise<ReadonlySet<PathBytes>>;

  /**
   * Applies outside edits to `target`, one after another, using a three-way line merge. Resolves with undefined if the
   * edits conflict or are not text. The merged state can be restored.
   */
  merge(target: FileState, edits: readonly Edit[]): Promise<FileState | undefined>;
  restore(request: RestoreRequest): Promise<readonly PathOutcome[]>;
  /** Restores that a crash interrupted, oldest first. Nothing else can be restored until these restores are settled. */
  unfinished(): Promise<readonly UnfinishedRestore[]>;
  /**
   * Settles an interrupted restore. "forward" finishes the restore for each path that has not changed since the crash.
   * "discard" ends a restore that never began, and therefore changes no files.
   */
  settle(
    restore: UnfinishedRestore,
    how: "forward" | "discard",
    finished?: RestoreFinished,
  ): Promise<readonly PathOutcome[]>;

  /**
   * Protects an existing snapshot for an additional reason, such as a fork. Rejects with SNAPSHOT_MISSING if the
   * snapshot does not exist.
   */
  keep(keptFor: KeptFor, snapshot: SnapshotId): Promise<void>;
  /**
   * Records the current label of a checkpoint, because snapshots of labeled checkpoints are kept. An empty label
   * removes the current one.
   */
  label(session: SessionId, checkpoint: number, label: string): Promise<void>;
  close(): Promise<void>;
}

export interface PathState {
  readonly path: PathBytes;
  readonly state: FileState;
}

/** Why a snapshot is kept. The reason determines how long it is kept when space runs low. */
export type KeptFor =
  | {
      readonly session: SessionId;
      readonly checkpoint: number;
      readonly on: "prompt" | "manual" | "step";
      readonly label?: string;
    }
  /** A journey. "left" is the state before the journey, and "reached" is the state after it. */
  | { readonly session: SessionId; readonly journey: "left" | "reached" };

export interface CaptureRequest {
  /** The reason to keep the snapshot. If absent, the next gc may remove the snapshot. */
  readonly keptFor?: KeptFor;
  /**
   * "everything": checks all files. Every restore does this first. A list of paths: checks only these paths, because
   * the caller ensures that nothing else has changed. For a folder, checks the folder's direct entries, or everything
   * in it if the folder is new.
   */
  readonly look: "everything" | readonly PathBytes[];
  readonly onProgress?: (progress: CaptureProgress) => void;
  readonly signal?: AbortSignal;
}

export interface CaptureProgress {
  /** "looking" lasts until every file has been checked and the totals are known. "storing" follows. */
  readonly phase: "looking" | "storing";
  readonly files: number;
  readonly bytes: number;
  /** The total number of files; 0 until it is known. */
  readonly ofFiles: number;
  readonly ofBytes: number;
}

export interface Captured {
  readonly snapshot: SnapshotId;
  readonly state: "complete" | "partial";
  /** The paths that are missing from a partial snapshot. */
  readonly gaps: readonly Gap[];
  /**
   * What git has checked out if the folder is a repository: either a branch with its commit, such as `main 1a2b3c…`, or
   * a commit.
   */
  readonly gitHead?: string;
}

export interface Gap {
  readonly path: PathBytes;
  readonly why: LeftOut;
}

/** One outside change to a file. */
export interface Edit {
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

/** One path to restore from its expected state `before` to the state `after`. */
export type RestoreStep = PathChange;

export interface RestoreRequest {
  readonly session: SessionId;
  /** Identifies the journey in the log. Used to distinguish an interrupted restore from one that never began. */
  readonly journey: { readonly from: string; readonly left: SnapshotId };
  readonly steps: readonly RestoreStep[];
  /** Called when the journal is durable but before any file is written, so that the caller can write to the log. */
  readonly commit: () => Promise<void>;
  readonly finished?: RestoreFinished;
  readonly onProgress?: (done: number, of: number) => void;
}

/**
 * Called when everything is written but before the journal is removed, so that the caller can log the outcome. If the
 * callback rejects, the restore stays unfinished. The workspace is still locked, so the callback must use the given
 * `capture`.
 */
export type RestoreFinished = (
  outcomes: readonly PathOutcome[],
  capture: (request: CaptureRequest) => Promise<Captured>,
) => Promise<void>;

export interface UnfinishedRestore {
  readonly id: string;
  readonly session: SessionId;
  readonly journey: RestoreRequest["journey"];
  readonly steps: readonly RestoreStep[];
}

export interface PathOutcome {
  readonly path: PathBytes;
  readonly outcome: "restored" | "kept" | "failed";
  /**
   * How the path was restored, if not simply by writing its old content. "not-restorable": the path was never captured.
   * "parent-changed": the folder that contains the path was replaced before it could be restored.
   */
  readonly detail?: OutcomeDetail;
  /**
   * Set for folders. Counts for users include only files, because folders are created and removed with their contents.
   */
  readonly kind?: "folder";
  /** Why the path was kept or failed, or a remark (for example, that a hard link was split); see `Remark`. */
  readonly why?: string;
  readonly reason?: string;
  readonly params?: Json;
}
