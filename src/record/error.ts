import { type ErrorParams, type ErrorReason, errorsInEnglish } from "../strings/en/errors/errors.ts";
import { type RemarkParams, type RemarkReason, remarksInEnglish } from "../strings/en/errors/remarks.ts";
import type { EnglishErrorText, ErrorCode, Problem } from "../strings/errors/texts.ts";
import { atAShell, wordingIn } from "../strings/wording.ts";
import type { SessionId } from "./ids.ts";
import type { Json } from "./parts.ts";

export type { ErrorCode, ErrorParams, ErrorReason, Problem, RemarkReason };

export interface ErrorDetails {
  readonly cause?: unknown;
  /** The session that it is about, for callers that can do something about it. */
  readonly session?: SessionId | undefined;
}

const english = wordingIn({ ...errorsInEnglish, ...remarksInEnglish }, atAShell);

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
  /** In words of the caller's own: for stores, hosts and models of other programs. */
  constructor(code: ErrorCode, message: string, details?: ErrorDetails & { readonly hint?: string });
  constructor(
    what: Reason | ErrorCode,
    given: ErrorParams<Reason> | string,
    { cause, session, hint }: ErrorDetails & { readonly hint?: string } = {},
  ) {
    const isStated = typeof given === "string";
    const reason = (isStated ? "stated" : what) as Reason;
    const params = (isStated ? { code: what, message: given, hint } : given) as ErrorParams<Reason>;
    // The parameters are those of the reason, which the type of a table of all reasons cannot say.
    const text = errorsInEnglish[reason] as EnglishErrorText<unknown>;
    super(text.message(params, english), cause === undefined ? {} : { cause });
    this.name = "WorldlineError";
    this.code = codeOf(text, params);
    this.reason = reason;
    this.params = params;
    // An error about another one has a hint where that one has.
    this.hint = text.hint?.(params, english) || undefined;
    this.session = session;
  }
}

/** An error's English, with what it was made from: for errors that are data and not thrown. */
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
 * Why something is as it is: in English, as logs, models and scripts have it, with what that was made from, so that a
 * screen can say it in its user's language.
 */
export interface Remark {
  readonly why: string;
  /** Absent in older logs, and where the words are another program's. */
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

/** What a remark was made from, where that is known. */
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

/** A remark, as a parameter of an error or of another remark. */
export function problemIn({ why, reason, params = {} }: Remark): Problem {
  return reason === undefined ? why : { reason, params };
}

/** What was thrown, as a remark. */
export function remarkOf(error: unknown): Remark {
  const problem = problemOf(error);
  if (typeof problem === "string") return { why: problem };
  return { why: (error as Error).message, reason: problem.reason, params: problem.params as Json };
}

/** What was thrown, as a parameter of an error about it. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof WorldlineError)) return error.message;
  return { reason: error.reason, params: error.params };
}

/** What is wrong, in English: for what only models and scripts read. */
export function englishText(problem: Problem): string {
  return english.message(problem);
}

function codeOf({ code }: EnglishErrorText<unknown>, params: unknown): ErrorCode {
  return typeof code === "function" ? code(params) : code;
}

/** Whether `error` is ours, and, when a code is asked for, that one. */
export function isWorldlineError(error: unknown, code?: ErrorCode): error is WorldlineError {
  return error instanceof WorldlineError && (code === undefined || error.code === code);
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
