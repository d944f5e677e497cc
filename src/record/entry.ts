import type { CallReason } from "./call-reason.ts";
import type { OutsideChange } from "./files.ts";
import type { CheckpointNumber, EntryId, Seq, SessionId, SnapshotId } from "./ids.ts";
import type { Json, Part, ReplyPart, TodoItem, Usage } from "./parts.ts";

/** The version of the format in docs/format.md that this program writes. */
export const FORMAT_VERSION = 1;

/**
 * Where the last journey on this branch landed, and the line of the journey itself. Every later entry repeats both, so
 * that the place where the journey landed is not lost if the journey's line is damaged, and two journeys to the same
 * place can be distinguished. A tuple keeps the origin short, because most lines of a long session contain one.
 */
export type Origin = readonly [place: Seq, journey: Seq];

/** Records that `forget` removed text from the entry. Everything else in the entry is unchanged. */
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
  /**
   * The signature of the home that wrote the entry. Only entries with authority have one, and only in a store. See
   * src/record/authority.ts.
   */
  readonly mac?: string;
}

/** The first entry of a session. Its contents apply to the whole session. */
export interface SessionBody {
  readonly kind: "session";
  readonly version: number;
  readonly session: SessionId;
  /** The real path of the folder that the session works in. */
  readonly workspace: string;
  /**
   * "agent": the session has a conversation. "workspace": it is the folder's own timeline, without a conversation.
   * "execution": it records the steps of a program.
   */
  readonly mode: "agent" | "workspace" | "execution";
  /** The system prompt. It is stored, so that the beginning of the context never changes. */
  readonly system: string;
  readonly tag: string;
  /**
   * "quoted": notices quote foreign text, in which any spelling of the tag is broken up, and the end of the system
   * prompt states which frames are ours. Absent in older sessions, whose context keeps the form in which it was sent.
   */
  readonly frames?: "quoted";
  readonly backtrack: "on" | "off";
  /** Checkpoint numbers up to this number belong to the session that this session was forked from. */
  readonly numbersFrom: number;
  readonly forkedFrom?: ForkedFrom;
  readonly imported?: ImportedFrom;
  /** The call that a sub-agent's session works on; absent for other sessions. */
  readonly task?: TaskOf;
  /** The execution whose steps this session records. */
  readonly execution?: ExecutionOf;
  readonly estimate: number;
  /** Never stored in a log. A store adds it when it reads a session that this home did not write. */
  readonly confirmation?: Confirmation;
}

/**
 * The state of a session that this home did not write. "needed": the user has not confirmed the session, so no code
 * may act on it, and the log's workspace, system prompt, and tag are withheld. "given": the user has confirmed the
 * session for the folder in `workspace`.
 */
export interface Confirmation {
  readonly state: "needed" | "given";
  /** The session's first entry as it is in the log. */
  readonly stored: EntryOf<"session">;
  /**
   * When this home received the session or last used it, in milliseconds since 1970, because the times in its entries
   * cannot be trusted.
   */
  readonly used?: number;
}

/**
 * Identifies an execution by the id that the program gave it. Ids are unique within a scope, which is the workspace
 * unless the program names another scope.
 */
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

/** A checkpoint that is created before each model call. */
export interface StepBody {
  readonly kind: "step";
  readonly number: CheckpointNumber;
  /**
   * How full the context was, in percent; absent if the size of the window was unknown. It is stored, so that the
   * marker in the context never changes.
   */
  readonly fill?: number;
  /** As in `CheckpointBody`. */
  readonly original?: number;
}

export interface ReplyBody {
  readonly kind: "reply";
  readonly parts: readonly ReplyPart[];
  readonly model: string;
  /**
   * Why the reply is incomplete: it hit its length limit, or the stream broke or was stopped. Absent for complete
   * replies.
   */
  readonly end?: "length" | "interrupted";
  readonly usage?: Usage;
  readonly estimate: number;
}

