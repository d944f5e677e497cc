import type { CallReason } from "./call-reason.ts";
import type { OutsideChange } from "./files.ts";
import type { CheckpointNumber, EntryId, Seq, SessionId, SnapshotId } from "./ids.ts";
import type { Json, Part, ReplyPart, TodoItem, Usage } from "./parts.ts";

/** The version of the format in docs/format.md that this program writes. */
export const FORMAT_VERSION = 1;

/**
 * Where the last journey on this branch landed, and the journey's own line. Every later entry repeats
 * it, so that a damaged journey line does not take its landing place with it. Two journeys to one
 * place are two different origins. A pair, because it stands in most lines of a long session.
 */
export type Origin = readonly [place: Seq, journey: Seq];

/** What the owner let go of with `forget`: the rest of the entry stands as it was written. */
export interface Forgotten {
  readonly at: string;
  readonly times: number;
}

export interface EntryBase {
  readonly seq: Seq;
  readonly id: EntryId;
  /** The entry before this one on its branch; null only for the first. */
  readonly parent: EntryId | null;
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
  readonly origin?: Origin;
  readonly forgotten?: Forgotten;
  /** The signature of the home that wrote it; only on entries with authority, and only in a store: src/record/authority.ts. */
  readonly mac?: string;
}

/** The first entry: what stays the same for the whole session. */
export interface SessionBody {
  readonly kind: "session";
  readonly version: number;
  readonly session: SessionId;
  /** The real path of the folder that the session works in. */
  readonly workspace: string;
  /** "agent": with a conversation. "workspace": the folder's own timeline, without one. "execution": the steps of a program. */
  readonly mode: "agent" | "workspace" | "execution";
  /** Frozen here, so that the context's first bytes never change. */
  readonly system: string;
  readonly tag: string;
  /**
   * "quoted": foreign text in notices is quoted, the tag is broken in it however it is spelled, and the system prompt
   * ends with which frames are ours. Absent in older sessions, whose context keeps the form in which it was sent.
   */
  readonly frames?: "quoted";
  readonly backtrack: "on" | "off";
  /** Numbers up to this one belong to the session that this one was forked from. */
  readonly numbersFrom: number;
  readonly forkedFrom?: ForkedFrom;
  readonly imported?: ImportedFrom;
  /** The call that this session does the work of: it is a sub-agent's. */
  readonly task?: TaskOf;
  /** The program's execution whose steps these are. */
  readonly execution?: ExecutionOf;
  readonly estimate: number;
  /** Never written: what a store adds on reading where this home did not write the session. */
  readonly confirmation?: Confirmation;
}

/**
 * Of a session that this home did not write. "needed": nothing may act on it, and it names no folder, no system prompt and no
 * tag of its own. "given": the user confirmed it, for the folder that `workspace` names.
 */
export interface Confirmation {
  readonly state: "needed" | "given";
  /** The first entry as the log has it. */
  readonly stored: EntryOf<"session">;
  /** When it arrived here, or was last worked on here: milliseconds since 1970. What its entries say of it does not count. */
  readonly used?: number;
}

/** What a program calls its execution. Ids are told apart within a scope: the workspace, unless the program names another. */
export interface ExecutionOf {
  readonly id: string;
  readonly scope: string;
}

export interface TaskOf {
  readonly session: SessionId;
  readonly call: string;
}

export interface ForkedFrom {
  readonly session: SessionId;
  readonly entry: EntryId;
}

export interface ImportedFrom {
  readonly from: "kimi-cli" | "bundle";
  readonly name: string;
  /** When it arrived here; absent in older logs. */
  readonly at?: string;
}

export interface PromptBody {
  readonly kind: "prompt";
  readonly parts: readonly Part[];
  readonly estimate: number;
}

/** A checkpoint before a model call. */
export interface StepBody {
  readonly kind: "step";
  readonly number: CheckpointNumber;
  /** How full the context was, in percent, where the window was known. Stored, so that its marker never changes. */
  readonly fill?: number;
  /** As in a checkpoint. */
  readonly original?: number;
}

export interface ReplyBody {
  readonly kind: "reply";
  readonly parts: readonly ReplyPart[];
  readonly model: string;
  /** Only where the reply is not whole: it hit its limit, or the stream was cut or stopped. */
  readonly end?: "length" | "interrupted";
  readonly usage?: Usage;
  readonly estimate: number;
}

