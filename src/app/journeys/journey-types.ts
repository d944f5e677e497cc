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

/** Rewind and redo, by hand. */
export interface Journeys {
  /** Rejects with TURN_RUNNING while something has the session for itself: to be asked before the person is asked anything. */
  ready(): Promise<void>;
  /** Notes that the menu of checkpoints was opened, in Worldline's activity log and not on the timeline. */
  menuOpened(): Promise<void>;
  /** Of the workspace: this session's first, newest first; then those of all others, by time. Steps are among them. */
  rows(): Promise<readonly CheckpointRow[]>;
  /** The first of them alone, which are there at once. */
  rowsHere(): Promise<readonly CheckpointRow[]>;
  /** The others, executions of programs first, which take a while where there are hundreds of sessions that nobody has looked at yet. */
  rowsElsewhere(): Promise<readonly CheckpointRow[]>;
  /** How many sessions the last look at the others could read nothing of. */
  unreadable(): number;
  /** How many files differ between a row and now; undefined where that cannot be said. */
  changedSince(row: PlaceOfRow): Promise<number | undefined>;
  /** Which scopes a row allows, the default first, and why the others are not. */
  scopes(row: PlaceOfRow): Promise<ScopeOffer>;
  preview(request: RewindRequest, progress?: OnProgress): Promise<JourneyPreview>;
  /** Opens the row's session first, where it is another one. */
  rewind(request: RewindRequest, progress?: OnProgress): Promise<JourneyMade>;
  /** The journeys that can be undone, newest first. */
  redoable(): Promise<readonly RedoRow[]>;
  /** What undoing a journey can bring back, the default first: also the files that a journey of the conversation left. */
  redoScopes(journey: EntryId): Promise<ScopeOffer>;
  previewRedo(request: RedoRequest, progress?: OnProgress): Promise<JourneyPreview>;
  redo(request: RedoRequest, progress?: OnProgress): Promise<JourneyMade>;
  /** The checkpoint before the n-th last prompt or `!command`, which `/undo n` goes back to; rejects where there are not so many. */
  undoTarget(count: number): Promise<CheckpointRow>;
  /** Makes a manual checkpoint here; resolves with its number. */
  save(label: string | undefined, progress?: OnProgress): Promise<number>;
  label(row: PlaceOfRow, label: string): Promise<void>;
  /** Another label of the session that this one is easily taken for. `row`: the place that gets it, if it is there already. */
  lookalike(label: string, row?: PlaceOfRow): Promise<string | undefined>;
  /** The person does not go on with the turn that was cut: it is not asked about again. */
  leaveCut(): Promise<void>;
  /** What still runs in the background of this session. */
  running(): Promise<readonly string[]>;
  stopRunning(): Promise<void>;
}

export interface ScopeOffer {
  readonly scopes: readonly Scope[];
  /** Why files cannot go back, where they cannot. */
  readonly without?: WorldlineError;
}

export interface RewindRequest extends PlaceOfRow, FilesChoice {
  readonly scope: Scope;
}

export interface RedoRequest extends FilesChoice {
  /** Absent: the latest, while nothing new has happened after it. */
  readonly journey?: EntryId;
  /** Absent: what the journey took along. */
  readonly scope?: Scope;
}

export interface FilesChoice {
  /** What becomes of single conflicts, by path as the preview names it; the others are kept. */
  readonly choices?: ReadonlyMap<string, Choice>;
}

export interface JourneyPreview {
  readonly scope: Scope;
  /** Where it leads; absent: the beginning of the session. */
  readonly place: NamedPlace | undefined;
  /** What the conversation leaves behind. */
  readonly entries: number;
  /** Absent where the context is larger there. */
  readonly tokens?: number;
  /** The row is of another session, which is opened for it; the one here is left. */
  readonly opens?: SessionOpened;
  /** Of a redo: something new has happened after the journey that it undoes. */
  readonly newer?: NewerWork;
  readonly files?: FilesPreviewed;
  /** Where the files stay although they were meant to go: why. */
  readonly filesStay?: WorldlineError;
}

