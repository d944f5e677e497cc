import type { FileState, LeftOut, OutcomeDetail, PathBytes, PathChange } from "../record/files.ts";
import type { ObjectHash, SessionId, SnapshotId } from "../record/ids.ts";
import type { Json } from "../record/parts.ts";

/**
 * The files of one workspace, both as they are now and as they are in its snapshots.
 *
 * Contract, checked by `workspaceFilesContract` in `testing/`:
 * - `capture` of an unchanged workspace returns the previous id. The result is durable, and is kept for `keptFor` if
 *   that is given.
 * - A snapshot, once returned, is never altered. Only `gc` and `forget` remove one; after that, `has` returns false.
 * - `compare` takes time in proportion to the difference, not to the size of the workspace.
 * - `restore` either gives each path its requested state or leaves it unchanged, re-reads what it wrote, and returns
 *   the outcome of each path. A path that no longer matches `before` is kept. After a crash, `unfinished` lists the
 *   restore until `finished` has returned.
 * - Nothing outside the workspace is written, even if the workspace contains links that lead there.
 */
export interface WorkspaceFiles {
  /** The real path of the workspace. */
  readonly folder: string;

  /** Captures the workspace as it is now. Captures run one at a time, and further calls wait. */
  capture(request: CaptureRequest): Promise<Captured>;
  has(snapshot: SnapshotId): Promise<boolean>;
  /** The paths that differ between two snapshots, folders before their contents, in byte order. */
  compare(before: SnapshotId, after: SnapshotId): Promise<readonly PathChange[]>;
  stateAt(snapshot: SnapshotId, path: PathBytes): Promise<FileState | undefined>;
  /**
   * The paths that a partial snapshot lacks, in byte order. Takes time in proportion to the number of gaps, not to the
   * size of the workspace.
   */
  gaps(snapshot: SnapshotId): Promise<readonly Gap[]>;
  /** All paths at or below `under`, folders before their contents, in byte order. */
  list(snapshot: SnapshotId, under?: PathBytes): Promise<readonly PathState[]>;
  /** The bytes of a file. Rejects with SNAPSHOT_MISSING or SNAPSHOT_DAMAGED if the content is lost or damaged. */
  content(hash: ObjectHash): Promise<Uint8Array>;
  /** The paths, among the given ones, that the ignore rules in the snapshot match. */
  ignoredIn(snapshot: SnapshotId, paths: readonly PathBytes[]): Promise<ReadonlySet<PathBytes>>;

  /**
   * Applies outside edits to `target`, one after the other, with a three-way merge of lines. Resolves with undefined if
   * they conflict or are not text. The result can be restored.
   */
  merge(target: FileState, edits: readonly Edit[]): Promise<FileState | undefined>;
  restore(request: RestoreRequest): Promise<readonly PathOutcome[]>;
  /** Restores that a crash interrupted, oldest first. Until they are settled, nothing else can be restored. */
  unfinished(): Promise<readonly UnfinishedRestore[]>;
  /**
   * Settles an interrupted restore. "forward" finishes it for each path that has not changed since. "discard" ends a
   * restore that never began, and so changes nothing.
   */
  settle(
    restore: UnfinishedRestore,
    how: "forward" | "discard",
    finished?: RestoreFinished,
  ): Promise<readonly PathOutcome[]>;

  /**
   * Keeps an existing snapshot for one more reason, such as a fork. Rejects with SNAPSHOT_MISSING if it does not exist.
   */
  keep(keptFor: KeptFor, snapshot: SnapshotId): Promise<void>;
  /**
   * Records the current label of a checkpoint, because labeled checkpoints keep their files. An empty label removes the
   * label.
   */
  label(session: SessionId, checkpoint: number, label: string): Promise<void>;
  close(): Promise<void>;
}

export interface PathState {
  readonly path: PathBytes;
  readonly state: FileState;
}

/** What a snapshot is kept for, which determines how long it is kept when space runs low. */
export type KeptFor =
  | {
      readonly session: SessionId;
      readonly checkpoint: number;
      readonly on: "prompt" | "manual" | "step";
      readonly label?: string;
    }
  /** A journey: "left" is the state before it, "reached" the state after it. */
  | { readonly session: SessionId; readonly journey: "left" | "reached" };

export interface CaptureRequest {
  /** What to keep the snapshot for. Without this, the next gc may remove it. */
  readonly keptFor?: KeptFor;
  /**
   * "everything": checks all files, as is always done before a restore. Paths: checks only these, because the caller
   * knows that nothing else changed. For a folder, checks the folder's direct entries, or everything in it if the
   * folder is new.
   */
  readonly look: "everything" | readonly PathBytes[];
  readonly onProgress?: (progress: CaptureProgress) => void;
  readonly signal?: AbortSignal;
}

export interface CaptureProgress {
  /** "storing" begins when every file has been checked and the totals are known. */
  readonly phase: "looking" | "storing";
  readonly files: number;
  readonly bytes: number;
  /** 0 until the total is known. */
  readonly ofFiles: number;
  readonly ofBytes: number;
}

export interface Captured {
  readonly snapshot: SnapshotId;
  readonly state: "complete" | "partial";
  /** The paths that a partial snapshot lacks. */
  readonly gaps: readonly Gap[];
  /**
   * What git has checked out, if the folder is a repository: a branch with its commit, such as `main 1a2b3c…`, or a
   * commit.
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

/** One path to restore. It is expected to match `before`, and becomes `after`. */
export type RestoreStep = PathChange;

export interface RestoreRequest {
  readonly session: SessionId;
  /** Identifies the journey in the log. Distinguishes an interrupted restore from one that never began. */
  readonly journey: { readonly from: string; readonly left: SnapshotId };
  readonly steps: readonly RestoreStep[];
  /** Called when the journal is durable, before any file is written, so that the caller can write to the log. */
  readonly commit: () => Promise<void>;
  readonly finished?: RestoreFinished;
  readonly onProgress?: (done: number, of: number) => void;
}

/**
 * Called when everything is written, before the journal is removed, so that the caller can log the outcome. If it
 * rejects, the restore stays unfinished. The workspace is still locked, so the callback must use the given `capture`.
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
   * How the path was restored, if not simply by writing its old content. "not-restorable": it was never captured.
   * "parent-changed": the folder that contains it was replaced in the meantime.
   */
  readonly detail?: OutcomeDetail;
  /** Set for folders. Users count files, because folders come and go with their contents. */
  readonly kind?: "folder";
  /** Why the path was kept or failed, or a remark, such as that a hard link was split; see `Remark`. */
  readonly why?: string;
  readonly reason?: string;
  readonly params?: Json;
}
