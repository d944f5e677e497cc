import { modelFailure } from "../../../agent/models/wire/failure.ts";
import type { RetryEvent } from "../../../ports/agent-events.ts";
import type { ModelFailure } from "../../../ports/model.ts";
import {
  type EnglishError,
  type ErrorParams,
  type ErrorReason,
  inEnglish,
  isWorldlineError,
  WorldlineError,
} from "../../../record/error.ts";
import type { SdkApiRetry, SdkAssistant, SdkResult } from "./sdk-types.ts";

const INTERRUPTED = new Set(["aborted_streaming", "aborted_tools"]);
/** A note from the SDK for its own developers. */
const DIAGNOSTIC = /^\[ede_diagnostic\]/u;

/**
 * Returns how the turn failed according to its result, even if the SDK reports an API failure as a "success". `said` is
 * the SDK's own message about the failure, which is more precise. Returns undefined if the turn did not fail.
 */
export function failureOfResult(result: SdkResult, said?: SdkAssistant): ModelFailure | undefined {
  if (!result.is_error) return isEmpty(result) ? modelFailure("claude-empty-reply", {}, "soon") : undefined;
  if (INTERRUPTED.has(result.terminal_reason ?? "")) {
    return modelFailure("turn-interrupted", {}, "never");
  }
  return result.subtype === "success" ? ofApi(result, said) : ofSdk(result);
}

/**
 * Converts an error that the process or the SDK threw to a Worldline error, using the process's stderr to find the
 * reason.
 */
export function failureOfThrown(error: unknown, stderr: string): WorldlineError {
  if (isWorldlineError(error)) return error;
  const words = error instanceof Error ? error.message : String(error);
  const { reason, params } =
    knownFailure(words) ?? knownFailure(stderr) ?? ofLast(words) ?? exitFailure(words, stderr);
  // The reason and its parameters both come from the catalogue.
  return new WorldlineError(reason as ErrorReason, params as ErrorParams, { cause: error });
}

/** Converts the SDK's report about one of its own retries to the fields of our event. */
export function retryOf(message: SdkApiRetry): Pick<RetryEvent, "attempt" | "of" | "waitMs"> & RetryReason {
  const { attempt, max_retries: of, retry_delay_ms: waitMs } = message;
  return { attempt, of, waitMs: Math.round(waitMs), ...retryReason(message) };
}

/**
 * Checks whether the turn ended without a reply. The result of an SDK command has no stop reason, because no model was
 * called.
 */
function isEmpty({ result, terminal_reason: reason, stop_reason: stop }: SdkResult): boolean {
  return result === "" && reason === "completed" && stop === "end_turn";
}

function ofApi(result: SdkResult, said: SdkAssistant | undefined): ModelFailure {
  const { api_error_status: status, terminal_reason: reason, stop_reason: stop } = result;
  return apiFailure({
    words: result.result ?? "",
    ...(typeof status === "number" ? { status } : {}),
    ...(said?.error === undefined ? {} : { kind: said.error }),
    ...(reason === undefined ? {} : { reason }),
    ...(typeof stop === "string" ? { stop } : {}),
  });
}

function ofSdk({ errors = [] }: SdkResult): ModelFailure {
  const words = errors.filter((error) => !DIAGNOSTIC.test(error)).join(" ");
  const known = knownFailure(words);
  if (known !== undefined) return { ...known, code: "MODEL_FAILED", retry: "never" };
  return modelFailure("sdk-ended-turn", { said: sentenceOf(words) }, "never");
}

/**
 * Returns the failure for an error that a process throws when it ends after a failed turn. Such an error repeats the
 * reason why that turn ended.
 */
function ofLast(words: string): ModelFailure | undefined {
  return words.startsWith("Claude Code returned an error result: ") ? apiFailure({ words }) : undefined;
}

