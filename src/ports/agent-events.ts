import type { Entry, Scope } from "../record/entry.ts";
import type { ErrorCode } from "../record/error.ts";
import type { OutcomeCounts } from "../record/files.ts";
import type { SessionId } from "../record/ids.ts";
import type { Part, Usage } from "../record/parts.ts";
import type { PermissionMode } from "./person.ts";

/**
 * What an agent tells those who look on: the screen, and `stream-json`. `entry` events are what is on the log and can
 * be replayed; all others are live only and say how it came about.
 */
export type AgentEvent =
  | SessionOpened
  /** Durable when it is told. */
  | { readonly type: "entry"; readonly entry: Entry }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** The arguments of a call, as they arrive. */
  | { readonly type: "call"; readonly call: string; readonly name: string; readonly text: string }
  /** What a tool prints while it runs. */
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
  /** Which files a turn changed, whoever changed them. */
  | { readonly type: "files"; readonly files: readonly ChangedFile[]; readonly more: number }
  | ({
      readonly type: "warning";
      readonly code: string;
      readonly message: string;
      readonly hint?: string | undefined;
    } & ReasonFields)
  | { readonly type: "mode"; readonly mode: PermissionMode }
  /** What works on the session changed. For screens; `stream-json` leaves it out. */
  | { readonly type: "busy"; readonly busy: Busy }
  | { readonly type: "model"; readonly model: string; readonly window: number }
  /** Of a sub-agent, below the call that started it. */
  | {
      readonly type: "sub-agent";
      readonly call: string;
      readonly session: SessionId;
      readonly event: AgentEvent;
    }
  | TurnEnd;

export interface SessionOpened {
  readonly type: "session";
  /** Of these events, as `--output-format stream-json` prints them: docs/guide/events.md. */
  readonly version: 1;
  readonly session: SessionId;
  readonly workspace: string;
  readonly resumed: "new" | "resumed" | "forked";
  readonly model: string;
  readonly window: number;
  readonly mode: PermissionMode;
  readonly tools: readonly string[];
  /** Whose agent it is, as `--host` calls it; absent: ours. */
  readonly host?: string | undefined;
}

/** What has the session to itself. "held": a front end, for a journey or to open another session. */
export type Busy = "turn" | "command" | "compaction" | "held" | "nothing";

/** What the agent is at: the screen's one moving line. */
export type Doing =
  | { readonly what: "thinking"; readonly step: number }
  | { readonly what: "tool"; readonly call: string; readonly name: string; readonly about: string }
  | { readonly what: "asking"; readonly call: string }
  | { readonly what: "capturing"; readonly files: number; readonly ofFiles: number }
  | { readonly what: "waiting-for-capture"; readonly files: number; readonly ofFiles: number }
  | { readonly what: "compacting" }
  | { readonly what: "nothing" };

/** What an English text and its hint were made from, where an error says it: a screen has it in the user's language. */
export interface ReasonFields {
  readonly reason?: string;
  readonly params?: unknown;
}

/** What was said of the reply so far is void: it is asked for again. */
export interface RetryEvent extends ReasonFields {
  readonly type: "retry";
  /** The step that is tried again: the last checkpoint that holds. */
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
  /** The prompt that was returned to, its first 200 characters, without images; absent where there is none. */
  readonly prompt?: string | undefined;
  /** As Markdown, its first 300 characters. */
  readonly note: string;
  /** Why going back pays, as the model told the user; absent where it did not. */
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
  /** What `why` was made from, where an error says it. */
  readonly error?: { readonly reason: string; readonly params: unknown };
}

export interface ChangedFile {
  readonly path: string;
  readonly change: "created" | "changed" | "deleted";
  /** Absent where it is no text, or too large to count. */
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
  /** What the agent said last. */
  readonly answer: string;
  /** Model calls; those that a backtrack took back are not counted. */
  readonly steps: number;
  readonly backtracks: number;
  readonly usage: Usage;
  /** In US dollars; absent where the model's price is not known. */
  readonly cost?: number | undefined;
  readonly milliseconds: number;
  /** What the person said meanwhile, where the turn ended before it could be heard. */
  readonly unheard?: readonly (readonly Part[])[] | undefined;
  readonly error?: TurnError;
}

/** What became of a command of the person's. What it printed is in its `tool-end` entry. */
export interface CommandEnd {
  readonly outcome: "ok" | "error" | "interrupted";
  /** Absent where a signal ended it. */
  readonly exitCode?: number | undefined;
  /** The checkpoint before it. */
  readonly checkpoint: number;
}
