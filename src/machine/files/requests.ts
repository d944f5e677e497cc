import type { FileRewinder, RewinderLimit } from "../../ports/file-rewinder.ts";
import type { CaptureProgress, PathOutcome } from "../../ports/workspace-files.ts";
import type { Author, Choice, Scope } from "../../record/entry.ts";
import type { Remark, WorldlineError } from "../../record/error.ts";
import type { OutcomeCounts, PathBytes, PathChange } from "../../record/files.ts";
import type { EntryId, Seq, SessionId, SnapshotId } from "../../record/ids.ts";
import type { FilesPlan } from "../../travel/plan-files.ts";
import type { IntervalFacts } from "./captures.ts";

/** The progress of a journey or a capture. */
export type FilesProgress =
  | ({ readonly doing: "capture" } & CaptureProgress)
  | { readonly doing: "restore"; readonly done: number; readonly of: number };

/** Options for long-running file operations. */
export interface ProgressOptions {
  readonly onProgress?: (progress: FilesProgress) => void;
  /**
   * Cancels a capture, which then rejects with CANCELLED. Once files are being written, a journey can no longer be
   * cancelled.
   */
  readonly signal?: AbortSignal;
}

export interface CaptureOptions extends ProgressOptions {
  readonly checkpoint: number;
  readonly author: Author;
  /**
   * Returns what is known about the interval since the previous state. Called after the files have been captured.
   * Overrides `author`.
   */
  readonly ran?: () => IntervalFacts;
  /** What to check; by default, everything. See `CaptureRequest`. */
  readonly look?: "everything" | readonly PathBytes[];
}

/** The recorded result of capturing a checkpoint's files. */
export type CaptureResult =
  | ({
      readonly state: "complete" | "partial";
      readonly entry: EntryId;
      readonly snapshot: SnapshotId;
      readonly gitHead?: string;
    } & Partial<Remark>)
  | ({ readonly state: "none"; readonly entry: EntryId } & Remark)
  /** The session does not capture files, so nothing was recorded. */
  | { readonly state: "no-files" };

/** The files of a checkpoint: available, not captured yet, never captured, or no longer available. */
export type FilesAt =
  | ({
      readonly state: "complete" | "partial";
      readonly snapshot: SnapshotId;
      /** The log line that records this state. Later lines are examined for changes made after it. */
      readonly line: Seq;
      readonly gitHead?: string;
    } & Partial<Remark>)
  | { readonly state: "pending" }
  | ({ readonly state: "none" } & Remark)
  /**
   * The store has released the snapshot, or the snapshot is on another machine, `machine`. Only the conversation can go
   * back.
   */
  | { readonly state: "let-go"; readonly snapshot: SnapshotId; readonly machine?: string };

/** Which files a journey applies to, and what the journey does with files that were changed from outside. */
export interface FileChoices {
  readonly only?: readonly PathBytes[];
  readonly choice?: Choice;
  readonly choices?: ReadonlyMap<PathBytes, Choice>;
}

export interface JourneyOptions extends FileChoices, ProgressOptions {
  /**
   * Who has changed the files since the last recorded state. By default, `timeline` if a tool has run since that
   * state, and `outside` otherwise.
   */
  readonly author?: Author;
}

export interface SessionRewindOptions extends JourneyOptions {
  readonly to: number;
  readonly scope: Scope;
  /** The other agent that restores the files; absent if the files are restored from our snapshots. */
  readonly rewinder?: FileRewinder;
}

export interface SessionRedoOptions extends JourneyOptions {
  /** The journey to undo; by default, the latest journey, provided that no new work followed it. */
  readonly wanted?: EntryId;
  /**
   * What to restore. By default, whatever the journey moved is restored. If the journey moved only the conversation,
   * "both" also restores the files to their state at the time of the journey.
   */
  readonly scope?: Scope;
}

export type FilesPreviewOptions = JourneyOptions &
  ({ readonly to: number; readonly rewinder?: FileRewinder } | { readonly journey: EntryId });

/** Which files a journey covers. */
export interface Tracked {
  /**
   * "touched": the journey covers only files that tools have written, because the workspace is not captured. The paths
   * of these files are absolute.
   */
  readonly tracked?: "touched";
}

/** What a journey would do to the files. Paths outside the workspace are absolute. */
export interface FilesPreview extends Omit<FilesPlan, "merges" | "merged">, Tracked {
  /** Absent if the workspace's files are not captured. */
  readonly target?: SnapshotId;
  readonly present?: SnapshotId;
  /** The number of steps that delete something. */
  readonly deletions: number;
  readonly gitHead: { readonly target?: string; readonly present?: string };
  /**
   * The other agent that would restore the files; absent if the files would be restored from our snapshots. If another
   * agent restores the files, a `left-out` state in a step means that the state is unknown.
   */
  readonly through?: ExternalRewindPreview;
}

export interface ExternalRewindPreview extends Undoable {
  readonly name: string;
  readonly limits: readonly RewinderLimit[];
}

interface Undoable {
  /** "not-captured": a redo could not restore the files to their state before the journey. */
  readonly undo: "captured" | "not-captured";
}

/** The result of a rewind that used another agent's file checkpoints. */
export interface ExternalRewindOutcome extends Undoable {
  readonly name: string;
  /** The error that the other agent reported, if any. */
  readonly trouble?: WorldlineError;
}

/** What a journey did to the files. Paths outside the workspace are absolute. */
export interface FilesOutcome extends Tracked, OutcomeCounts {
  readonly paths: readonly PathOutcome[];
  /** If only the conversation moved: the paths whose current state differs from their state at the destination. */
  readonly differ: readonly PathChange[];
  readonly through?: ExternalRewindOutcome;
}

/** A restore that was interrupted by a crash and finished when the session was opened, with its outcome. */
export interface SettledRestore {
  readonly session: SessionId;
  /**
   * The journey that the restore was part of. Undefined if `log` is "nowhere", or if the journey never began and the
   * restore was therefore discarded.
   */
  readonly journey?: EntryId;
  /** "nowhere": the session could not be found, so the restore was finished without being recorded. */
  readonly log?: "nowhere";
  readonly paths: readonly PathOutcome[];
}

export interface Settled {
  readonly restores: readonly SettledRestore[];
  /**
   * The reason why some restores could not be finished. Until they are finished, no other files can be restored in this
   * workspace.
   */
  readonly trouble?: WorldlineError;
}