function retryReason({ error_status: status, error }: SdkApiRetry): RetryReason {
  if (status === null) return withoutHint(inEnglish("claude-connection-cut", {}));
  const { code } = apiFailure({ status, kind: error, words: "" });
  if (code === "MODEL_BUSY") return withoutHint(inEnglish("claude-busy-with", { status }));
  if (code === "MODEL_KEY") return withoutHint(inEnglish("claude-key-refused", { status }));
  return { ...withoutHint(inEnglish("claude-failed-with", { status })), code };
}

type RetryReason = Pick<RetryEvent, "code" | "message" | "reason" | "params">;

function withoutHint({ code, message, reason, params }: EnglishError): RetryReason {
  return { code, message, reason, params };
}

/** The SDK's report about an API failure. */
export interface ApiFault {
  /** The HTTP status. Absent if there was no response. */
  readonly status?: number;
  /**
   * The field `error` of the synthetic message. The field is too coarse to be used alone: 529 is "server_error", and
   * most 400s are "unknown".
   */
  readonly kind?: string;
  /** The field `terminal_reason` of the result. */
  readonly reason?: string;
  readonly stop?: string;
  readonly words: string;
}

const TOO_LONG = new Set(["prompt_too_long", "blocking_limit", "rapid_refill_breaker"]);
const TOO_LONG_WORDS = /prompt is too long|request too large|exceeds? (?:the )?context/iu;
const KEY_KINDS = new Set([
  "authentication_failed",
  "oauth_org_not_allowed",
  "account_on_hold",
  "verification_required",
  "cloud_credential_error",
]);
const NO_KEY = /\bNot logged in\b/u;
const BAD_HEADER = /Invalid API key .* header value/u;
const BUSY_STATUS = new Set([408, 409, 425, 429, 529]);
const MONEY_WORDS = /credit balance is too low|insufficient balance|exceeded your current quota/iu;

type Judge = (trouble: ApiFault) => ModelFailure | undefined;

/** The order matters: judges that recognize more specific failures must come first. */
const judges: readonly Judge[] = [
  declined,
  tooLong,
  outputLimit,
  outOfMoney,
  badKey,
  busy,
  proxyAsks,
  ({ status, words }) => (status === undefined ? networkFailure(words) : undefined),
  unknownModel,
  broken,
  refused,
];

export function apiFailure(trouble: ApiFault): ModelFailure {
  for (const judge of judges) {
    const failure = judge(trouble);
    if (failure !== undefined) return failure;
  }
  return modelFailure("claude-failed", { said: sentenceOf(trouble.words) }, "soon");
}

function declined({ stop }: ApiFault): ModelFailure | undefined {
  return stop === "refusal" ? modelFailure("claude-declined", {}, "never") : undefined;
}

function tooLong({ status, reason = "", words }: ApiFault): ModelFailure | undefined {
  const isRefusal = status === undefined || status === 400;
  if (!TOO_LONG.has(reason) && status !== 413 && !(isRefusal && TOO_LONG_WORDS.test(words))) return undefined;
  return modelFailure("claude-context-too-long", { said: sentenceOf(words) }, "never");
}

function outputLimit({ kind, words }: ApiFault): ModelFailure | undefined {
  if (kind !== "max_output_tokens") return undefined;
  const tokens = /(\d+) output token/u.exec(words)?.[1];
  return modelFailure("claude-reply-limit", tokens === undefined ? {} : { tokens }, "never");
}

function outOfMoney({ status, kind, words }: ApiFault): ModelFailure | undefined {
  if (kind !== "billing_error" && status !== 402 && !MONEY_WORDS.test(words)) return undefined;
  return modelFailure("claude-out-of-money", { ...withStatus(status), said: sentenceOf(words) }, "never");
}

