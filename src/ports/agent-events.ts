import type { Entry, Scope } from "../record/entry.ts";
import type { ErrorCode } from "../record/error.ts";
import type { OutcomeCounts } from "../record/files.ts";
import type { SessionId } from "../record/ids.ts";
import type { Part, Usage } from "../record/parts.ts";
import type { PermissionMode } from "./person.ts";

/**
 * What an agent emits to its listeners: the screen, and `stream-json`. `entry` events are in the log and can be replayed. All
 * other events are live only and show how the entries came about.
 */
export type AgentEvent =
  | SessionOpened
  /** The entry is durable when it is emitted. */
  | { readonly type: "entry"; readonly entry: Entry }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** The arguments of a call, piece by piece as they arrive. */
  | { readonly type: "call"; readonly call: string; readonly name: string; readonly text: string }
  /** The output of a tool while it runs. */
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
  /** The work on the session has changed. For screens; `stream-json` leaves it out. */
  | { readonly type: "busy"; readonly busy: Busy }
  | { readonly type: "model"; readonly model: string; readonly window: number }
  /** An event of a sub-agent, with the call that started it. */
  | {
      readonly type: "sub-agent";
      readonly call: string;
      readonly session: SessionId;
      readonly event: AgentEvent;
    }
  | TurnEnd;

export interface SessionOpened {
  readonly type: "session";
  /** The version of these events, as `--output-format stream-json` prints them: docs/guide/events.md. */
  readonly version: 1;
  readonly session: SessionId;
  readonly workspace: string;
  readonly resumed: "new" | "resumed" | "forked";
  readonly model: string;
  readonly window: number;
  readonly mode: PermissionMode;
  readonly tools: readonly string[];
  /** The agent's name as in `--host`; absent for our own. */
  readonly host?: string | undefined;
}

/** The exclusive work on the session. "held": a front end, for a journey or to open another session. */
export type Busy = "turn" | "command" | "compaction" | "held" | "nothing";

/** What the agent is doing: the status line of the screen. */
export type Doing =
  | { readonly what: "thinking"; readonly step: number }
  | { readonly what: "tool"; readonly call: string; readonly name: string; readonly about: string }
  | { readonly what: "asking"; readonly call: string }
  | { readonly what: "capturing"; readonly files: number; readonly ofFiles: number }
  | { readonly what: "waiting-for-capture"; readonly files: number; readonly ofFiles: number }
  | { readonly what: "compacting" }
  | { readonly what: "nothing" };

/**
 * The code and parameters of an English text and its hint, if an error made them: screens render them in the user's
 * language.
 */
export interface ReasonFields {
  readonly reason?: string;
  readonly params?: unknown;
}

/** The partial reply so far is discarded, and the model is asked again. */
export interface RetryEvent extends ReasonFields {
  readonly type: "retry";
  /** The step that is retried: the last checkpoint on the branch. */
  readonly checkpoint: number;
  readonly attempt: number;
  readonly of: number;
  readonly waitMs: number;
  readonly code: ErrorCode;
  readonly message: string;
}

/** The card of a backtrack. */
export interface BacktrackCard {
  readonly type: "backtrack";
  readonly to: number;
  readonly entries: number;
  readonly tokens: number;
  /** The prompt that was returned to: its first 200 characters, without images; absent if there is none. */
  readonly prompt?: string | undefined;
  /** As Markdown, its first 300 characters. */
  readonly note: string;
  /** The model's reason for going back, if it gave one. */
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
  /** The code and parameters of `why`, if an error made it. */
  readonly error?: { readonly reason: string; readonly params: unknown };
}

export interface ChangedFile {
  readonly path: string;
  readonly change: "created" | "changed" | "deleted";
  /** Absent if it is not text, or too large to count. */
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
  /** The number of model calls, without those that a backtrack took back. */
  readonly steps: number;
  readonly backtracks: number;
  readonly usage: Usage;
  /** In US dollars; absent if the model's price is unknown. */
  readonly cost?: number | undefined;
  readonly milliseconds: number;
  /** Prompts that the user sent during the turn and that were not added to it. */
  readonly unheard?: readonly (readonly Part[])[] | undefined;
  readonly error?: TurnError;
}

/** The result of a command of the user's. Its output is in its `tool-end` entry. */
export interface CommandEnd {
  readonly outcome: "ok" | "error" | "interrupted";
  /** Absent if a signal ended it. */
  readonly exitCode?: number | undefined;
  /** The checkpoint before it. */
  readonly checkpoint: number;
}
