import type { CallReason } from "./call-reason.ts";
import type { OutsideChange } from "./files.ts";
import type { CheckpointNumber, EntryId, Seq, SessionId, SnapshotId } from "./ids.ts";
import type { Json, Part, ReplyPart, TodoItem, Usage } from "./parts.ts";

/** The version of the format in docs/format.md that this program writes. */
export const FORMAT_VERSION = 1;

/**
 * Where the last journey on this branch landed, and the journey's own line. Every later entry repeats it, so that a damaged
 * journey line does not lose the place where the journey landed. Two journeys to the same place have different origins. A
 * tuple keeps it short: most lines of a long session hold one.
 */
export type Origin = readonly [place: Seq, journey: Seq];

/** What `forget` removed from the entry. Everything else in the entry is as it was written. */
export interface Forgotten {
  readonly at: string;
  readonly times: number;
}

export interface EntryBase {
  readonly seq: Seq;
  readonly id: EntryId;
  /** The previous entry on its branch; null only for the first entry. */
  readonly parent: EntryId | null;
  /** ISO 8601, in UTC, with milliseconds. */
  readonly at: string;
  readonly origin?: Origin;
  readonly forgotten?: Forgotten;
  /** The signature of the home that wrote the entry; only on entries with authority, and only in a store. See src/record/authority.ts. */
  readonly mac?: string;
}

/** The first entry: what is fixed for the whole session. */
export interface SessionBody {
  readonly kind: "session";
  readonly version: number;
  readonly session: SessionId;
  /** The real path of the folder that the session works in. */
  readonly workspace: string;
  /** "agent": with a conversation. "workspace": the folder's own timeline, without one. "execution": the steps of a program. */
  readonly mode: "agent" | "workspace" | "execution";
  /** Stored here, so that the first bytes of the context never change. */
  readonly system: string;
  readonly tag: string;
  /**
   * "quoted": foreign text in notices is quoted, any spelling of the tag in it is broken, and the system prompt ends by
   * naming the frames that are ours. Absent in older sessions, whose context keeps the form in which it was sent.
   */
  readonly frames?: "quoted";
  readonly backtrack: "on" | "off";
  /** Checkpoint numbers up to this one belong to the session that this one was forked from. */
  readonly numbersFrom: number;
  readonly forkedFrom?: ForkedFrom;
  readonly imported?: ImportedFrom;
  /** The call that this session works on, if it is a sub-agent's session. */
  readonly task?: TaskOf;
  /** The execution whose steps this session records. */
  readonly execution?: ExecutionOf;
  readonly estimate: number;
  /** Never written. A store adds it on reading if this home did not write the session. */
  readonly confirmation?: Confirmation;
}

/**
 * The state of a session that this home did not write. "needed": no code may act on it, and it has no workspace, system
 * prompt or tag of its own. "given": the user confirmed it for the folder in `workspace`.
 */
export interface Confirmation {
  readonly state: "needed" | "given";
  /** The first entry as the log has it. */
  readonly stored: EntryOf<"session">;
  /** When the session arrived here or was last used here, in milliseconds since 1970. The times in its own entries are not trusted. */
  readonly used?: number;
}

/** The id that a program gave its execution. Ids are unique within a scope: the workspace, unless the program names another. */
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
  /** When the session was imported; absent in older logs. */
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
  /** How full the context was, in percent, if the window was known. Stored, so that its marker never changes. */
  readonly fill?: number;
  /** As in `CheckpointBody`. */
  readonly original?: number;
}

export interface ReplyBody {
  readonly kind: "reply";
  readonly parts: readonly ReplyPart[];
  readonly model: string;
  /** Only on an incomplete reply: it hit its limit, or the stream was cut or stopped. */
  readonly end?: "length" | "interrupted";
  readonly usage?: Usage;
  readonly estimate: number;
}

/** Written before the tool may change anything. */
export interface ToolStartBody {
  readonly kind: "tool-start";
  readonly call: string;
  readonly name: string;
  /** Only if it differs from the input that the reply asked for. */
  readonly input?: Json;
  /** The permission rule that the user granted with this call for the rest of the session. Going back to before it revokes it. */
  readonly granted?: string;
}

export interface ToolEndBody {
  readonly kind: "tool-end";
  readonly call: string;
  readonly outcome: "ok" | "error" | "denied" | "interrupted";
  readonly parts: readonly Part[];
  /** Why the call was denied, for screens; `parts` say it in English. Absent if the user wrote the reason, and in older logs. */
  readonly denial?: CallReason;
  /** The files whose content the model knows from this call. On the branch, so that going back also forgets them. */
  readonly seen?: readonly Seen[];
  /** What the call changed that no snapshot covers: outside the workspace, or anywhere if the workspace is not captured. */
  readonly outside?: readonly OutsideChange[];
  readonly estimate: number;
}

/** A file as a tool saw it: its absolute path, and the sha256 of its bytes in hex. */
export interface Seen {
  readonly path: string;
  readonly sha256: string;
}

