import type { ExternalRewindOutcome } from "../../machine/files/requests.ts";
import type { RewinderLimit } from "../../ports/file-rewinder.ts";
import type { Choice, Scope } from "../../record/entry.ts";
import type { Remark, WorldlineError } from "../../record/error.ts";
import type { OutcomeCounts } from "../../record/files.ts";
import type { EntryId, SessionId } from "../../record/ids.ts";
import type { Part } from "../../record/parts.ts";
import type { Sign } from "../../travel/logged-files.ts";
import type { DuringPath, KeptWhy } from "../../travel/plan-files.ts";
import type { CheckpointRow, NamedPlace, PlaceOfRow } from "../checkpoints/checkpoint-rows.ts";
import type { PathDiff } from "../files/changes.ts";

/** The journeys that the user can make: rewind and redo. */
export interface Journeys {
  /** Rejects with TURN_RUNNING while the session is in use, so that the user is not asked unnecessarily. */
  ready(): Promise<void>;
  /** Records in Worldline's activity log (not on the timeline) that the user opened the checkpoint menu. */
  menuOpened(): Promise<void>;
  /**
   * Finds the checkpoint that the user specified by its number in this session, `session:number`, a label, another
   * agent's message id, or an execution's id. Labels and message ids are looked up in this session first, and then in
   * the rest of the workspace, where the newest match wins. Rejects if there is no match.
   */
  find(reference: string): Promise<CheckpointRow>;
  /**
   * Lists the checkpoints in the workspace, including steps. This session's checkpoints come first, followed by the
   * checkpoints in all other sessions. Each of the two groups is sorted newest first.
   */
  rows(): Promise<readonly CheckpointRow[]>;
  /** Lists only this session's checkpoints, which are available immediately. */
  rowsHere(): Promise<readonly CheckpointRow[]>;
  /**
   * Lists only the checkpoints in other sessions, program executions first. The call takes a while if hundreds of
   * sessions have not been read before.
   */
  rowsElsewhere(): Promise<readonly CheckpointRow[]>;
  /** Returns the number of other sessions that could not be read at all when they were last listed. */
  unreadable(): number;
  /** Counts the files that differ between a row and the present. Resolves with undefined if the number is unknown. */
  changedSince(row: PlaceOfRow): Promise<number | undefined>;
  /** Returns the scopes that a row allows, the default first, and why the other scopes are not available. */
  scopes(row: PlaceOfRow): Promise<ScopeOffer>;
  preview(request: RewindRequest, progress?: OnProgress): Promise<JourneyPreview>;
  /** Rewinds to a row. If the row belongs to another session, that session is opened first. */
  rewind(request: RewindRequest, progress?: OnProgress): Promise<JourneyMade>;
  /** Lists the journeys that can be undone, newest first. */
  redoable(): Promise<readonly RedoRow[]>;
  /**
   * Returns the possible scopes for undoing a journey, the default first. Undoing a journey that moved only the
   * conversation can also restore the files that the journey left.
   */
  redoScopes(journey: EntryId): Promise<ScopeOffer>;
  previewRedo(request: RedoRequest, progress?: OnProgress): Promise<JourneyPreview>;
  redo(request: RedoRequest, progress?: OnProgress): Promise<JourneyMade>;
  /**
   * Returns the checkpoint that `/undo n` rewinds to: the one before the nth-to-last prompt or `!command`. Rejects if
   * the branch has fewer prompts and commands.
   */
  undoTarget(count: number): Promise<CheckpointRow>;
  /**
   * Makes a manual checkpoint at the head, and resolves with its number. Warns if the session has another label that is
   * easily confused with this one.
   */
  save(label: string | undefined, progress?: OnProgress): Promise<number>;
  /** Labels a checkpoint, with the same warning as `save`. An empty label removes the current one. */
  label(row: PlaceOfRow, label: string): Promise<void>;
  /** Records that the user does not want to continue the interrupted turn, so that the user is not asked again. */
  leaveCut(): Promise<void>;
  /** Lists this session's commands that are still running in the background. */
  running(): Promise<readonly string[]>;
  stopRunning(): Promise<void>;
}

export interface ScopeOffer {
  readonly scopes: readonly Scope[];
  /** Why files cannot be restored; absent if they can be. */
  readonly without?: WorldlineError;
}

export interface RewindRequest extends PlaceOfRow, FilesChoice {
  readonly scope: Scope;
}

export interface RedoRequest extends FilesChoice {
  /** The journey to undo; by default, the latest one, unless there is newer work after it. */
  readonly journey?: EntryId;
  /** The scope of the redo; by default, the scope of the journey that it undoes. */
  readonly scope?: Scope;
}

export interface FilesChoice {
  /** Choices for individual conflicts, by their names in the preview. For all other conflicts, the files are kept. */
  readonly choices?: ReadonlyMap<string, Choice>;
}

