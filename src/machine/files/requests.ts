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

/** Options of operations on files that take time. */
export interface ProgressOptions {
  readonly onProgress?: (progress: FilesProgress) => void;
  /** Cancels a capture, with CANCELLED. Once files are being written, the journey is finished. */
  readonly signal?: AbortSignal;
}

export interface CaptureOptions extends ProgressOptions {
  readonly checkpoint: number;
  readonly author: Author;
  /** What ran since the previous state. Called after the files were captured, and used instead of `author`. */
  readonly ran?: () => IntervalFacts;
  /** Everything by default; see `CaptureRequest`. */
  readonly look?: "everything" | readonly PathBytes[];
}

/** What was recorded about the files of a checkpoint. */
export type CaptureResult =
  | ({
      readonly state: "complete" | "partial";
      readonly entry: EntryId;
      readonly snapshot: SnapshotId;
      readonly gitHead?: string;
    } & Partial<Remark>)
  | ({ readonly state: "none"; readonly entry: EntryId } & Remark)
  /** The session has no files, so nothing was recorded. */
  | { readonly state: "no-files" };

/** The files of a checkpoint: available, not captured yet, never captured, or no longer available. */
export type FilesAt =
  | ({
      readonly state: "complete" | "partial";
      readonly snapshot: SnapshotId;
      /** The line of the entry that says so: what came later is examined from here on. */
      readonly line: Seq;
      readonly gitHead?: string;
    } & Partial<Remark>)
  | { readonly state: "pending" }
  | ({ readonly state: "none" } & Remark)
  /** The store released it, or another machine has it, which is then named: only the conversation can go back. */
  | { readonly state: "let-go"; readonly snapshot: SnapshotId; readonly machine?: string };

/** What to do with files that were changed from outside, and which files the journey applies to. */
export interface FileChoices {
  readonly only?: readonly PathBytes[];
  readonly choice?: Choice;
  readonly choices?: ReadonlyMap<PathBytes, Choice>;
}

export interface JourneyOptions extends FileChoices, ProgressOptions {
  /** Who changed the files since the last state. By default the timeline if a tool ran since then, otherwise the outside. */
  readonly author?: Author;
}

export interface SessionRewindOptions extends JourneyOptions {
  readonly to: number;
  readonly scope: Scope;
  /** The agent that restores the files, if our snapshots do not. */
  readonly through?: FileRewinder;
}

export interface SessionRedoOptions extends JourneyOptions {
  /** Absent: the latest journey, if no new work came after it. */
  readonly wanted?: EntryId;
  /**
   * What to restore, if it differs from what the journey took along. "both" also restores the files as they were when a
   * journey of the conversation alone was made.
   */
  readonly scope?: Scope;
}

export type FilesPreviewOptions = JourneyOptions &
  ({ readonly to: number; readonly through?: FileRewinder } | { readonly journey: EntryId });

/** Which files a journey covers. */
export interface Tracked {
  /** "touched": only those that tools have written, because the workspace is not captured. Paths are then absolute. */
  readonly tracked?: "touched";
}

/** What a journey would do to the files. Paths outside the workspace are absolute. */
export interface FilesPreview extends Omit<FilesPlan, "merges" | "merged">, Tracked {
  /** Absent if the workspace's files are not captured. */
  readonly target?: SnapshotId;
  readonly present?: SnapshotId;
  /** How many of the steps remove something. */
  readonly deletions: number;
  readonly gitHead: { readonly target?: string; readonly present?: string };
  /** The agent that would restore the files, if our snapshots would not. A `left-out` state in a step then means that it is unknown. */
  readonly through?: ExternalRewindPreview;
}

export interface ExternalRewindPreview extends Undoable {
  readonly name: string;
  readonly limits: readonly RewinderLimit[];
}

interface Undoable {
  /** "not-captured": a redo cannot restore the files that the journey leaves. */
  readonly undo: "captured" | "not-captured";
}

/** The result of a rewind by another agent. */
export interface ExternalRewindOutcome extends Undoable {
  readonly name: string;
  /** Why it failed, if it reported a failure. */
  readonly trouble?: WorldlineError;
}

/** What a journey did to the files. Paths outside the workspace are absolute. */
export interface FilesOutcome extends Tracked, OutcomeCounts {
  readonly paths: readonly PathOutcome[];
  /** If the files stayed: what differs from their state where the conversation went. */
  readonly differ: readonly PathChange[];
  readonly through?: ExternalRewindOutcome;
}

/** A restore that a crash had cut off, and its outcome when the session was opened. */
export interface SettledRestore {
  readonly session: SessionId;
  /** The journey that it belonged to; undefined if the journey never began and the restore was discarded, or if `log` is "nowhere". */
  readonly journey?: EntryId;
  /** "nowhere": the session could not be found, so the restore was finished without being recorded. */
  readonly log?: "nowhere";
  readonly paths: readonly PathOutcome[];
}

export interface Settled {
  readonly restores: readonly SettledRestore[];
  /** Why not all restores could be finished; until they are, no files can be restored here. */
  readonly trouble?: WorldlineError;
}