/** Begins a call. Written before the tool can change anything. */
export interface ToolStartBody {
  readonly kind: "tool-start";
  readonly call: string;
  readonly name: string;
  /** The input that the tool ran with; absent if it is the input in the reply. */
  readonly input?: Json;
  /**
   * The permission rule that the user granted with this call for the rest of the session. The grant is revoked by a
   * journey to a place before the call.
   */
  readonly granted?: string;
}

export interface ToolEndBody {
  readonly kind: "tool-end";
  readonly call: string;
  readonly outcome: "ok" | "error" | "denied" | "interrupted";
  readonly parts: readonly Part[];
  /**
   * Why the call was denied, as a code for screens; `parts` contain the reason in English. Absent if the user wrote
   * the reason, and in older logs.
   */
  readonly denial?: CallReason;
  /**
   * The files whose content the model knows from this call. They are recorded on the branch, so that the agent forgets
   * them when it goes back.
   */
  readonly seen?: readonly Seen[];
  /**
   * Changes by this call to files that no snapshot covers: files outside the workspace, or any files if the workspace
   * is not captured.
   */
  readonly outside?: readonly OutsideChange[];
  readonly estimate: number;
}

/** A file as a tool read or wrote it: its absolute path, and the sha256 of its bytes in hex. */
export interface Seen {
  readonly path: string;
  readonly sha256: string;
}

/** Text that Worldline adds to the context. `owner` is the prompt of the turn that it belongs to. */
export interface NoticeBody {
  readonly kind: "notice";
  readonly text: string;
  readonly owner?: EntryId;
  readonly estimate: number;
}

/**
 * A numbered place on the timeline. "prompt": directly before its prompt. "manual": created by the user or a program.
 */
export interface CheckpointBody {
  readonly kind: "checkpoint";
  readonly number: CheckpointNumber;
  readonly on: "prompt" | "manual";
  /** The number that this checkpoint had in the program that the session was imported from. */
  readonly original?: number;
}

/** The files of a checkpoint. Written after the checkpoint itself, because the capture takes time. */
export interface SnapshotBody extends IntervalCalls {
  readonly kind: "snapshot";
  readonly checkpoint: CheckpointNumber;
  readonly state: "complete" | "partial" | "none";
  readonly snapshot?: SnapshotId;
  /** Why the snapshot is partial or missing, in English. */
  readonly why?: string;
  /** The code and parameters that `why` was rendered from, for screens in other languages; absent in older logs. */
  readonly reason?: string;
  readonly params?: Json;
  readonly author: Author;
  readonly gitHead?: string;
  /** The machine that stores the snapshot, if several machines share the log. */
  readonly machine?: string;
}

/**
 * The state of the workspace during a turn: immediately before a tool ran, or after it ended. Written only if the
 * files differ from the previous state.
 */
export interface IntervalBody extends IntervalCalls {
  readonly kind: "interval";
  readonly snapshot: SnapshotId;
  readonly author: Author;
  /** As in `SnapshotBody`. */
  readonly machine?: string;
}

/** The calls that ran between the previous state and this state. */
export interface IntervalCalls {
  /** The calls that ran if the author is the timeline; absent if the program does not know them. */
  readonly during?: readonly RanCall[];
  /**
   * Evidence that the user changed paths while a command was running, as one line of JSON for each path; see
   * src/travel/logged-files.ts.
   */
  readonly signs?: string;
}

/** A call that ran in an interval. */
export interface RanCall {
  readonly call: string;
  /** A one-line description of the call: the command, or the tool and its subject. */
  readonly about: string;
  /** The paths that the call wrote, in the form of `limitTexts`; absent if the call cannot name all of them. */
  readonly wrote?: readonly string[];
  /** "only": the command is on the list of commands that never write. */
  readonly reads?: "only";
  /**
   * "late": the files could not be captured before the call began, so earlier changes may be attributed to the call.
   */
  readonly looked?: "late";
}

/**
 * Who changed the files since the previous state. Changes during a step and changes by a restore are attributed to the
 * timeline. All other changes come from outside, and take precedence.
 */
export type Author = "timeline" | "outside";

/**
 * The agent went back to a checkpoint. Nothing is erased: the entries after the checkpoint stay reachable through
 * `from`.
 */