export interface JourneyPreview {
  readonly scope: Scope;
  /** The place that the journey leads to; undefined for the beginning of the session. */
  readonly place: NamedPlace | undefined;
  /** Number of entries that are removed from the conversation. */
  readonly entries: number;
  /** Number of tokens that are freed; absent if the context is larger at the place that the journey leads to. */
  readonly tokens?: number;
  /** Present if the row belongs to another session, which is opened in place of the current one. */
  readonly opens?: SessionOpened;
  /** Present for a redo if newer work was done after the journey that it undoes. */
  readonly newer?: NewerWork;
  readonly files?: FilesPreviewed;
  /** Why the files are left as they are, although the user wanted to restore them. */
  readonly filesStay?: WorldlineError;
}

/** A journey that is undone although newer work was done after it. */
export interface NewerWork {
  readonly kind: "rewind" | "backtrack" | "redo";
  /** The checkpoint that the undone journey led to. */
  readonly to?: number;
  /** The newest checkpoint on the branch that the redo leaves. */
  readonly leaves: number;
}

export interface SessionOpened {
  readonly session: SessionId;
  /** The session's title; absent if it has none. */
  readonly title?: string;
}

export interface FilesPreviewed {
  readonly steps: readonly FileStep[];
  /** Paths that were changed both in the timeline and outside it; each of them is also in `steps` or `kept`. */
  readonly conflicts: readonly FileConflict[];
  /** Paths that are left as they are or cannot be restored, with the reasons. */
  readonly kept: readonly {
    readonly path: string;
    readonly fate: "kept" | "not-restorable";
    readonly why: KeptReason;
  }[];
  /** Paths in `steps` and `conflicts` that changed while commands ran, and that the user may therefore have changed. */
  readonly during: readonly DuringTold[];
  /** Number of files that are deleted. Folders that are deleted with them are not counted. */
  readonly deletions: number;
  /** "needed": the journey deletes more than `rewind.confirmDeletes` allows without asking. */
  readonly consent: "needed" | "given";
  /** The git branch or HEAD, if it has changed since the checkpoint. */
  readonly git?: { readonly was: string; readonly now: string | undefined };
  /** "touched": only files that tools have written are tracked. */
  readonly tracked: "everything" | "touched";
  /** Present if another agent's own checkpoints restore the files instead of our snapshots. */
  readonly through?: {
    readonly name: string;
    readonly limits: readonly RewinderLimit[];
    /** "not-captured": a redo cannot restore the files that this journey replaces. */
    readonly undo: "captured" | "not-captured";
  };
}

/** Why a path is kept. `sign` and `calls` are present if the user probably changed the path while a command ran. */
export interface KeptReason {
  readonly why: KeptWhy;
  readonly sign?: Sign | undefined;
  readonly calls?: DuringPath["calls"] | undefined;
}

export interface DuringTold {
  readonly path: string;
  /** The commands as a single string, such as `npm test`. */
  readonly commands: string;
  /** Why the path is kept; present if there is a sign that the user changed it. */
  readonly kept?: KeptReason;
  /** The change to the path; present only for the first paths. */
  readonly diff?: PathDiff;
}

/**
 * A conflict. `what`: the change that would be made to the path if it were overwritten with the checkpoint's version.
 */
export interface FileConflict extends Pick<FileStep, "path" | "what" | "kind"> {
  readonly choice: Choice;
  /** Whether both changes can be merged; "untried": unknown until the user chooses to merge. */
  readonly merge: "clean" | "unclean" | "untried";
}

export interface FileStep {
  readonly path: string;
  readonly what: "created" | "deleted" | "changed" | "mode" | "kind";
  readonly kind: "file" | "folder" | "link";
  readonly added?: number;
  readonly removed?: number;
}

export interface JourneyMade {
  readonly journey: EntryId;
  readonly scope: Scope;
  readonly place: NamedPlace | undefined;
  /** Present if the journey led to another session: the session that was left, and the one that was opened. */
  readonly visit?: { readonly left: SessionId; readonly opened: SessionOpened };
  /** The session where the redo takes place, if that is not the current session. */
  readonly redo?: SessionId;
  /** The prompt to put back into the editor, with its images. */
  readonly prompt?: readonly Part[];
  readonly files?: FilesMade;
  /** Number of files that differ from the place that the conversation moved to, if the files were kept. */
  readonly differ: number;
}

/** The outcome of a journey for the files. Folders are not counted, because they come and go with their contents. */
export interface FilesMade extends OutcomeCounts {
  /** Paths that were kept, were not restorable, or failed, with the reasons. */
  readonly unrestored: readonly ({
    readonly path: string;
    readonly outcome: "kept" | "not-restorable" | "failed";
  } & Remark)[];
  /** What the other agent reported, if another agent restored the files. */
  readonly through?: ExternalRewindOutcome;
}

/** A journey that can be undone, and the place that undoing it returns to. */
export interface RedoRow {
  readonly journey: EntryId;
  readonly kind: "rewind" | "backtrack" | "redo";
  readonly scope: Scope;
  /** The newest checkpoint on the branch that the journey left, such as `#17 add the export`. */
  readonly place: NamedPlace | undefined;
  /** The checkpoint that the journey led to. */
  readonly to?: number;
  /** When the journey was performed. */
  readonly at: number;
  /** "next": `/redo` without an argument undoes this journey. */
  readonly order: "next" | "by-name";
}

export type OnProgress = (progress: JourneyProgress) => void;

export interface JourneyProgress {
  readonly doing: "capture" | "restore";
  readonly done: number;
  readonly of: number;
}