function badKey({ status, kind = "", words }: ApiFault): ModelFailure | undefined {
  const isRefused = status === 401 || status === 403 || KEY_KINDS.has(kind);
  if (NO_KEY.test(words)) return modelFailure("claude-no-key", {}, "never");
  if (BAD_HEADER.test(words)) return modelFailure("claude-key-unsendable", {}, "never");
  if (!isRefused) return undefined;
  if (/\bexpired\b/iu.test(words)) return modelFailure("claude-login-expired", withStatus(status), "never");
  // A server that answers 401 may quote the key.
  const said = status === 401 ? {} : { said: sentenceOf(words) };
  return modelFailure("claude-key-refused", { ...withStatus(status), ...said }, "never");
}

function busy({ status, kind, words }: ApiFault): ModelFailure | undefined {
  const isBusy = status !== undefined && BUSY_STATUS.has(status);
  if (!isBusy && kind !== "rate_limit" && kind !== "overloaded") return undefined;
  return modelFailure("claude-busy", { said: sentenceOf(words) }, "soon");
}

function proxyAsks({ status }: ApiFault): ModelFailure | undefined {
  return status === 407 ? modelFailure("claude-proxy-wants-password", {}, "never") : undefined;
}

function unknownModel({ status, kind, words }: ApiFault): ModelFailure | undefined {
  if (status !== 404 && kind !== "model_not_found") return undefined;
  const model = /selected model \(([^)]+)\)/u.exec(words)?.[1];
  const named = model === undefined ? {} : { model };
  return modelFailure("claude-model-refused", { ...withStatus(status), ...named }, "never");
}

function broken({ status = 0, words }: ApiFault): ModelFailure | undefined {
  if (status < 500) return undefined;
  return modelFailure("claude-failed-with", { status, said: sentenceOf(words) }, "soon");
}

function refused({ status = 0, words }: ApiFault): ModelFailure | undefined {
  if (status < 400) return undefined;
  return modelFailure("claude-refused", { status, said: sentenceOf(words) }, "never");
}

function withStatus(status: number | undefined): { readonly status?: number } {
  return status === undefined ? {} : { status };
}

/** Matches the system's error name, which the SDK adds in parentheses. */
const ERRNO = /\(((?:E[A-Z]{3,}(?:_[A-Z]+)*)|ERR_[A-Z_]+|[A-Z_]*CERT[A-Z_]*|UNABLE_TO_[A-Z_]+)\)/u;
type Because = ErrorParams<"claude-unreachable">["because"];

const NEVER: Readonly<Record<string, Extract<Because, { readonly errno: string }>["why"]>> = {
  ECONNREFUSED: "refused",
  ENOTFOUND: "no-host",
  EHOSTUNREACH: "no-way",
  ENETUNREACH: "no-network",
};
const CERTIFICATE = /CERT|UNABLE_TO_|^ERR_TLS|^ERR_SSL|^EPROTO$/u;
const NO_SERVER = /empty or malformed response/iu;
const CUT = /connection (?:to the API was )?lost/iu;
const TIMED_OUT = /timed out|ETIMEDOUT/iu;

/** Returns the network failure that the SDK's message describes, or undefined if it describes none. */
function networkFailure(words: string): ModelFailure | undefined {
  const errno = ERRNO.exec(words)?.[1];
  if (CUT.test(words)) return modelFailure("claude-stream-cut", {}, "soon");
  if (TIMED_OUT.test(words)) return modelFailure("claude-stream-slow", {}, "soon");
  if (/API Error: Invalid URL$/u.test(words)) return unreachable({ why: "no-address" }, "never");
  if (NO_SERVER.test(words)) return modelFailure("claude-no-server", {}, "never");
  return errno === undefined ? undefined : ofErrno(errno);
}

function ofErrno(errno: string): ModelFailure {
  if (errno.startsWith("ERR_PROXY")) return modelFailure("claude-proxy-refuses", { errno }, "never");
  if (CERTIFICATE.test(errno)) return modelFailure("claude-certificate-untrusted", { errno }, "never");
  const why = NEVER[errno];
  return why === undefined
    ? unreachable({ why: "failed", errno }, "soon")
    : unreachable({ why, errno }, "never");
}