/** Text of ours in the context. `owner` is the prompt whose turn it belongs to. */
export interface NoticeBody {
  readonly kind: "notice";
  readonly text: string;
  readonly owner?: EntryId;
  readonly estimate: number;
}

/** A numbered place. "prompt": directly before its prompt. "manual": where the user or a program set it. */
export interface CheckpointBody {
  readonly kind: "checkpoint";
  readonly number: CheckpointNumber;
  readonly on: "prompt" | "manual";
  /** What the program that this was imported from called this place. */
  readonly original?: number;
}

/** The files of a checkpoint. Written after the checkpoint, once they have been captured. */
export interface SnapshotBody extends IntervalCalls {
  readonly kind: "snapshot";
  readonly checkpoint: CheckpointNumber;
  readonly state: "complete" | "partial" | "none";
  readonly snapshot?: SnapshotId;
  /** Why the snapshot is partial or missing, in English. */
  readonly why?: string;
  /** What `why` was made from, for screens in other languages; absent in older logs. */
  readonly reason?: string;
  readonly params?: Json;
  readonly author: Author;
  readonly gitHead?: string;
  /** The machine that has the snapshot, if the log is stored for several machines. */
  readonly machine?: string;
}

/**
 * The workspace at a moment inside a turn: immediately before a tool ran, or after it ended. Written only if the files differ
 * from the state before it.
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
  /** The calls that ran, if the author is the timeline; absent where a program does not know them. */
  readonly during?: readonly RanCall[];
  /** Signs that the user changed a path while a command ran, one line of JSON for each: src/travel/logged-files.ts. */
  readonly signs?: string;
}

/** A call that ran in an interval. */
export interface RanCall {
  readonly call: string;
  /** The call in one line: the command, or the tool and what it works on. */
  readonly about: string;
  /** The paths that the call wrote, if it names all of them, as `limitTexts` writes them. */
  readonly wrote?: readonly string[];
  /** "only": the command is on the list of those that only read. */
  readonly reads?: "only";
  /** "late": the files could not be captured before the call began, so changes from before it may be counted as changes during it. */
  readonly looked?: "late";
}

/**
 * Who changed the files since the previous state. What happened inside a step, or by our own restore, is the timeline's.
 * Everything else is from outside, and wins.
 */
export type Author = "timeline" | "outside";

/** The agent sent itself back. Nothing is erased: the entries that it left stay reachable through `from`. */
export interface BacktrackBody {
  readonly kind: "backtrack";
  readonly to: CheckpointNumber;
  readonly from: EntryId;
  /** The workspace as the agent left it, so that going back can itself be undone. */
  readonly left?: SnapshotId;
  readonly leftAuthor?: Author;
  readonly leftGitHead?: string;
  /** What the journey will do with files that no snapshot covers. Written before any of them is touched; see `restored`. */
  readonly outside?: readonly OutsideChange[];
  readonly files: "keep" | "restore";
  readonly note: string;
  readonly rationale?: string;
  /** The text of the prompt that the agent returned to, without images; absent if the prompt has no text, and in older logs. */
  readonly prompt?: string;
  /** The prompts that the model must still see besides its note. Copied, so that the context needs only this branch. */
  readonly prompts: readonly (readonly Part[])[];
  readonly told: readonly string[];
  /** How many more texts the user was shown, if `told` does not hold all of them; absent in older logs. */
  readonly moreTold?: number;
  readonly changed: readonly string[];
  /** How many more paths differ, if `changed` does not hold all of them. Older logs say so in the last line of `changed`. */
  readonly moreChanged?: number;
  readonly running: readonly string[];
  /** How often the agent has returned to this checkpoint, this time included. */
  readonly times: number;
  readonly estimate: number;
}

/** The user went back. */
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
  /** The files and folders that the rewind was limited to, as `limitTexts` writes them. */
  readonly only?: readonly string[];
  /** What to do with files changed from outside that have no choice of their own. */
  readonly choice?: Choice;
  /** The other agent whose own file checkpoints restored the files, if our snapshots did not. */
  readonly through?: string;
}

/** What to do with a file that was changed from outside: leave it, overwrite it, or merge its changes into the old content. */
export type Choice = "keep" | "take" | "merge";

/** Returns to where an earlier journey left from. */
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
  /** As in `RewindBody`: the redo of a limited journey is limited as well, however often it is repeated. */
  readonly only?: readonly string[];
  /** Undoing a backtrack revokes its note: the model is told that the note no longer holds. */
  readonly revokes: "nothing" | "note";
  readonly estimate: number;
}

export type Scope = "both" | "conversation" | "files";

/** The outcome for each path of a journey. The list may be long, and is then stored in a blob. */
export interface RestoredBody {
  readonly kind: "restored";
  readonly journey: EntryId;
  /** Does not include the next three counts; in older logs, which lack those, it does. */
  readonly restored: number;
  readonly created?: number;
  readonly removed?: number;
  readonly merged?: number;
  /** Does not include paths that are gone and were never captured; in older logs it does. */
  readonly kept: number;
  readonly notRestorable?: number;
  readonly failed: number;
  /** One line of JSON for each path: src/travel/logged-files.ts. */
  readonly paths: string;
  /** The workspace as it was afterwards. */
  readonly snapshot?: SnapshotId;
}

