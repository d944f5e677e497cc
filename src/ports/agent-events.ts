import type { Entry, Scope } from "../record/entry.ts";
import type { ErrorCode } from "../record/error.ts";
import type { OutcomeCounts } from "../record/files.ts";
import type { SessionId } from "../record/ids.ts";
import type { Part, Usage } from "../record/parts.ts";
import type { PermissionMode } from "./person.ts";

/**
 * Events that an agent emits to its listeners: the screen and `stream-json`. `entry` events are in the log and can be
 * replayed. All other events are emitted only live, and show how the entries are produced.
 */
export type AgentEvent =
  | SessionOpened
  /** A new entry in the log. The entry is durable when the event is emitted. */
  | { readonly type: "entry"; readonly entry: Entry }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** A piece of a call's arguments, emitted as it arrives. */
  | { readonly type: "call"; readonly call: string; readonly name: string; readonly text: string }
  /** A piece of a tool's output, emitted while the tool is running. */
  | { readonly type: "output"; readonly call: string; readonly text: string }
  | { readonly type: "doing"; readonly doing: Doing }
  | RetryEvent
  | BacktrackCard
  | CompactionTold
  | {
      readonly type: "journey";
      readonly journey: "rewind" | "redo";
      readonly scope: Scope;
      readonly to?: number;
    }
  /** The files that changed during a turn. */
  | { readonly type: "files"; readonly files: readonly ChangedFile[]; readonly more: number }
  | ({
      readonly type: "warning";
      readonly code: string;
      readonly message: string;
      readonly hint?: string | undefined;
    } & ReasonFields)
  | { readonly type: "mode"; readonly mode: PermissionMode }
  /**
   * Emitted when the kind of work on the session changes. This event is intended for screens, so `stream-json` omits
   * it.
   */
  | { readonly type: "busy"; readonly busy: Busy }
  | { readonly type: "model"; readonly model: string; readonly window: number }
  /** An event from a sub-agent, with the call that started the sub-agent. */
  | {
      readonly type: "sub-agent";
      readonly call: string;
      readonly session: SessionId;
      readonly event: AgentEvent;
    }
  | TurnEnd;

export interface SessionOpened {
  readonly type: "session";
  /** The version of these events in `--output-format stream-json`; see docs/guide/events.md. */
  readonly version: 1;
  readonly session: SessionId;
  readonly workspace: string;
  readonly resumed: "new" | "resumed" | "forked";
  readonly model: string;
  readonly window: number;
  readonly mode: PermissionMode;
  readonly tools: readonly string[];
  /** The agent's name as used in `--host`; absent for Worldline's own agent. */
  readonly host?: string | undefined;
}

/**
 * The work that has exclusive use of the session. "held": a front end holds the session to perform a journey or to open
 * another session.
 */
export type Busy = "turn" | "command" | "compaction" | "held" | "nothing";

/** What the agent is doing, as shown in the screen's status line. */
export type Doing =
  | { readonly what: "thinking"; readonly step: number }
  | { readonly what: "tool"; readonly call: string; readonly name: string; readonly about: string }
  | { readonly what: "asking"; readonly call: string }
  | { readonly what: "capturing"; readonly files: number; readonly ofFiles: number }
  | { readonly what: "waiting-for-capture"; readonly files: number; readonly ofFiles: number }
  | { readonly what: "compacting" }
  | { readonly what: "nothing" };

/**
 * The code and parameters of an English text and its hint, so that screens can render them in the user's language.
 * Absent if the text is not from a Worldline error.
 */
export interface ReasonFields {
  readonly reason?: string;
  readonly params?: unknown;
}

/** Emitted when the model is called again and the partial reply is discarded. */
export interface RetryEvent extends ReasonFields {
  readonly type: "retry";
  /** The number of the step that is being retried. This step is the last checkpoint on the branch. */
  readonly checkpoint: number;
  readonly attempt: number;
  readonly of: number;
  readonly waitMs: number;
  readonly code: ErrorCode;
  readonly message: string;
}

/** A summary of a backtrack that is shown to the user. */
export interface BacktrackCard {
  readonly type: "backtrack";
  readonly to: number;
  readonly entries: number;
  readonly tokens: number;
  /** The first 200 characters of the prompt that the agent returned to; absent if the prompt has no text. */
  readonly prompt?: string | undefined;
  /** The first 300 characters of the agent's note to itself, as Markdown. */
  readonly note: string;
  /** The model's reason for going back; absent if the model did not give one. */
  readonly rationale?: string | undefined;
  readonly files: "keep" | "restore";
  readonly restored?: OutcomeCounts | undefined;
}

export type CompactionTold =
  | {
      readonly type: "compaction";
      readonly outcome: "done";
      readonly reason: "asked" | "full" | "too-long";
      readonly before: number;
      readonly after: number;
      readonly model: string;
    }
  | CompactionFailed;

export interface CompactionFailed {
  readonly type: "compaction";
  readonly outcome: "failed" | "stopped";
  readonly reason: "asked" | "full" | "too-long";
  readonly why: string;
  /** The code and parameters of `why`; absent if the text is not from a Worldline error. */
  readonly error?: { readonly reason: string; readonly params: unknown };
}

export interface ChangedFile {
  readonly path: string;
  readonly change: "created" | "changed" | "deleted";
  /** The number of added lines; absent if the file is not text or is too large for its lines to be counted. */
  readonly added?: number | undefined;
  readonly removed?: number | undefined;
}

export interface TurnError extends ReasonFields {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
}

export interface TurnEnd {
  readonly type: "turn-end";
  readonly outcome: "done" | "interrupted" | "failed" | "step-limit";
  /** The agent's last answer. */
  readonly answer: string;
  /** The number of model calls, not counting calls that a backtrack undid. */
  readonly steps: number;
  readonly backtracks: number;
  readonly usage: Usage;
  /** The cost in US dollars; absent if the model's price is unknown. */
  readonly cost?: number | undefined;
  readonly milliseconds: number;
  /** Prompts that the user sent during the turn but that never became part of it. */
  readonly unheard?: readonly (readonly Part[])[] | undefined;
  readonly error?: TurnError;
}

/** The result of a command that the user ran. The command's output is in its `tool-end` entry. */
export interface CommandEnd {
  readonly outcome: "ok" | "error" | "interrupted";
  /** The command's exit code; absent if a signal ended the command. */
  readonly exitCode?: number | undefined;
  /** The number of the checkpoint that was created before the command. */
  readonly checkpoint: number;
}