function unreachable(because: Because, retry: ModelFailure["retry"]): ModelFailure {
  return modelFailure("claude-unreachable", { because }, retry);
}

/**
 * The SDK's messages about processes that could not start or continue, with our reason code for each. The first group
 * in each pattern is an id or a path. We found the messages by running the SDK.
 */
const KNOWN = [
  [/No conversation found with session ID: (\S+)|Session \S+ not found in project/u, "sdk-session-gone"],
  [/No message found with message\.uuid of: (\S+)|Message \S+ not found in session/u, "sdk-message-gone"],
  [/Session ID (\S+) is already in use/u, "sdk-session-in-use"],
  [/cannot be used with root/u, "sdk-not-as-root"],
  [/Configuration error in (.+?): /u, "sdk-settings-invalid"],
  [/native binary not found|Native CLI binary for \S+ not found/u, "sdk-program-gone"],
  [/exists but failed to launch/u, "sdk-program-unstartable"],
  [/ENOSPC|disk is full/u, "sdk-disk-full"],
  [/Operation aborted|Query closed before response received/u, "sdk-closed"],
] as const;

function knownFailure(words: string): EnglishError | undefined {
  for (const [pattern, reason] of KNOWN) {
    const found = pattern.exec(words);
    if (found !== null) return inEnglish(reason, found[1] === undefined ? {} : { id: found[1] });
  }
  return undefined;
}

/** Returns the failure for a process that ended in an unknown way. */
function exitFailure(words: string, stderr: string): EnglishError {
  const signal = /terminated by signal (\w+)/u.exec(words)?.[1];
  if (signal !== undefined) return inEnglish("sdk-killed", { signal });
  const exit = /exited with code (\d+)/u.exec(words)?.[1];
  const printed = lastWords(stderr);
  return exit === undefined
    ? inEnglish("sdk-failed", { said: sentenceOf(words), printed })
    : inEnglish("sdk-exited", { exit, printed });
}

/** Matches notes that the process prints during normal operation. */
const NOTES = /^\[claude-code:|^Claude configuration file|^A backup file exists|^You can manually restore/u;

function lastWords(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  return sentenceOf(lines.findLast((line) => line !== "" && !NOTES.test(line)) ?? "");
}

const MAX_SAID = 300;

/** Patterns for text that the SDK adds to the API's message: the kind of error, and advice for its own screen. */
const AROUND = [
  /^Claude Code returned an error result: /u,
  /^Failed to authenticate\. /u,
  /^API Error: /u,
  /^Request rejected \(\d{3}\) · /u,
  /^\d{3} /u,
  / This is a server-side issue, .*$/u,
  / (?:This is usually temporary — try|Check the gateway set in ANTHROPIC_BASE_URL, then try) again\.$/u,
];

/** Patterns for anything that looks like a key, because a server may quote the key in its message. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\bsk-[\w-]{6,}/gu, "(key)"],
  [/\b(Bearer|Basic) [\w.~+/=-]{6,}/giu, "$1 (key)"],
  [/\b((?:api|auth|access)[\w -]{0,12}(?:key|token)[^:.]{0,24}: *)[^\s"',;]{6,}/giu, "$1(key)"],
  [/:\/\/[^\s/@]+@/gu, "://"],
];

/** Returns the text as one sentence, without advice for the SDK's own screen, and without keys. */
function sentenceOf(text: string): string {
  const line = AROUND.reduce((rest, around) => rest.replace(around, ""), text.replace(/\s+/gu, " ").trim());
  const bare = SECRETS.reduce((rest, [secret, instead]) => rest.replace(secret, instead), line);
  if (bare === "") return "";
  const short = bare.length > MAX_SAID ? `${bare.slice(0, MAX_SAID)}…` : bare;
  return /[.!?…]$/u.test(short) ? short : `${short}.`;
}