export interface BacktrackBody {
  readonly kind: "backtrack";
  readonly to: CheckpointNumber;
  readonly from: EntryId;
  /** A snapshot of the workspace before the agent went back, so that the backtrack can be undone. */
  readonly left?: SnapshotId;
  readonly leftAuthor?: Author;
  readonly leftGitHead?: string;
  /**
   * How the journey will change files that no snapshot covers. Written before any of these files is touched; see
   * `restored`.
   */
  readonly outside?: readonly OutsideChange[];
  readonly files: "keep" | "restore";
  readonly note: string;
  readonly rationale?: string;
  /**
   * The text of the prompt that the agent returned to, without images. Absent if the prompt does not contain text, and
   * in older logs.
   */
  readonly prompt?: string;
  /**
   * The prompts that the model must still see in addition to its note. They are copied, so that the context depends
   * only on this branch.
   */
  readonly prompts: readonly (readonly Part[])[];
  readonly told: readonly string[];
  /** How many texts the user was shown that are not in `told`; absent if there are none, and in older logs. */
  readonly moreTold?: number;
  readonly changed: readonly string[];
  /** How many differing paths are not in `changed`. In older logs, this is in the last line of `changed` instead. */
  readonly moreChanged?: number;
  readonly running: readonly string[];
  /** How many times the agent has returned to this checkpoint, including this time. */
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
  /** The files and folders that the rewind was limited to, in the form of `limitTexts`. */
  readonly only?: readonly string[];
  /** What to do with files that were changed from outside, unless the request makes a choice for them. */
  readonly choice?: Choice;
  /** The other agent whose own file checkpoints restored the files; absent if our snapshots did. */
  readonly through?: string;
}

/**
 * What to do with a file that was changed from outside: leave it unchanged, overwrite it, or merge the outside changes
 * into the content that is restored.
 */
export type Choice = "keep" | "take" | "merge";

/** The user returned to the place that an earlier journey left from. */
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
  /** As in `RewindBody`. The redo of a limited journey has the same limits, and so does any redo of that redo. */
  readonly only?: readonly string[];
  /** "note": the redo undid a backtrack, so the model is told that the backtrack's note no longer applies. */
  readonly revokes: "nothing" | "note";
  readonly estimate: number;
}

export type Scope = "both" | "conversation" | "files";

/** The outcome for each path of a journey. The list may be long, in which case it is stored in a blob. */
export interface RestoredBody {
  readonly kind: "restored";
  readonly journey: EntryId;
  /** Does not include the next three counts, except in older logs, which lack those counts. */
  readonly restored: number;
  readonly created?: number;
  readonly removed?: number;
  readonly merged?: number;
  /** Does not include paths that no longer exist and were never captured, except in older logs. */
  readonly kept: number;
  readonly notRestorable?: number;
  readonly failed: number;
  /** One line of JSON for each path: src/travel/logged-files.ts. */
  readonly paths: string;
  /** A snapshot of the workspace after the restore. */
  readonly snapshot?: SnapshotId;
}

/**
 * From this entry on, the context shows `summary` instead of everything before `firstKept`. The log keeps all entries.
 */