/** Written before the tool may change anything. */
export interface ToolStartBody {
  readonly kind: "tool-start";
  readonly call: string;
  readonly name: string;
  /** Only when it differs from what the reply asked for. */
  readonly input?: Json;
  /** The permission rule that the person gave with this call for the rest of the session; going back takes it back. */
  readonly granted?: string;
}

export interface ToolEndBody {
  readonly kind: "tool-end";
  readonly call: string;
  readonly outcome: "ok" | "error" | "denied" | "interrupted";
  readonly parts: readonly Part[];
  /** Why it was denied, for screens; `parts` say it in English. Absent where the user wrote why, and in older logs. */
  readonly denial?: CallReason;
  /** The files whose content the model knows from this call. On the branch, so that going back forgets them too. */
  readonly seen?: readonly Seen[];
  /** What it changed where no snapshot reaches: outside the workspace, or anywhere where the workspace is not captured. */
  readonly outside?: readonly OutsideChange[];
  readonly estimate: number;
}

/** A file as a tool saw it: its absolute path, and the sha256 of its bytes in hex. */
export interface Seen {
  readonly path: string;
  readonly sha256: string;
}

/** Text that we put into the context. `owner` is the prompt whose turn it belongs to. */
export interface NoticeBody {
  readonly kind: "notice";
  readonly text: string;
  readonly owner?: EntryId;
  readonly estimate: number;
}

/** A numbered place. "prompt" ones stand before their prompt, "manual" ones where someone put them. */
export interface CheckpointBody {
  readonly kind: "checkpoint";
  readonly number: CheckpointNumber;
  readonly on: "prompt" | "manual";
  /** What another program called this place, where it was imported from there. */
  readonly original?: number;
}

/** The files of a checkpoint, which follow it when they have been captured. */
export interface SnapshotBody extends IntervalCalls {
  readonly kind: "snapshot";
  readonly checkpoint: CheckpointNumber;
  readonly state: "complete" | "partial" | "none";
  readonly snapshot?: SnapshotId;
  /** Why it is partial, or not there: in English. */
  readonly why?: string;
  /** What `why` was made from, for screens in other languages; absent in older logs. */
  readonly reason?: string;
  readonly params?: Json;
  readonly author: Author;
  readonly gitHead?: string;
  /** The machine that has the snapshot, where the log is kept for several. */
  readonly machine?: string;
}

/**
 * The workspace at a moment inside a turn: immediately before a tool ran, or after it ended. Written only where the
 * files are not as the state before it has them.
 */
export interface IntervalBody extends IntervalCalls {
  readonly kind: "interval";
  readonly snapshot: SnapshotId;
  readonly author: Author;
  /** As in `SnapshotBody`. */
  readonly machine?: string;
}

/** What ran between a state and the one before it. */
export interface IntervalCalls {
  /** The calls that ran, where the interval is the timeline's; absent where a program does not know. */
  readonly during?: readonly RanCall[];
  /** What points to the user for paths that changed while a command ran, a line of JSON each: src/travel/logged-files.ts. */
  readonly signs?: string;
}

/** A call that ran in an interval. */
export interface RanCall {
  readonly call: string;
  /** In one line: the command, or the tool and what it is about. */
  readonly about: string;
  /** The paths that it wrote, where it names all of them, as `limitTexts` writes them. */
  readonly wrote?: readonly string[];
  /** "only": the command is on the list of those that only read. */
  readonly reads?: "only";
  /** "late": the files could not be captured before it began, so what changed before may be among what changed meanwhile. */
  readonly looked?: "late";
}

/**
 * Who changed the files since the state before: what happened inside a step, or by our own restore, is the
 * timeline's. Everything else is somebody else's, and wins.
 */
export type Author = "timeline" | "outside";

/** The agent sent itself back. Nothing is erased: what it left stays reachable through `from`. */
export interface BacktrackBody {
  readonly kind: "backtrack";
  readonly to: CheckpointNumber;
  readonly from: EntryId;
  /** The workspace as the agent left it, so that going back can itself be undone. */
  readonly left?: SnapshotId;
  readonly leftAuthor?: Author;
  readonly leftGitHead?: string;
  /** What is to become of files where no snapshot reaches. Written before any of them is touched; see `restored`. */
  readonly outside?: readonly OutsideChange[];
  readonly files: "keep" | "restore";
  readonly note: string;
  readonly rationale?: string;
  /** The words of the prompt that it returned to, without images; absent where there are none, and in older logs. */
  readonly prompt?: string;
  /** What the model must hear besides its note; copied, so that the context needs this branch alone. */
  readonly prompts: readonly (readonly Part[])[];
  readonly told: readonly string[];
  /** How many more texts the user was told, where `told` has not all of them; absent in older logs. */
  readonly moreTold?: number;
  readonly changed: readonly string[];
  /** How many more paths differ, where `changed` has not all of them; older logs say so in the last line of `changed`. */
  readonly moreChanged?: number;
  readonly running: readonly string[];
  /** How often the agent has now come back to this checkpoint. */
  readonly times: number;
  readonly estimate: number;
}

