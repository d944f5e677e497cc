import type { CommandText } from "../commands.ts";

/** The kind of an error: a closed list that callers can switch on. `ErrorReason` is the exact reason. */
export type ErrorCode =
  | "BACKTRACK_REFUSED"
  | "BLOB_DAMAGED"
  | "BLOB_MISSING"
  | "BUNDLE_INVALID"
  | "CANCELLED"
  | "CHECKPOINT_AMBIGUOUS"
  | "CHECKPOINT_UNKNOWN"
  | "CONTEXT_TOO_LONG"
  | "ENTRIES_MISSING"
  | "ENTRY_INVALID"
  | "ENTRY_UNKNOWN"
  | "EXECUTION_UNKNOWN"
  | "FORMAT_NEWER"
  | "HOME_KEY_UNUSABLE"
  | "IMPORT_INVALID"
  | "INPUT_INVALID"
  | "JOURNEY_UNKNOWN"
  | "LABEL_INVALID"
  | "MODEL_BUSY"
  | "MODEL_FAILED"
  | "MODEL_KEY"
  | "MODEL_REDIRECTED"
  | "MODEL_REFUSED"
  | "MODEL_UNKNOWN"
  | "MODEL_UNREACHABLE"
  | "NEEDS_YES"
  | "NOTHING_TO_COMPACT"
  | "NOTHING_TO_FORGET"
  | "NOTHING_TO_REDO"
  | "NO_MODEL"
  | "RESTORE_UNFINISHED"
  | "RETRIES_SPENT"
  | "REWIND_REFUSED"
  | "SEQ_CONFLICT"
  | "SESSION_AMBIGUOUS"
  | "SESSION_CLOSED"
  | "SESSION_EXISTS"
  | "SESSION_HELD"
  | "SESSION_UNCONFIRMED"
  | "SESSION_UNKNOWN"
  | "SETTINGS_INVALID"
  | "SNAPSHOT_DAMAGED"
  | "SNAPSHOT_MISSING"
  | "SNAPSHOTS_HELD"
  | "STEP_CHANGED"
  | "STEP_FAILED"
  | "STEP_LIMIT"
  | "STEP_UNFINISHED"
  | "STORE_BUSY"
  | "STORE_FULL"
  | "STORE_UNREACHABLE"
  | "STORE_UNREADABLE"
  | "STORE_UNWRITABLE"
  | "TURN_RUNNING"
  | "USAGE"
  | "WORKSPACE_UNUSABLE";

/** How messages address their reader, who is in a shell or at Worldline's own prompt. */
export interface Wording {
  /** "shell": the reader types commands in a shell; "screen": at Worldline's own prompt. */
  readonly place: "shell" | "screen";
  /** The command as the reader types it there, such as `worldline rewind 12` or `/rewind 12`. */
  readonly command: CommandText;
  /** Renders the message of another error in the same language, for an error that includes it. */
  message(problem: Problem): string;
  /** Renders the hint of another error; "" if that error has no hint. */
  hint(problem: Problem): string;
}

/** The text of another program, which is shown unchanged. Worldline's own texts have a reason instead. */
export type ForeignText = string & { readonly writtenBy: "another program" };

/** An error as data, which a catalogue renders. */
export type Problem = ForeignText | { readonly reason: string; readonly params: unknown };

/** The message and the hint of an error in one language. */
export interface ErrorText<Params> {
  readonly message: (params: Params, wording: Wording) => string;
  /** What the reader can do next. */
  readonly hint?: ((params: Params, wording: Wording) => string) | undefined;
}

/** A code, or a function that takes the code from the parameters if the error has the code of an included error. */
export type CodeOf<Params> = ErrorCode | ((params: Params) => ErrorCode);

/** An error in English, which is the source language and therefore also has the code. */
export interface EnglishErrorText<Params> extends ErrorText<Params> {
  readonly code: CodeOf<Params>;
}

export interface WithHint<Params> extends EnglishErrorText<Params> {
  readonly hint: (params: Params, wording: Wording) => string;
}

export interface WithoutHint<Params> extends EnglishErrorText<Params> {
  readonly hint: undefined;
}

/** A remark has no hint and no code: it is not an error. */
export interface RemarkText<Params> extends ErrorText<Params> {
  readonly hint: undefined;
}

export function remark<Params>(message: (params: Params, wording: Wording) => string): RemarkText<Params> {
  return { message, hint: undefined };
}

type Say<Params> = (params: Params, wording: Wording) => string;

export function error<Params>(
  code: CodeOf<Params>,
  message: Say<Params>,
  hint: Say<Params>,
): WithHint<Params>;
export function error<Params>(code: CodeOf<Params>, message: Say<Params>): WithoutHint<Params>;
export function error<Params>(
  code: CodeOf<Params>,
  message: Say<Params>,
  hint?: Say<Params>,
): EnglishErrorText<Params> {
  return { code, message, hint };
}

/** The parameters of an error's message and hint; an empty object if there are none. */
export type ParamsOf<Text> = Text extends {
  readonly message: (params: infer Params, wording: Wording) => string;
}
  ? unknown extends Params
    ? Record<never, never>
    : Params
  : never;

/** The same errors in another language. A missing error or hint is a compile error. */
export type Translated<Errors> = {
  readonly [Reason in keyof Errors]: {
    readonly message: Say<ParamsOf<Errors[Reason]>>;
  } & (Errors[Reason] extends { readonly hint: undefined }
    ? { readonly hint?: undefined }
    : { readonly hint: Say<ParamsOf<Errors[Reason]>> });
};
