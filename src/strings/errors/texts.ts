/** What kind of thing could not be done: a closed list for callers to switch on. `ErrorReason` says it exactly. */
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

/** How a text is put to its reader. */
export interface Wording {
  /** "shell": the reader types commands at a shell; "screen": at the prompt of Worldline's terminal. */
  readonly place: "shell" | "screen";
  /** The same command where the reader is: `rewind 12` is `worldline rewind 12`, or `/rewind 12` on the screen. */
  command(words: string): string;
  /** Another error's message, in the same language: for an error that is about one. */
  message(problem: Problem): string;
  /** Its hint; "" where it has none. */
  hint(problem: Problem): string;
}

/** An error as data: what a catalogue renders. A string is another program's own words, shown as they are. */
export type Problem = string | { readonly reason: string; readonly params: unknown };

/** An error's words in one language. */
export interface ErrorText<Params> {
  readonly message: (params: Params, wording: Wording) => string;
  /** The next thing to do. */
  readonly hint?: ((params: Params, wording: Wording) => string) | undefined;
}

/** A code, or, for an error that is about another one and is of the same kind, how it is told from the parameters. */
export type CodeOf<Params> = ErrorCode | ((params: Params) => ErrorCode);

/** In English, which is the source, an error also has its code. */
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

/** What an error's texts need to know; nothing where they take no parameters. */
export type ParamsOf<Text> = Text extends {
  readonly message: (params: infer Params, wording: Wording) => string;
}
  ? unknown extends Params
    ? Record<never, never>
    : Params
  : never;

/** The same errors in another language: one that is missing does not compile, nor does a hint that is missing. */
export type Translated<Errors> = {
  readonly [Reason in keyof Errors]: {
    readonly message: Say<ParamsOf<Errors[Reason]>>;
  } & (Errors[Reason] extends { readonly hint: undefined }
    ? { readonly hint?: undefined }
    : { readonly hint: Say<ParamsOf<Errors[Reason]>> });
};
