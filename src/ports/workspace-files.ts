import type { FileState, LeftOut, OutcomeDetail, PathBytes, PathChange } from "../record/files.ts";
import type { ObjectHash, SessionId, SnapshotId } from "../record/ids.ts";
import type { Json } from "../record/parts.ts";

/**
 * The files of one workspace, as they are and as they were.
 *
 * Contract, checked by `workspaceFilesContract` in `testing/`:
 * - `capture` of an unchanged workspace returns the previous id. What it returns is durable, and kept for `keptFor`, where that is given.
 * - A snapshot, once returned, is never altered; only `gc` and `forget` let one go, and `has` then says so.
 * - `compare` costs the difference, not the size.
 * - `restore` leaves each path as it was or as it was to be, re-reads what it wrote, and says for each path
 *   what became of it. A path that is no longer as `before` says is kept. What a crash cuts off is listed by `unfinished`,
 *   until `finished` has returned.
 * - Nothing outside the workspace is written, whatever links there are.
 */
export interface WorkspaceFiles {
  /** The real path of the folder. */
  readonly folder: string;

  /** Captures the workspace as it is. One at a time; further calls wait. */
  capture(request: CaptureRequest): Promise<Captured>;
  has(snapshot: SnapshotId): Promise<boolean>;
  /** Every path that differs, folders before what they hold, in the order of bytes. */
  compare(before: SnapshotId, after: SnapshotId): Promise<readonly PathChange[]>;
  stateAt(snapshot: SnapshotId, path: PathBytes): Promise<FileState | undefined>;
  /** What made it partial, in the order of bytes. Costs the gaps, not the size. */
  gaps(snapshot: SnapshotId): Promise<readonly Gap[]>;
  /** Everything at or under a path, folders before what they hold, in the order of bytes. */
  list(snapshot: SnapshotId, under?: PathBytes): Promise<readonly PathState[]>;
  /** The bytes of a file; rejects with SNAPSHOT_MISSING or SNAPSHOT_DAMAGED. */
  content(hash: ObjectHash): Promise<Uint8Array>;
  /** Which of these paths are ignored by the rules that the snapshot holds. */
  ignoredIn(snapshot: SnapshotId, paths: readonly PathBytes[]): Promise<ReadonlySet<PathBytes>>;

  /**
   * Puts outside edits onto `target`, one after the other, as a three-way merge of lines. Undefined when they do
   * not fit, or are no text. What it returns can be restored.
   */
  merge(target: FileState, edits: readonly Edit[]): Promise<FileState | undefined>;
  restore(request: RestoreRequest): Promise<readonly PathOutcome[]>;
  /** Restores that a crash has cut off, oldest first. While there are any, nothing else may be restored. */
  unfinished(): Promise<readonly UnfinishedRestore[]>;
  /** "forward": finishes it where each path is still as it was known. "discard": it never began, so nothing is done. */
  settle(
    restore: UnfinishedRestore,
    how: "forward" | "discard",
    finished?: RestoreFinished,
  ): Promise<readonly PathOutcome[]>;

  /** Keeps a snapshot that is there for one more reason, as a fork's copies need it. Rejects with SNAPSHOT_MISSING. */
  keep(keptFor: KeptFor, snapshot: SnapshotId): Promise<void>;
  /** Notes what a checkpoint is called now, so that a label keeps its files; an empty label lets go. */
  label(session: SessionId, checkpoint: number, label: string): Promise<void>;
  close(): Promise<void>;
}

export interface PathState {
  readonly path: PathBytes;
  readonly state: FileState;
}

/** What a snapshot is kept for: decides how long it is, when room gets short. */
export type KeptFor =
  | {
      readonly session: SessionId;
      readonly checkpoint: number;
      readonly on: "prompt" | "manual" | "step";
      readonly label?: string;
    }
  /** What a journey left, and what it led to. */
  | { readonly session: SessionId; readonly journey: "left" | "reached" };

export interface CaptureRequest {
  /** Without this it is not kept: the next gc may let it go. */
  readonly keptFor?: KeptFor;
  /**
   * "everything": looks at all of it, as is always done before a restore. Paths: only at these, because the caller knows
   * that nothing else was changed; of a folder, at what stands in it, and at all of a new one.
   */
  readonly look: "everything" | readonly PathBytes[];
  readonly onProgress?: (progress: CaptureProgress) => void;
  readonly signal?: AbortSignal;
}

export interface CaptureProgress {
  /** "storing" begins when everything has been looked at: then it is known what there is. */
  readonly phase: "looking" | "storing";
  readonly files: number;
  readonly bytes: number;
  /** 0 while that is not known yet. */
  readonly ofFiles: number;
  readonly ofBytes: number;
}

export interface Captured {
  readonly snapshot: SnapshotId;
  readonly state: "complete" | "partial";
  /** What made it partial. */
  readonly gaps: readonly Gap[];
  /** What git had checked out, where the folder is a repository: `main 1a2b3c…`, or a commit. */
  readonly gitHead?: string;
}

export interface Gap {
  readonly path: PathBytes;
  readonly why: LeftOut;
}

/** One change that the outside made to a file. */
export interface Edit {
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

/** One thing to do: the path is now as `before`, and is to be as `after`. */
export type RestoreStep = PathChange;

export interface RestoreRequest {
  readonly session: SessionId;
  /** What identifies the journey in the log, so that what a crash cuts off can be told from what never began. */
  readonly journey: { readonly from: string; readonly left: SnapshotId };
  readonly steps: readonly RestoreStep[];
  /** Called when the journal is durable and before anything is written: the moment to write the log. */
  readonly commit: () => Promise<void>;
  readonly finished?: RestoreFinished;
  readonly onProgress?: (done: number, of: number) => void;
}

/**
 * Called when everything is written and before the journal goes: the moment to write the end into the log. Should it
 * reject, the restore stays unfinished. Nobody else has the workspace yet, so it is captured with what is given here.
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
  /** How it was restored, where its old content was not simply put back; "not-restorable": it is gone, and was never captured; "parent-changed": its folder was replaced meanwhile. */
  readonly detail?: OutcomeDetail;
  /** A folder comes and goes with what it holds: people count files. */
  readonly kind?: "folder";
  /** Why it was kept or failed, or what else there is to say, such as that a hard link came apart; see `Remark`. */
  readonly why?: string;
  readonly reason?: string;
  readonly params?: Json;
}
