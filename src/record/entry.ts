import type { CallReason } from "./call-reason.ts";
import type { OutsideChange } from "./files.ts";
import type { CheckpointNumber, EntryId, Seq, SessionId, SnapshotId } from "./ids.ts";
import type { Json, Part, ReplyPart, TodoItem, Usage } from "./parts.ts";

/** The version of the format in docs/format.md that this program writes. */
export const FORMAT_VERSION = 1;

/**
 * The place where the last journey on this branch landed, and the line of the journey itself. Every later entry repeats
 * both. This keeps the place known if the journey's line is damaged, and distinguishes two journeys to the same place.
 * The origin is a short tuple, because most lines of a long session contain one.
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
   * The signature of the home that wrote the entry. Only entries with authority are signed, and signatures exist only
   * in stores. See src/record/authority.ts.
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
   * "agent": the session contains a conversation. "workspace": the session is the folder's own timeline, without a
   * conversation. "execution": the session records the steps of a program.
   */
  readonly mode: "agent" | "workspace" | "execution";
  /** The system prompt. The prompt is stored in the log so that the beginning of the context never changes. */
  readonly system: string;
  readonly tag: string;
  /**
   * "quoted": notices quote foreign text, every spelling of the tag in foreign text is broken up, and the end of the
   * system prompt states which frames are ours. Absent in older sessions, whose context keeps its original form.
   */
  readonly frames?: "quoted";
  readonly backtrack: "on" | "off";
  /** The highest checkpoint number in the session that this one was forked from. */
  readonly numbersFrom: number;
  readonly forkedFrom?: ForkedFrom;
  readonly imported?: ImportedFrom;
  /** The call that a sub-agent's session was started for; absent for other sessions. */
  readonly task?: TaskOf;
  /** The execution whose steps are recorded in this session. */
  readonly execution?: ExecutionOf;
  readonly estimate: number;
  /** Never stored in a log. A store adds this field when it reads a session that this home did not write. */
  readonly confirmation?: Confirmation;
}

/**
 * The state of a session that this home did not write. "needed": the user has not confirmed the session. Code must not
 * act on it, and the workspace, system prompt, and tag in the log are withheld. "given": the user has confirmed the
 * session for the folder in `workspace`.
 */
export interface Confirmation {
  readonly state: "needed" | "given";
  /** The session's first entry, unchanged from the log. */
  readonly stored: EntryOf<"session">;
  /**
   * When this home received the session or last used it, in milliseconds since 1970. The times in the session's entries
   * cannot be trusted.
   */
  readonly used?: number;
}

/**
 * Identifies an execution by the id that the program gave it. Ids are unique within a scope. The scope is the
 * workspace, unless the program specifies another one.
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

/** A checkpoint that is created before a model call. */
export interface StepBody {
  readonly kind: "step";
  readonly number: CheckpointNumber;
  /**
   * How full the context was, in percent; absent if the size of the window was unknown. The value is stored so that the
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
   * Why the reply is incomplete. "length": it hit the model's output limit. "interrupted": the stream broke or was
   * stopped. Absent for complete replies.
   */
  readonly end?: "length" | "interrupted";
  readonly usage?: Usage;
  readonly estimate: number;
}

/** Records the start of a call. Written before the tool can change anything. */
export interface ToolStartBody {
  readonly kind: "tool-start";
  readonly call: string;
  readonly name: string;
  /** The input that the tool ran with; absent if it is the same as in the reply. */
  readonly input?: Json;
  /**
   * The permission rule that the user granted with this call for the rest of the session. A journey to a place before
   * the call revokes the grant.
   */
  readonly granted?: string;
}

export interface ToolEndBody {
  readonly kind: "tool-end";
  readonly call: string;
  readonly outcome: "ok" | "error" | "denied" | "interrupted";
  readonly parts: readonly Part[];
  /**
   * Why the call was denied, as a code for screens. `parts` contains the reason in English. Absent if the user wrote
   * the reason, and in older logs.
   */
  readonly denial?: CallReason;
  /**
   * The files whose content this call showed to the model. These files are recorded on the branch so that the agent
   * forgets them when it goes back.
   */
  readonly seen?: readonly Seen[];
  /**
   * Changes that this call made to files that no snapshot covers: files outside the workspace, or any files if the
   * workspace is not captured.
   */
  readonly outside?: readonly OutsideChange[];
  readonly estimate: number;
}

/** A file that a tool read or wrote: its absolute path, and the SHA-256 hash of its bytes in hex. */
export interface Seen {
  readonly path: string;
  readonly sha256: string;
}