/** The person went back. */
export interface RewindBody {
  readonly kind: "rewind";
  readonly to: CheckpointNumber;
  readonly from: EntryId;
  readonly scope: Scope;
  readonly left?: SnapshotId;
  readonly leftAuthor?: Author;
  readonly leftGitHead?: string;
  /** As in `BacktrackBody`. */
  readonly outside?: readonly OutsideChange[];
  /** The files and folders that it was limited to; `limitTexts` writes them. */
  readonly only?: readonly string[];
  /** What was to be done with files that the outside had changed, where nothing else was said for one. */
  readonly choice?: Choice;
  /** The other agent whose own file checkpoints the files went back through, where it was not by our snapshots. */
  readonly through?: string;
}

/** What to do with a file that the outside changed: leave it, overwrite it, or put its changes onto the old content. */
export type Choice = "keep" | "take" | "merge";

/** Back to where an earlier journey left from. */
export interface RedoBody {
  readonly kind: "redo";
  readonly journey: EntryId;
  readonly from: EntryId;
  readonly scope: Scope;
  readonly left?: SnapshotId;
  readonly leftAuthor?: Author;
  readonly leftGitHead?: string;
  /** As in `BacktrackBody`. */
  readonly outside?: readonly OutsideChange[];
  /** As in `RewindBody`: undoing what was limited is limited too, however often. */
  readonly only?: readonly string[];
  /** Undoing a backtrack revokes its note, and the model is told that it no longer holds. */
  readonly revokes: "nothing" | "note";
  readonly estimate: number;
}

export type Scope = "both" | "conversation" | "files";

/** What became of each path of a journey; the list can be long and then stands in a blob. */
export interface RestoredBody {
  readonly kind: "restored";
  readonly journey: EntryId;
  /** Without those that the next three count; in older logs, which lack these, with them. */
  readonly restored: number;
  readonly created?: number;
  readonly removed?: number;
  readonly merged?: number;
  /** Without those that are gone and were never captured; in older logs with them. */
  readonly kept: number;
  readonly notRestorable?: number;
  readonly failed: number;
  /** A line of JSON for each path: src/travel/logged-files.ts. */
  readonly paths: string;
  /** The workspace as it was afterwards. */
  readonly snapshot?: SnapshotId;
}

/** From here on `summary` stands for what lies before `firstKept`, in the context only. */
export interface CompactionBody {
  readonly kind: "compaction";
  readonly summary: string;
  readonly firstKept: EntryId;
  /** Older entries that are shown all the same, such as the prompt of the turn that goes on. */
  readonly pinned: readonly EntryId[];
  readonly reason: "asked" | "full" | "too-long";
  readonly focus?: string;
  readonly tokensBefore: number;
  /** The raw estimates of all that is shown from here on: what was kept, and the summary. */
  readonly kept: number;
  /** Who wrote the summary, and what all attempts at it used; absent where no model did. */
  readonly model?: string;
  readonly usage?: Usage;
  readonly estimate: number;
}

export interface TodosBody {
  readonly kind: "todos";
  readonly items: readonly TodoItem[];
}

export interface TitleBody {
  readonly kind: "title";
  readonly title: string;
}

/** Names a checkpoint; an empty label takes the name away. Read over the whole log, not the branch. */
export interface LabelBody {
  readonly kind: "label";
  readonly target: EntryId;
  readonly label: string;
}

/**
 * A step of an execution, as it stood when this was written: begun, done or failed. The last one of an attempt
 * is what holds. Values are JSON, or hold what JSON cannot: src/executions/values.ts.
 */
