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
  /** Rejects with TURN_RUNNING while the session is in use, so that the user is not asked for nothing. */
  ready(): Promise<void>;
  /** Records in Worldline's activity log, and not on the timeline, that the user opened the menu of checkpoints. */
  menuOpened(): Promise<void>;
  /**
   * The checkpoint that the user names by its number in this session, by `session:number`, by its label or the id of
   * another agent's message (in this session, otherwise the newest in the workspace), or by its execution. Rejects if
   * there is none.
   */
  find(reference: string): Promise<CheckpointRow>;
  /**
   * The checkpoints of the workspace, including steps: first this session's, newest first, then those of all other
   * sessions by time.
   */
  rows(): Promise<readonly CheckpointRow[]>;
  /** Only the checkpoints of this session, which are available immediately. */
  rowsHere(): Promise<readonly CheckpointRow[]>;
  /**
   * Only the checkpoints of other sessions, executions of programs first. This takes a while if there are hundreds of
   * sessions that were not read before.
   */
  rowsElsewhere(): Promise<readonly CheckpointRow[]>;
  /** How many other sessions could not be read at all when they were last listed. */
  unreadable(): number;
  /** How many files differ between a row and the present; undefined if that is unknown. */
  changedSince(row: PlaceOfRow): Promise<number | undefined>;
  /** The scopes that a row allows, the default first, and why the other scopes are not available. */
  scopes(row: PlaceOfRow): Promise<ScopeOffer>;
  preview(request: RewindRequest, progress?: OnProgress): Promise<JourneyPreview>;
  /** If the row belongs to another session, that session is opened first. */
  rewind(request: RewindRequest, progress?: OnProgress): Promise<JourneyMade>;
  /** The journeys that can be undone, newest first. */
  redoable(): Promise<readonly RedoRow[]>;
  /**
   * The scopes with which a journey can be undone, the default first. Undoing a journey that only moved the
   * conversation can also restore the files that the journey left.
   */
  redoScopes(journey: EntryId): Promise<ScopeOffer>;
  previewRedo(request: RedoRequest, progress?: OnProgress): Promise<JourneyPreview>;
  redo(request: RedoRequest, progress?: OnProgress): Promise<JourneyMade>;
  /**
   * The checkpoint before the n-th last prompt or `!command`, which is where `/undo n` rewinds to; rejects if there are
   * fewer.
   */
  undoTarget(count: number): Promise<CheckpointRow>;
  /**
   * Makes a manual checkpoint here; resolves with its number. Warns if the session has another label that is easily
   * confused with this one.
   */
  save(label: string | undefined, progress?: OnProgress): Promise<number>;
  /** Labels a checkpoint, with the same warning; an empty label removes the current one. */
  label(row: PlaceOfRow, label: string): Promise<void>;
  /** Records that the user does not want to continue the interrupted turn, so that the question is not asked again. */
  leaveCut(): Promise<void>;
  /** The commands of this session that are still running in the background. */
  running(): Promise<readonly string[]>;
  stopRunning(): Promise<void>;
}

export interface ScopeOffer {
  readonly scopes: readonly Scope[];
  /** Why files cannot be restored; absent if they can. */
  readonly without?: WorldlineError;
}

export interface RewindRequest extends PlaceOfRow, FilesChoice {
  readonly scope: Scope;
}

export interface RedoRequest extends FilesChoice {
  /** If absent, the latest journey, unless there is newer work after it. */
  readonly journey?: EntryId;
  /** If absent, the scope of that journey. */
  readonly scope?: Scope;
}

export interface FilesChoice {
  /** Choices for single conflicts, by their names in the preview; the other conflicts are kept. */
  readonly choices?: ReadonlyMap<string, Choice>;
}

export interface JourneyPreview {
  readonly scope: Scope;
  /** The place that the journey leads to; undefined for the beginning of the session. */
  readonly place: NamedPlace | undefined;
  /** How many entries leave the conversation. */
  readonly entries: number;
  /** Absent if the context is larger at that place. */
  readonly tokens?: number;
  /** Present if the row belongs to another session, which is opened in place of the current one. */
  readonly opens?: SessionOpened;
  /** Present for a redo if there is newer work after the journey that it undoes. */
  readonly newer?: NewerWork;
  readonly files?: FilesPreviewed;
  /** Why the files stay, although they should have been restored. */
  readonly filesStay?: WorldlineError;
}

/** A journey that is undone although there is newer work after it. */
export interface NewerWork {
  readonly kind: "rewind" | "backtrack" | "redo";
  /** The checkpoint that the journey had led to. */
  readonly to?: number;
  /** The newest checkpoint of the branch that the redo leaves. */
  readonly leaves: number;
}

export interface SessionOpened {
  readonly session: SessionId;
  /** Absent if the session has no title. */
  readonly title?: string;
}

export interface FilesPreviewed {
  readonly steps: readonly FileStep[];
  /** Paths that both the timeline and the outside changed; each of them is also in `steps` or `kept`. */
  readonly conflicts: readonly FileConflict[];
  /** Paths that are not changed, or no longer exist and cannot be restored, and why. */
  readonly kept: readonly {
    readonly path: string;
    readonly fate: "kept" | "not-restorable";
    readonly why: KeptReason;
  }[];
  /** Paths in `steps` and `conflicts` that changed while commands ran, and that the user may therefore have changed. */
  readonly during: readonly DuringTold[];
  /** Counts files only; folders that are deleted with them are not counted. */
  readonly deletions: number;
  /** "needed": the journey deletes more than `rewind.confirmDeletes` allows without asking. */
  readonly consent: "needed" | "given";
  /** The git branch or HEAD, if it has changed since. */
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
  /** The commands as one text: `npm test`. */
  readonly commands: string;
  /** Why the path is kept; present if there is a sign that the user changed it. */
  readonly kept?: KeptReason;
  /** The change; present only for the first paths. */
  readonly diff?: PathDiff;
}

/** `what`: the change that would be made to the path if it were overwritten with the checkpoint. */
export interface FileConflict extends Pick<FileStep, "path" | "what" | "kind"> {
  readonly choice: Choice;
  /** Whether both changes can be merged; "untried": not known before the user chooses to merge. */
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
  /** The session in which a redo undoes the journey, if it is not the current one. */
  readonly redo?: SessionId;
  /** The prompt to put back into the editor, with its images. */
  readonly prompt?: readonly Part[];
  readonly files?: FilesMade;
  /** If the files were kept: how many of them differ from the place that the conversation moved to. */
  readonly differ: number;
}

/** Folders are not counted, because they come and go with their contents. */
export interface FilesMade extends OutcomeCounts {
  /** Paths that were kept, were not restorable, or failed, and why. */
  readonly unrestored: readonly ({
    readonly path: string;
    readonly outcome: "kept" | "not-restorable" | "failed";
  } & Remark)[];
  /** Present if another agent restored the files: what it reported. */
  readonly through?: ExternalRewindOutcome;
}

/** A place to which undoing a journey returns. */
export interface RedoRow {
  readonly journey: EntryId;
  readonly kind: "rewind" | "backtrack" | "redo";
  readonly scope: Scope;
  /** `#17 add the export`: the newest checkpoint of the branch that the journey left. */
  readonly place: NamedPlace | undefined;
  /** The checkpoint that the journey led to. */
  readonly to?: number;
  /** The time of the journey. */
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