/** Text that Worldline adds to the context. `owner` is the prompt of the turn that the text is part of. */
export interface NoticeBody {
  readonly kind: "notice";
  readonly text: string;
  readonly owner?: EntryId;
  readonly estimate: number;
}

/**
 * A numbered place on the timeline. "prompt": created directly before a prompt. "manual": created by the user or a
 * program.
 */
export interface CheckpointBody {
  readonly kind: "checkpoint";
  readonly number: CheckpointNumber;
  readonly on: "prompt" | "manual";
  /** The number that this checkpoint had in the program that the session was imported from. */
  readonly original?: number;
}

/** Records the files of a checkpoint. Written after the checkpoint itself, because the capture takes time. */
export interface SnapshotBody extends IntervalCalls {
  readonly kind: "snapshot";
  readonly checkpoint: CheckpointNumber;
  readonly state: "complete" | "partial" | "none";
  readonly snapshot?: SnapshotId;
  /** The reason, in English, why the snapshot is partial or missing. */
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
 * Records the state of the workspace during a turn, immediately before or after a tool ran. Written only if the files
 * differ from the previous state.
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
  /** The calls that ran, if the tools of the session made the changes; absent if they are not known. */
  readonly during?: readonly RanCall[];
  /**
   * Evidence that the user changed files while a command was running, as one line of JSON for each path; see
   * src/travel/logged-files.ts.
   */
  readonly signs?: string;
}

/** A call that ran in an interval. */
export interface RanCall {
  readonly call: string;
  /** A description of the call on one line: the command, or the tool and its subject. */
  readonly about: string;
  /** The paths that the call wrote, encoded by `limitTexts`; absent if not all of these paths are known. */
  readonly wrote?: readonly string[];
  /** "only": the command is on the list of commands that never write. */
  readonly reads?: "only";
  /**
   * "late": the files could not be captured before the call began, so earlier changes may be attributed to the call.
   */
  readonly looked?: "late";
}

/**
 * Who has changed the files since the previous state. Changes made during a step or by a restore are attributed to the
 * timeline. All other changes are outside changes. If both apply, the author is `outside`.
 */
export type Author = "timeline" | "outside";

/**
 * Records that the agent went back to a checkpoint. Nothing is erased. The entries after the checkpoint can still be
 * reached through `from`.
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
   * How the journey will change files that no snapshot covers. Written before any of these files is touched. The
   * outcome is in the `restored` entry.
   */
  readonly outside?: readonly OutsideChange[];
  readonly files: "keep" | "restore";
  readonly note: string;
  readonly rationale?: string;
  /**
   * The text of the prompt that the agent returned to, without images. Absent if the prompt contains no text, and in
   * older logs.
   */
  readonly prompt?: string;
  /**
   * The prompts that the model must still see in addition to its note. The prompts are copied so that the context
   * depends only on this branch.
   */
  readonly prompts: readonly (readonly Part[])[];
  readonly told: readonly string[];
  /** The number of strings shown to the user that are not in `told`; absent if there are none, and in older logs. */
  readonly moreTold?: number;
  readonly changed: readonly string[];
  /**
   * The number of differing paths that are not in `changed`. In older logs, this number is in the last line of
   * `changed` instead.
   */
  readonly moreChanged?: number;
  readonly running: readonly string[];
  /** The number of times that the agent has returned to this checkpoint, including this time. */
  readonly times: number;
  readonly estimate: number;
}

/** Records that the user went back. */
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
  /** The files and folders that the rewind was limited to, encoded by `limitTexts`. */
  readonly only?: readonly string[];
  /** What to do with files that were changed from outside if the request does not make a separate choice for them. */
  readonly choice?: Choice;
  /**
   * The other agent whose own file checkpoints restored the files; absent if the files were restored from our
   * snapshots.
   */
  readonly through?: string;
}

/**
 * What to do with a file that was changed from outside. "keep": leave it unchanged. "take": overwrite it. "merge":
 * merge the outside changes into the restored content.
 */
export type Choice = "keep" | "take" | "merge";

/** Records that the user returned to the place where an earlier journey started. */
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
  /** As in `RewindBody`. The redo of a limited journey has the same limits, and so does a redo of that redo. */
  readonly only?: readonly string[];
  /** "note": the redo undid a backtrack, so the model is told that the backtrack's note no longer applies. */
  readonly revokes: "nothing" | "note";
  readonly estimate: number;
}

export type Scope = "both" | "conversation" | "files";