export interface CompactionBody {
  readonly kind: "compaction";
  readonly summary: string;
  readonly firstKept: EntryId;
  /** Older entries that the context still shows, such as the prompt of the current turn. */
  readonly pinned: readonly EntryId[];
  readonly reason: "asked" | "full" | "too-long";
  readonly focus?: string;
  readonly tokensBefore: number;
  /**
   * The sum of the raw estimates of everything that the context now shows: the entries that were kept, and the
   * summary.
   */
  readonly kept: number;
  /** The model that wrote the summary, and its usage over all attempts; absent if no model wrote it. */
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

/**
 * Labels a checkpoint; an empty label removes the existing one. Labels are read from the whole log, not only from the
 * branch.
 */
export interface LabelBody {
  readonly kind: "label";
  readonly target: EntryId;
  readonly label: string;
}

/**
 * The state of one step of an execution: begun, done, or failed. If there are several entries for an attempt, the last
 * one counts. Values are JSON, or encode what JSON cannot represent; see src/executions/values/values.ts.
 */
export interface SavedBody {
  readonly kind: "saved";
  readonly name: string;
  /** The position of the step in its program, starting at 0. */
  readonly index: number;
  /** The number of the attempt, starting at 1, counted over all branches of the log. */
  readonly attempt: number;
  readonly status: "pending" | "success" | "failed";
  readonly state?: Json;
  readonly context?: Json;
  readonly variables?: Json;
  readonly metadata?: Json;
  /** What the step returned. */
  readonly output?: Json;
  readonly error?: Json;
  /** What the caller decided about an attempt that has begun but whose outcome is unknown. */
  readonly decided?: "retry" | "skip" | "fail";
  /**
   * The parts of the output that could not be stored. With status "success", `output` is a copy without them. With
   * "pending", the work has returned, but none of its output was stored.
   */
  readonly unstored?: readonly Unstored[];
}

/** A part of a value that could not be stored: its path, and the reason. */
export interface Unstored {
  /** For example, `output.rows[0].save`. */
  readonly path: string;
  /**
   * "class": stored as a plain object, without its class; "fields": a list, map, or date had an extra field; "live": a
   * stream, socket, or emitter; "unreadable": reading it threw an error; "nested": nested too deeply; "size": too
   * large.
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
  /** The name of the part's class, if it has one. */
  readonly of?: string;
}

/**
 * Records that a checkpoint of an execution was deleted. Deletions are read from the whole log, not only from the
 * branch, so going back does not restore the checkpoint.
 */
export interface CheckpointDeleteBody {
  readonly kind: "checkpoint-delete";
  readonly index: number;
  readonly attempt: number;
}

/** Records that the program marked its execution as done. A later step on the same branch reopens the execution. */
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
  /** The message in English, like the hint, for models and scripts. */
  readonly message: string;
  readonly hint?: string;
  /**
   * The code and parameters that the message and hint were rendered from, for screens in other languages; absent in
   * older logs.
   */
  readonly reason?: string;
  readonly params?: Json;
}

/**
 * The first entry of every log file except the first. It identifies the session in case the earlier files are lost.
 */
export interface RotatedBody {
  readonly kind: "rotated";
  readonly file: number;
  readonly session: SessionId;
  readonly version: number;
}

/** The other agent's session that continues this branch, and how much of the branch the other agent knows. */
export interface HostBody {
  readonly kind: "host";
  readonly host: string;
  readonly hostSession: string;
  /**
   * The other agent's id for its last message on this branch. The other agent has not yet received the entries after
   * this message.
   */
  readonly message?: string;
  /** As in `ToolStartBody`, for a call that had already begun when the other agent asked for permission. */
  readonly granted?: string;
  /**
   * The model that answers in that session, as reported by the other agent; absent until it is reported, and in older
   * logs.
   */
  readonly model?: string;
  /** The name or alias by which that model was requested, if one was given. */
  readonly asked?: string;
  /** The size of that model's context in tokens, as reported by the other agent. */
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

/** An entry that has not been written yet: the writer adds its position, its time, and its estimate. */
export type Draft = WithoutEstimate<EntryBody>;
export type DraftOf<Kind extends EntryKind> = Extract<Draft, { kind: Kind }>;
type WithoutEstimate<Body> = Body extends EntryBody ? Omit<Body, "estimate"> : never;

/** An entry whose kind only a newer version knows. It is kept and can be shown, but has no other effect. */
export interface ForeignBody {
  readonly kind: "foreign";
  /** The kind as written in the log. */
  readonly foreignKind: string;
  readonly fields: { readonly [field: string]: Json };
}

export type Entry = EntryBase & (EntryBody | ForeignBody);
export type EntryOf<Kind extends EntryKind> = EntryBase & Extract<EntryBody, { kind: Kind }>;

export function isKind<Kind extends EntryKind>(entry: Entry, kind: Kind): entry is EntryOf<Kind> {
  return entry.kind === kind;
}
