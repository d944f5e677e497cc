import type { FileState, LeftOut, OutcomeDetail, PathBytes, PathChange } from "../record/files.ts";
import type { ObjectHash, SessionId, SnapshotId } from "../record/ids.ts";
import type { Json } from "../record/parts.ts";

/**
 * The files of one workspace, now and in its snapshots.
 *
 * Contract, checked by `workspaceFilesContract` in `testing/`:
 * - `capture` of an unchanged workspace returns the previous id. The result is durable, and kept for `keptFor`, if that
 *   is given.
 * - A snapshot, once returned, is never altered; only `gc` and `forget` remove one, and `has` then says so.
 * - `compare` takes time in proportion to the difference, not to the size.
 * - `restore` leaves each path either as it was or as requested, re-reads what it wrote, and returns the outcome of
 *   each path. A path that no longer matches `before` is kept. A restore cut off by a crash is listed by `unfinished`
 *   until `finished` has returned.
 * - Nothing outside the workspace is written, whatever links exist.
 */
export interface WorkspaceFiles {
  /** The real path of the folder. */
  readonly folder: string;

  /** Captures the current workspace. One at a time; further calls wait. */
  capture(request: CaptureRequest): Promise<Captured>;
  has(snapshot: SnapshotId): Promise<boolean>;
  /** Every path that differs, folders before their contents, in byte order. */
  compare(before: SnapshotId, after: SnapshotId): Promise<readonly PathChange[]>;
  stateAt(snapshot: SnapshotId, path: PathBytes): Promise<FileState | undefined>;
  /** What a partial snapshot lacks, in byte order. Takes time in proportion to the gaps, not to the size. */
  gaps(snapshot: SnapshotId): Promise<readonly Gap[]>;
  /** Everything at or below a path, folders before their contents, in byte order. */
  list(snapshot: SnapshotId, under?: PathBytes): Promise<readonly PathState[]>;
  /** The bytes of a file; rejects with SNAPSHOT_MISSING or SNAPSHOT_DAMAGED. */
  content(hash: ObjectHash): Promise<Uint8Array>;
  /** Which of these paths are ignored by the rules in the snapshot. */
  ignoredIn(snapshot: SnapshotId, paths: readonly PathBytes[]): Promise<ReadonlySet<PathBytes>>;

  /**
   * Applies outside edits to `target`, one after the other, as a three-way merge of lines. Undefined if they conflict,
   * or are not text. The result can be restored.
   */
  merge(target: FileState, edits: readonly Edit[]): Promise<FileState | undefined>;
  restore(request: RestoreRequest): Promise<readonly PathOutcome[]>;
  /** Restores that were cut off by a crash, oldest first. Until they are settled, nothing else can be restored. */
  unfinished(): Promise<readonly UnfinishedRestore[]>;
  /**
   * "forward": finishes the restore for each path that has not changed since. "discard": ends a restore that never began, so
   * it changes nothing.
   */
  settle(
    restore: UnfinishedRestore,
    how: "forward" | "discard",
    finished?: RestoreFinished,
  ): Promise<readonly PathOutcome[]>;

  /** Keeps an existing snapshot for another reason, for example for a fork. Rejects with SNAPSHOT_MISSING. */
  keep(keptFor: KeptFor, snapshot: SnapshotId): Promise<void>;
  /** Records a checkpoint's current label: labeled checkpoints keep their files. An empty label ends that. */
  label(session: SessionId, checkpoint: number, label: string): Promise<void>;
  close(): Promise<void>;
}

export interface PathState {
  readonly path: PathBytes;
  readonly state: FileState;
}

/** What a snapshot is kept for. Decides how long it is kept when room runs short. */
export type KeptFor =
  | {
      readonly session: SessionId;
      readonly checkpoint: number;
      readonly on: "prompt" | "manual" | "step";
      readonly label?: string;
    }
  /** The state that a journey left, and the state that it led to. */
  | { readonly session: SessionId; readonly journey: "left" | "reached" };

export interface CaptureRequest {
  /** Without this the snapshot is not kept: the next gc may remove it. */
  readonly keptFor?: KeptFor;
  /**
   * "everything": checks all files, which is always done before a restore. Paths: checks only these, because the caller
   * knows that nothing else changed. For a folder: its own entries, and everything in it if it is new.
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
  /** 0 until it is known. */
  readonly ofFiles: number;
  readonly ofBytes: number;
}

export interface Captured {
  readonly snapshot: SnapshotId;
  readonly state: "complete" | "partial";
  /** What a partial snapshot lacks. */
  readonly gaps: readonly Gap[];
  /** What git had checked out, if the folder is a repository: `main 1a2b3c…`, or a commit. */
  readonly gitHead?: string;
}

export interface Gap {
  readonly path: PathBytes;
  readonly why: LeftOut;
}

/** One outside change of a file. */
export interface Edit {
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

/** One step: the path now matches `before`, and shall become `after`. */
export type RestoreStep = PathChange;

export interface RestoreRequest {
  readonly session: SessionId;
  /** Identifies the journey in the log, to distinguish a restore that was cut off from one that never began. */
  readonly journey: { readonly from: string; readonly left: SnapshotId };
  readonly steps: readonly RestoreStep[];
  /** Called when the journal is durable, before any file is written: the moment to write to the log. */
  readonly commit: () => Promise<void>;
  readonly finished?: RestoreFinished;
  readonly onProgress?: (done: number, of: number) => void;
}

/**
 * Called when everything is written, before the journal is removed: the moment to log the end. If it rejects, the
 * restore stays unfinished. The workspace is still locked, so it is captured with what is given here.
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
   * How it was restored, if not simply by writing its old contents. "not-restorable": it was never captured.
   * "parent-changed": its folder was replaced meanwhile.
   */
  readonly detail?: OutcomeDetail;
  /** Set for folders, which come and go with their contents: users count files. */
  readonly kind?: "folder";
  /** Why it was kept or failed, or a remark, for example about a hard link that was split; see `Remark`. */
  readonly why?: string;
  readonly reason?: string;
  readonly params?: Json;
}