/** Records the outcome for each path of a journey. A long list is stored in a blob. */
export interface RestoredBody {
  readonly kind: "restored";
  readonly journey: EntryId;
  /**
   * The number of paths that were overwritten with older content. Older logs lack the next three counts and include
   * their paths in this number.
   */
  readonly restored: number;
  readonly created?: number;
  readonly removed?: number;
  readonly merged?: number;
  /**
   * The number of paths that were kept. Does not include paths that no longer exist and were never captured, except in
   * older logs.
   */
  readonly kept: number;
  readonly notRestorable?: number;
  readonly failed: number;
  /** One line of JSON for each path; see src/travel/logged-files.ts. */
  readonly paths: string;
  /** A snapshot of the workspace after the restore. */
  readonly snapshot?: SnapshotId;
}

/**
 * Records a compaction. From this entry on, the context contains `summary` instead of everything before `firstKept`.
 * The log keeps all entries.
 */
export interface CompactionBody {
  readonly kind: "compaction";
  readonly summary: string;
  readonly firstKept: EntryId;
  /** Older entries that stay in the context, such as the prompt of the current turn. */
  readonly pinned: readonly EntryId[];
  readonly reason: "asked" | "full" | "too-long";
  readonly focus?: string;
  readonly tokensBefore: number;
  /**
   * The sum of the raw estimates for everything in the context after the compaction: the kept entries and the summary.
   */
  readonly kept: number;
  /** The model that wrote the summary, and its usage in all attempts; absent if no model wrote the summary. */
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
 * Labels a checkpoint. An empty label removes the existing one. Labels are read from the whole log, not only from the
 * current branch.
 */
export interface LabelBody {
  readonly kind: "label";
  readonly target: EntryId;
  readonly label: string;
}

/**
 * Records the state of one step of an execution: begun, done, or failed. If there are several entries for an attempt,
 * the last one counts. Values are JSON, or an encoding of values that JSON cannot represent; see
 * src/executions/values/values.ts.
 */
export interface SavedBody {
  readonly kind: "saved";
  readonly name: string;
  /** The position of the step in its program, starting at 0. */
  readonly index: number;
  /** The number of the attempt, starting at 1, counted across all branches of the log. */
  readonly attempt: number;
  readonly status: "pending" | "success" | "failed";
  readonly state?: Json;
  readonly context?: Json;
  readonly variables?: Json;
  readonly metadata?: Json;
  /** The value that the step returned. */
  readonly output?: Json;
  readonly error?: Json;
  /** What the caller decided about an attempt that began but whose outcome is unknown. */
  readonly decided?: "retry" | "skip" | "fail";
  /**
   * The parts of the output that could not be stored. If the status is "success", `output` is a copy without these
   * parts. If it is "pending", the work has returned, but no part of its output was stored.
   */
  readonly unstored?: readonly Unstored[];
}

/** The path of a part of a value that could not be stored, and the reason. */
export interface Unstored {
  /** The path of the part, such as `output.rows[0].save`. */
  readonly path: string;
  /**
   * "class": the part was stored as a plain object, without its class. "fields": a list, map, or date had an extra
   * field. "live": the part is a stream, socket, or emitter. "unreadable": reading the part threw an error. "nested":
   * the part is nested too deeply. "size": the part is too large.
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
 * current branch, so going back does not restore the checkpoint.
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
  /** The message for models and scripts. Like the hint, it is in English. */
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
 * The first entry in every log file after the first file. This entry identifies the session in case the earlier files
 * are lost.
 */
export interface RotatedBody {
  readonly kind: "rotated";
  readonly file: number;
  readonly session: SessionId;
  readonly version: number;
}

/**
 * Records the other agent's session that continues this branch, and how much of the branch the other agent has
 * received.
 */
export interface HostBody {
  readonly kind: "host";
  readonly host: string;
  readonly hostSession: string;
  /**
   * The id of the last message on this branch in the other agent's session. The other agent has not yet received the
   * entries after this message.
   */
  readonly message?: string;
  /**
   * The same as in `ToolStartBody`, but for a call that had already begun when the other agent asked for permission.
   */
  readonly granted?: string;
  /** The model that the other agent reported for its session. Absent until it is reported, and in older logs. */
  readonly model?: string;
  /** The name or alias that the user gave when requesting the model, if any. */
  readonly asked?: string;
  /** The size of the model's context window in tokens, as reported by the other agent. */
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

/** An entry that has not been written yet. The writer adds its position, its time, and its estimate. */
export type Draft = WithoutEstimate<EntryBody>;
export type DraftOf<Kind extends EntryKind> = Extract<Draft, { kind: Kind }>;
type WithoutEstimate<Body> = Body extends EntryBody ? Omit<Body, "estimate"> : never;

/**
 * An entry of a kind that only a newer version supports. The entry is kept and can be shown, but has no other effect.
 */
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
