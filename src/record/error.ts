import { type ErrorParams, type ErrorReason, errorsInEnglish } from "../strings/en/errors/errors.ts";
import { type RemarkParams, type RemarkReason, remarksInEnglish } from "../strings/en/errors/remarks.ts";
import type { ObjectsFault } from "../strings/errors/facts.ts";
import type { EnglishErrorText, ErrorCode, ForeignText, Problem } from "../strings/errors/texts.ts";
import { atAShell, wordingIn } from "../strings/wording.ts";
import type { SessionId } from "./ids.ts";
import type { Json } from "./parts.ts";

export type {
  ErrorCode,
  ErrorParams,
  ErrorReason,
  ForeignText,
  ObjectsFault,
  Problem,
  RemarkParams,
  RemarkReason,
};

export interface ErrorDetails {
  readonly cause?: unknown;
  /** The session that the error concerns, for callers that can resolve the problem. */
  readonly session?: SessionId | undefined;
}

const english = wordingIn({ ...errorsInEnglish, ...remarksInEnglish }, atAShell);

/**
 * Worldline's only error class. An error consists of a reason and its parameters, which the catalogues render in the
 * user's language. `message` and `hint` contain the English text, for models, scripts, and stack traces. Callers switch
 * on `code` or `reason`.
 */
export class WorldlineError<Reason extends ErrorReason = ErrorReason> extends Error {
  readonly code: ErrorCode;
  readonly reason: Reason;
  readonly params: ErrorParams<Reason>;
  readonly hint: string | undefined;
  readonly session: SessionId | undefined;

  constructor(reason: Reason, params: ErrorParams<Reason>, details?: ErrorDetails);
  /** Creates an error with the caller's own message, for stores, hosts, and models in other programs. */
  constructor(code: ErrorCode, message: string, details?: ErrorDetails & { readonly hint?: string });
  constructor(
    what: Reason | ErrorCode,
    given: ErrorParams<Reason> | string,
    { cause, session, hint }: ErrorDetails & { readonly hint?: string } = {},
  ) {
    const isStated = typeof given === "string";
    const reason = (isStated ? "stated" : what) as Reason;
    const params = (isStated ? { code: what, message: given, hint } : given) as ErrorParams<Reason>;
    // The reason determines the type of the parameters, but this cannot be expressed in the type of a table of all
    // reasons.
    const text = errorsInEnglish[reason] as EnglishErrorText<unknown>;
    super(text.message(params, english), cause === undefined ? {} : { cause });
    this.name = "WorldlineError";
    this.code = codeOf(text, params);
    this.reason = reason;
    this.params = params;
    // If the message is about another error that has no hint, this error has no hint either.
    this.hint = text.hint?.(params, english) || undefined;
    this.session = session;
  }
}

/**
 * The English text of an error with its reason and parameters, for errors that are returned as data rather than
 * thrown.
 */
export interface EnglishError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly reason: string;
  readonly params: unknown;
}

export function inEnglish<Reason extends ErrorReason>(
  reason: Reason,
  params: ErrorParams<Reason>,
): EnglishError {
  const text = errorsInEnglish[reason] as EnglishErrorText<unknown>;
  const hint = text.hint?.(params, english) ?? "";
  const message = text.message(params, english);
  return { code: codeOf(text, params), message, ...(hint === "" ? {} : { hint }), reason, params };
}

/**
 * An explanation in English for logs, models, and scripts. Its reason and parameters are included, so that a screen can
 * render it in the user's language.
 */
export interface Remark {
  readonly why: string;
  /** The code of the explanation; absent in older logs, and if another program wrote the text. */
  readonly reason?: string;
  readonly params?: Json;
}

export function remark<Reason extends RemarkReason>(
  ...[reason, params]: Record<never, never> extends RemarkParams<Reason>
    ? [reason: Reason]
    : [reason: Reason, params: RemarkParams<Reason>]
): Required<Pick<Remark, "why" | "reason">> & Pick<Remark, "params"> {
  const why = english.message({ reason, params: params ?? {} });
  return { why, reason, ...(params === undefined ? {} : { params: params as unknown as Json }) };
}

/** The reason and the parameters of a remark, if they are known. */
export function reasonFields({
  reason,
  params,
}: {
  readonly reason?: string | undefined;
  readonly params?: Json | undefined;
}): Pick<Remark, "reason" | "params"> {
  if (reason === undefined) return {};
  return params === undefined ? { reason } : { reason, params };
}

/**
 * Converts a remark to a parameter for an error or for another remark. A remark without a reason was written by another
 * program.
 */
export function problemIn({
  why,
  reason,
  params = {},
}: {
  readonly why: string;
  readonly reason?: string | undefined;
  readonly params?: unknown;
}): Problem {
  return reason === undefined ? foreignText(why) : { reason, params };
}

/** Converts a thrown value to a remark. */
export function remarkOf(error: unknown): Remark {
  const problem = problemOf(error);
  if (typeof problem === "string") return { why: problem };
  return { why: (error as Error).message, reason: problem.reason, params: problem.params as Json };
}

/** Converts a thrown value to a parameter for another error. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof Error)) return foreignText(String(error));
  if (!(error instanceof WorldlineError)) return foreignText(error.message);
  return { reason: error.reason, params: error.params };
}

/** Marks a string as written by another program. Worldline's own strings need a reason, so that they can be translated. */
export function foreignText(text: string): ForeignText {
  return text as ForeignText;
}

/** The English text of a problem, for messages that only models and scripts read. */
export function englishText(problem: Problem): string {
  return english.message(problem);
}

function codeOf({ code }: EnglishErrorText<unknown>, params: unknown): ErrorCode {
  return typeof code === "function" ? code(params) : code;
}

/** Checks whether `error` is a `WorldlineError` and, if a code is given, has that code. */
export function isWorldlineError(error: unknown, code?: ErrorCode): error is WorldlineError {
  return error instanceof WorldlineError && (code === undefined || error.code === code);
}

/** The operating system's code for the error, such as "ENOSPC". */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Checks whether the error means that a path does not exist. */
export function isMissing(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === "ENOENT" || errno === "ENOTDIR";
}