/** A journey that is undone although newer work lies after it. */
export interface NewerWork {
  readonly kind: "rewind" | "backtrack" | "redo";
  /** Where the journey had led to. */
  readonly to?: number;
  /** The newest checkpoint of the branch that is left. */
  readonly leaves: number;
}

export interface SessionOpened {
  readonly session: SessionId;
  /** Where it has one. */
  readonly title?: string;
}

export interface FilesPreviewed {
  readonly steps: readonly FileStep[];
  /** What both the journey and somebody else have changed; each is among `steps` or `kept` as well. */
  readonly conflicts: readonly FileConflict[];
  /** Paths that stay as they are, or are gone and cannot be restored, and why. */
  readonly kept: readonly {
    readonly path: string;
    readonly fate: "kept" | "not-restorable";
    readonly why: KeptReason;
  }[];
  /** Of `steps` and `conflicts`, what changed while commands ran, so that it may be the user's. */
  readonly during: readonly DuringTold[];
  /** Of files: folders that go with them are not counted. */
  readonly deletions: number;
  /** Whether more is deleted than `rewind.confirmDeletes` lets pass without a question. */
  readonly consent: "needed" | "given";
  /** git's branch or HEAD, where it is not what it was. */
  readonly git?: { readonly was: string; readonly now: string | undefined };
  /** Only files that tools have written are known here. */
  readonly tracked: "everything" | "touched";
  /** Another agent's own checkpoints take the files back, and not our snapshots. */
  readonly through?: {
    readonly name: string;
    readonly limits: readonly RewinderLimit[];
    /** "not-captured": redo cannot bring back the files that it leaves. */
    readonly undo: "captured" | "not-captured";
  };
}

/** Why a path stays as it is: `sign` and `calls` where something about a running command points to the user. */
export interface KeptReason {
  readonly why: KeptWhy;
  readonly sign?: Sign | undefined;
  readonly calls?: DuringPath["calls"] | undefined;
}

export interface DuringTold {
  readonly path: string;
  /** The commands, as a text: `npm test`. */
  readonly commands: string;
  /** Why it is kept as the user's, where something points to them. */
  readonly kept?: KeptReason;
  /** What changed; absent beyond the first paths. */
  readonly diff?: PathDiff;
}

/** `what` becomes of it where the past is taken. */
export interface FileConflict extends Pick<FileStep, "path" | "what" | "kind"> {
  readonly choice: Choice;
  /** Whether both changes can be merged; "untried": that is known when it is chosen. */
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
  /** The session that was left for it, and the one that is here now, where it led to another. */
  readonly visit?: { readonly left: SessionId; readonly opened: SessionOpened };
  /** The session whose redo goes forward again, where that is not the one here. */
  readonly redo?: SessionId;
  /** The prompt that is to be in the editor again; its images are parts too. */
  readonly prompt?: readonly Part[];
  readonly files?: FilesMade;
  /** Where the files stayed: how many of them are not as they were where the conversation went. */
  readonly differ: number;
}

/** Folders come and go with what they hold, and are not counted. */
export interface FilesMade extends OutcomeCounts {
  /** Those that were kept, could not be restored, or failed, and why. */
  readonly unrestored: readonly ({
    readonly path: string;
    readonly outcome: "kept" | "not-restorable" | "failed";
  } & Remark)[];
  /** What else there is to know, where another agent took the files back. */
  readonly through?: ExternalRewindOutcome;
}

/** A place that undoing a journey returns to. */
export interface RedoRow {
  readonly journey: EntryId;
  readonly kind: "rewind" | "backtrack" | "redo";
  readonly scope: Scope;
  /** `#17 add the export`: the newest checkpoint of the branch that the journey left. */
  readonly place: NamedPlace | undefined;
  /** The checkpoint that the journey led to. */
  readonly to?: number;
  /** When it left. */
  readonly at: number;
  /** "next": `/redo` without a name undoes it. */
  readonly order: "next" | "by-name";
}

export type OnProgress = (progress: JourneyProgress) => void;

export interface JourneyProgress {
  readonly doing: "capture" | "restore";
  readonly done: number;
  readonly of: number;
}
