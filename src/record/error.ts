import { type ErrorParams, type ErrorReason, errorsInEnglish } from "../strings/errors/en/errors.ts";
import type { EnglishErrorText, ErrorCode, Problem } from "../strings/errors/texts.ts";
import { atAShell, wordingIn } from "../strings/errors/wording.ts";
import type { SessionId } from "./ids.ts";

export type { ErrorCode, ErrorParams, ErrorReason };

export interface ErrorDetails {
  readonly cause?: unknown;
  /** The session that it is about, for callers that can do something about it. */
  readonly session?: SessionId | undefined;
}

/** Until the last error is one with a reason: the words as they were thrown. */
interface LegacyDetails extends ErrorDetails {
  readonly hint?: string;
}

const english = wordingIn(errorsInEnglish, atAShell);

/**
 * The one error of Worldline: a reason with its parameters. The catalogues render it in the user's language; `message`
 * and `hint` are the English, for models, scripts and stack traces. Callers switch on `code`, or on `reason`.
 */
export class WorldlineError<Reason extends ErrorReason = ErrorReason> extends Error {
  readonly code: ErrorCode;
  readonly reason: Reason;
  readonly params: ErrorParams<Reason>;
  readonly hint: string | undefined;
  readonly session: SessionId | undefined;

  constructor(reason: Reason, params: ErrorParams<Reason>, details?: ErrorDetails);
  constructor(code: ErrorCode, message: string, details?: LegacyDetails);
  constructor(reason: string, params: unknown, details: LegacyDetails = {}) {
    const text = textOf(reason);
    const cause = details.cause === undefined ? {} : { cause: details.cause };
    super(text === undefined ? String(params) : text.message(params, english), cause);
    this.name = "WorldlineError";
    this.code = text === undefined ? (reason as ErrorCode) : codeOf(text, params);
    this.reason = reason as Reason;
    this.params = params as ErrorParams<Reason>;
    // An error about another one has a hint where that one has.
    this.hint = text === undefined ? details.hint : text.hint?.(params, english) || undefined;
    this.session = details.session;
  }
}

function textOf(reason: string): EnglishErrorText<unknown> | undefined {
  return errorsInEnglish[reason as ErrorReason] as EnglishErrorText<unknown>;
}

function codeOf({ code }: EnglishErrorText<unknown>, params: unknown): ErrorCode {
  return typeof code === "function" ? code(params) : code;
}

/** Whether `error` is ours, and, when a code is asked for, that one. */
export function isWorldlineError(error: unknown, code?: ErrorCode): error is WorldlineError {
  return error instanceof WorldlineError && (code === undefined || error.code === code);
}

/** Any error as a problem that can be put into words: ours by its reason, another program's by its own words. */
export function problemOf(error: unknown): Problem {
  if (error instanceof WorldlineError) return error;
  return error instanceof Error ? error.message : String(error);
}

/** The system's name for what went wrong, such as "ENOSPC". */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Whether nothing stands at the path that was asked for. */
export function isMissing(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === "ENOENT" || errno === "ENOTDIR";
}
