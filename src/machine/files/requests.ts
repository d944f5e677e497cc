import type { FileRewinder, RewinderLimit } from "../../ports/file-rewinder.ts";
import type { CaptureProgress, PathOutcome } from "../../ports/workspace-files.ts";
import type { Author, Choice, Scope } from "../../record/entry.ts";
import type { Remark, WorldlineError } from "../../record/error.ts";
import type { OutcomeCounts, PathBytes, PathChange } from "../../record/files.ts";
import type { EntryId, Seq, SessionId, SnapshotId } from "../../record/ids.ts";
import type { FilesPlan } from "../../travel/plan-files.ts";
import type { IntervalFacts } from "./captures.ts";

/** How far a journey or a capture has come. */
export type FilesProgress =
  | ({ readonly doing: "capture" } & CaptureProgress)
  | { readonly doing: "restore"; readonly done: number; readonly of: number };

/** For whatever takes its time with files. */
export interface ProgressOptions {
  readonly onProgress?: (progress: FilesProgress) => void;
  /** Stops a capture with CANCELLED. Once files are being written, the journey is finished. */
  readonly signal?: AbortSignal;
}

export interface CaptureOptions extends ProgressOptions {
  readonly checkpoint: number;
  readonly author: Author;
  /** What ran since the state before; asked when the files have been captured, and then in place of `author`. */
  readonly ran?: () => IntervalFacts;
  /** By default everything; see `CaptureRequest`. */
  readonly look?: "everything" | readonly PathBytes[];
}

/** What was written down about the files of a checkpoint. */
export type CaptureResult =
  | ({
      readonly state: "complete" | "partial";
      readonly entry: EntryId;
      readonly snapshot: SnapshotId;
      readonly gitHead?: string;
    } & Partial<Remark>)
  | ({ readonly state: "none"; readonly entry: EntryId } & Remark)
  /** The session has no files, so nothing was written. */
  | { readonly state: "no-files" };

/** The files of a checkpoint: there, not yet, never, or no more. */
export type FilesAt =
  | ({
      readonly state: "complete" | "partial";
      readonly snapshot: SnapshotId;
      /** Of the entry that says so: what came later is judged from here on. */
      readonly line: Seq;
      readonly gitHead?: string;
    } & Partial<Remark>)
  | { readonly state: "pending" }
  | ({ readonly state: "none" } & Remark)
  /** The store let it go, or another machine has it, which is named: conversation only. */
  | { readonly state: "let-go"; readonly snapshot: SnapshotId; readonly machine?: string };

/** What to do with files that the outside changed, and which files it is about. */
export interface FileChoices {
  readonly only?: readonly PathBytes[];
  readonly choice?: Choice;
  readonly choices?: ReadonlyMap<PathBytes, Choice>;
}

export interface JourneyOptions extends FileChoices, ProgressOptions {
  /** Who changed the files since the last state; by default the timeline where a tool ran since, else the outside. */
  readonly author?: Author;
}

export interface SessionRewindOptions extends JourneyOptions {
  readonly to: number;
  readonly scope: Scope;
  /** Who takes the files back, where it is not our snapshots. */
  readonly through?: FileRewinder;
}

export interface SessionRedoOptions extends JourneyOptions {
  /** Absent: the latest, while nothing new has happened after it. */
  readonly wanted?: EntryId;
  /**
   * What goes, where that is not what the journey took along. "both" also brings back the files as they were when a journey of
   * the conversation alone was made.
   */
  readonly scope?: Scope;
}

export type FilesPreviewOptions = JourneyOptions &
  ({ readonly to: number; readonly through?: FileRewinder } | { readonly journey: EntryId });

/** Which files a journey knows of. */
export interface Tracked {
  /** "touched": only those that tools have written, because the workspace is not captured. Paths are absolute then. */
  readonly tracked?: "touched";
}

/** What a journey would do to the files. Paths outside the workspace are absolute. */
export interface FilesPreview extends Omit<FilesPlan, "merges" | "merged">, Tracked {
  /** Absent where the workspace's files are not captured. */
  readonly target?: SnapshotId;
  readonly present?: SnapshotId;
  /** How many of the steps remove something. */
  readonly deletions: number;
  readonly gitHead: { readonly target?: string; readonly present?: string };
  /** Who would take the files back, where it is not our snapshots. What is `left-out` of a step is not known then. */
  readonly through?: ExternalRewindPreview;
}

export interface ExternalRewindPreview extends Undoable {
  readonly name: string;
  readonly limits: readonly RewinderLimit[];
}

interface Undoable {
  /** "not-captured": redo cannot bring back the files that it leaves. */
  readonly undo: "captured" | "not-captured";
}

/** How that went. */
export interface ExternalRewindOutcome extends Undoable {
  readonly name: string;
  /** Why it failed, where it says so. */
  readonly trouble?: WorldlineError;
}

/** What a journey did to the files. Paths outside the workspace are absolute. */
export interface FilesOutcome extends Tracked, OutcomeCounts {
  readonly paths: readonly PathOutcome[];
  /** Where the files stayed: what is not as it was where the conversation went. */
  readonly differ: readonly PathChange[];
  readonly through?: ExternalRewindOutcome;
}

/** A restore that a crash had cut off, and what became of it when the session was opened. */
export interface SettledRestore {
  readonly session: SessionId;
  /** The journey that it belonged to; undefined when it never began, and was dropped, or `log` is nowhere. */
  readonly journey?: EntryId;
  /** "nowhere": the session could not be found, so it was finished without being written down. */
  readonly log?: "nowhere";
  readonly paths: readonly PathOutcome[];
}

export interface Settled {
  readonly restores: readonly SettledRestore[];
  /** Why not all could be finished; until then no files are restored here. */
  readonly trouble?: WorldlineError;
}