/** From here on, `summary` replaces everything before `firstKept`, in the context only. */
export interface CompactionBody {
  readonly kind: "compaction";
  readonly summary: string;
  readonly firstKept: EntryId;
  /** Older entries that the context still shows, such as the prompt of the current turn. */
  readonly pinned: readonly EntryId[];
  readonly reason: "asked" | "full" | "too-long";
  readonly focus?: string;
  readonly tokensBefore: number;
  /** The sum of the raw estimates of everything shown from here on: what was kept, and the summary. */
  readonly kept: number;
  /** The model that wrote the summary, and the usage of all attempts; absent if no model wrote it. */
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

/** Names a checkpoint; an empty label removes the name. Labels are read from the whole log, not only from the branch. */
export interface LabelBody {
  readonly kind: "label";
  readonly target: EntryId;
  readonly label: string;
}

/**
 * A step of an execution in its state at this moment: begun, done or failed. The last entry of an attempt counts. Values are
 * JSON, or encode what JSON cannot hold: src/executions/values.ts.
 */
export interface SavedBody {
  readonly kind: "saved";
  readonly name: string;
  /** The position of the step in its program, from 0. */
  readonly index: number;
  /** The number of the attempt, from 1, over all branches of the log. */
  readonly attempt: number;
  readonly status: "pending" | "success" | "failed";
  readonly state?: Json;
  readonly context?: Json;
  readonly variables?: Json;
  readonly metadata?: Json;
  /** What the step returned. */
  readonly output?: Json;
  readonly error?: Json;
  /** What the caller decided about an attempt that began and whose outcome is unknown. */
  readonly decided?: "retry" | "skip" | "fail";
  /**
   * The parts of the output that could not be stored. With "success", `output` is a copy without them. With "pending", the
   * work returned, but none of its output was stored.
   */
  readonly unstored?: readonly Unstored[];
}

/** A part of a value that could not be stored: where it was, and why. */
export interface Unstored {
  /** For example, `output.rows[0].save`. */
  readonly path: string;
  /**
   * "class": stored as a plain object, without its class; "fields": a list, map or date had an extra field; "live": a stream,
   * socket or emitter; "unreadable": reading it threw; "nested": nested too deeply; "size": too large.
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
  /** The name of its class, if it has one. */
  readonly of?: string;
}

/** A checkpoint of an execution was deleted. Read from the whole log, not only from the branch: going back does not restore it. */
export interface CheckpointDeleteBody {
  readonly kind: "checkpoint-delete";
  readonly index: number;
  readonly attempt: number;
}

/** The program marked its execution as done. A step that is written after this on the same branch reopens it. */
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
  /** In English, like the hint: for models and scripts. */
  readonly message: string;
  readonly hint?: string;
  /** What the message and the hint were made from, for screens in other languages; absent in older logs. */
  readonly reason?: string;
  readonly params?: Json;
}

/** The first entry of every log file after the first. It identifies the session in case the earlier files are lost. */
export interface RotatedBody {
  readonly kind: "rotated";
  readonly file: number;
  readonly session: SessionId;
  readonly version: number;
}

/** The session of another agent that this branch continues in, and how much of the branch that agent knows. */
export interface HostBody {
  readonly kind: "host";
  readonly host: string;
  readonly hostSession: string;
  /** The other agent's id for its last message on this branch. It has not yet received the entries after this one. */
  readonly message?: string;
  /** As in `ToolStartBody`, if that agent itself asked about a call that had already begun. */
  readonly granted?: string;
  /** The model that answers there, as reported by that agent; absent until reported, and in older logs. */
  readonly model?: string;
  /** The name or alias by which that model was requested, if it was. */
  readonly asked?: string;
  /** The size of that model's context in tokens, as reported by that agent. */
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

/** An entry that is not written yet: the writer adds its position, time and estimate. */
export type Draft = WithoutEstimate<EntryBody>;
export type DraftOf<Kind extends EntryKind> = Extract<Draft, { kind: Kind }>;
type WithoutEstimate<Body> = Body extends EntryBody ? Omit<Body, "estimate"> : never;

/** An entry of a kind that a newer program wrote. It is kept and can be shown, but is otherwise skipped. */
export interface ForeignBody {
  readonly kind: "foreign";
  /** The kind in the line itself. */
  readonly foreignKind: string;
  readonly fields: { readonly [field: string]: Json };
}

export type Entry = EntryBase & (EntryBody | ForeignBody);
export type EntryOf<Kind extends EntryKind> = EntryBase & Extract<EntryBody, { kind: Kind }>;

export function isKind<Kind extends EntryKind>(entry: Entry, kind: Kind): entry is EntryOf<Kind> {
  return entry.kind === kind;
}