export interface SavedBody {
  readonly kind: "saved";
  readonly name: string;
  /** The place of the step in its program, from 0. */
  readonly index: number;
  /** Which time it was tried, from 1, over all branches of the log. */
  readonly attempt: number;
  readonly status: "pending" | "success" | "failed";
  readonly state?: Json;
  readonly context?: Json;
  readonly variables?: Json;
  readonly metadata?: Json;
  /** What the step gave back. */
  readonly output?: Json;
  readonly error?: Json;
  /** What the caller decided of an attempt that had begun and of which nothing more is known. */
  readonly decided?: "retry" | "skip" | "fail";
  /** What of the output could not be stored. With "success": `output` is a copy without it. With "pending": the work returned, and nothing of it was stored. */
  readonly unstored?: readonly Unstored[];
}

/** A part of a value that could not be stored: where it was, and what it is. */
export interface Unstored {
  /** Such as `output.rows[0].save`. */
  readonly path: string;
  /**
   * "class": stored as a plain object, without its class; "fields": a list, map or date had this field of its own; "live":
   * a stream, socket or emitter; "unreadable": reading it threw; "nested": it is nested too deeply; "size": it is too large.
   */
  readonly why:
    | "function"
    | "symbol"
    | "promise"
    | "class"
    | "fields"
    | "live"
    | "unreadable"
    | "nested"
    | "size";
  /** The name of the class, where it has one. */
  readonly of?: string;
}

/** A checkpoint of an execution was deleted. Read over the whole log, not the branch: going back does not bring it back. */
export interface CheckpointDeleteBody {
  readonly kind: "checkpoint-delete";
  readonly index: number;
  readonly attempt: number;
}

/** The program said that its execution is done. A step that is written after it on the same branch takes that back. */
export interface ExecutionFinishBody {
  readonly kind: "execution-finish";
}

export interface InterruptBody {
  readonly kind: "interrupt";
  readonly by: "person" | "crash" | "limit";
}

export interface ErrorBody {
  readonly kind: "error";
  readonly code: string;
  /** In English, as is the hint: for models and scripts. */
  readonly message: string;
  readonly hint?: string;
  /** What the message and the hint were made from, for screens in other languages; absent in older logs. */
  readonly reason?: string;
  readonly params?: Json;
}

/** The first entry of every file after the first: where it stands, should the earlier files be lost. */
export interface RotatedBody {
  readonly kind: "rotated";
  readonly file: number;
  readonly session: SessionId;
  readonly version: number;
}

/** The session of another agent that this branch continues in, and how far that one knows the branch. */
export interface HostBody {
  readonly kind: "host";
  readonly host: string;
  readonly hostSession: string;
  /** The other agent's name for its last message on this branch; what follows here it has not heard yet. */
  readonly message?: string;
  /** As in `ToolStartBody`, where that agent asked by itself about a call that had begun. */
  readonly granted?: string;
  /** Which model answers there, as that agent has said; absent until it has, and in older logs. */
  readonly model?: string;
  /** What that model was asked for by, where it was: an alias, or its name. */
  readonly asked?: string;
  /** How many tokens that model's context holds, as that agent has said. */
  readonly window?: number;
}

export type EntryBody =
  | SessionBody
  | PromptBody
  | StepBody
  | ReplyBody
  | ToolStartBody
  | ToolEndBody
  | NoticeBody
  | CheckpointBody
  | SnapshotBody
  | BacktrackBody
  | RewindBody
  | RedoBody
  | RestoredBody
  | CompactionBody
  | TodosBody
  | TitleBody
  | LabelBody
  | SavedBody
  | CheckpointDeleteBody
  | ExecutionFinishBody
  | InterruptBody
  | ErrorBody
  | RotatedBody
  | HostBody
  | IntervalBody;

export type EntryKind = EntryBody["kind"];

/** An entry that is not written yet: the writer gives it its place, its time and its weight. */
export type Draft = WithoutEstimate<EntryBody>;
export type DraftOf<Kind extends EntryKind> = Extract<Draft, { kind: Kind }>;
type WithoutEstimate<Body> = Body extends EntryBody ? Omit<Body, "estimate"> : never;

/** An entry of a kind that a newer program wrote: kept, shown as what it is, and passed over. */
export interface ForeignBody {
  readonly kind: "foreign";
  /** What the line itself calls its kind. */
  readonly foreignKind: string;
  readonly fields: { readonly [field: string]: Json };
}

export type Entry = EntryBase & (EntryBody | ForeignBody);
export type EntryOf<Kind extends EntryKind> = EntryBase & Extract<EntryBody, { kind: Kind }>;

export function isKind<Kind extends EntryKind>(entry: Entry, kind: Kind): entry is EntryOf<Kind> {
  return entry.kind === kind;
}
