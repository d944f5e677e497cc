import type { ModelFailure, ModelFailureCode } from "../../../ports/model.ts";
import { type ErrorParams, type ErrorReason, inEnglish, problemIn } from "../../../record/error.ts";
import { NoModelServer, Redirected } from "../access.ts";
import { answerOf, causeOf, chainOf, type HttpAnswer, type Link, messageOf } from "./provider-error.ts";

/** Facts that the message about a failure needs but the error does not contain. */
export interface FailureContext {
  /** The model as "provider/name". */
  readonly model: string;
  /** The base URL, without a password. */
  readonly baseUrl: string;
  /** The proxy that was used, without a password. */
  readonly proxy?: NonNullable<ErrorParams<"model-unreachable">["proxy"]>;
  /** The place where the key was found or is expected. */
  readonly keyFrom: ErrorParams<"key-refused">["key"];
  /** Secrets to remove from every message that quotes them. */
  readonly secrets: readonly string[];
  /** The time limits, in order: for connecting, for the next bytes, and for the first bytes. */
  readonly connectMs: number;
  readonly silenceMs: number;
  readonly firstByteMs: number;
  /** The current time in milliseconds since 1970. Needed because a provider may specify a date for the retry. */
  readonly now: number;
  readonly cancelled: "yes" | "no";
}

/** Error messages from Anthropic, OpenAI, Moonshot, Google, llama.cpp and LM Studio, in that order. */
const TOO_LONG = new RegExp(
  [
    "(prompt|input) is too long|request_too_large",
    "context_length_exceeded|maximum context length|reduce the length of the (messages|input|prompt)",
    "exceeded model token limit",
    "exceeds the maximum number of (input )?tokens|too many input tokens",
    "exceed\\w* (the |this )?(model'?s? |available )?(maximum )?context|context (window|limit|size) (is )?exceeded",
    "context length of only|context overflow",
  ].join("|"),
  "i",
);
const UNKNOWN_MODEL =
  /model[_ ]not[_ ](found|exist)|model\b.{0,80}\b(not found|not exist|does not exist|is not available)|not a valid model|unknown model|invalid model|no such model/i;
const OUT_OF_MONEY =
  /insufficient_quota|exceeded your current quota|insufficient balance|credit balance is too low/i;
const BUSY = /overloaded|rate_limit|too many requests/i;

/** Messages from `fetch` about an invalid header value, which can only be the key. */
const BAD_HEADER = /invalid header value|ByteString|Invalid character in header/i;

const BUSY_STATUS = new Set([408, 409, 425, 429, 529]);

/**
 * Turns an error into a failure that callers can act on. Pure: the same error and context always produce the same
 * failure.
 */
export function failureOf(error: unknown, context: FailureContext): ModelFailure {
  if (context.cancelled === "yes") return { ...modelFailure("model-cancelled", {}, "never"), cause: error };
  const answer = answerOf(error);
  const failure = answer === undefined ? withoutAnswer(error, context) : ofAnswer(answer, context);
  return scrubbed({ ...failure, cause: error }, context.secrets);
}

/**
 * Returns the failure for a reply that was cut off. `end` is the provider's finish reason, unless that is a normal one.
 */
export function cutFailure({ model }: FailureContext, end?: string): ModelFailure {
  return end === undefined
    ? modelFailure("reply-cut", { model }, "soon")
    : modelFailure("reply-ended-oddly", { model, end }, "soon");
}

export function emptyFailure({ model }: FailureContext, end: "length" | undefined): ModelFailure {
  return modelFailure("reply-empty", { model, limit: end === "length" ? "hit" : "not-hit" }, "soon");
}

export function refusedFailure({ model }: FailureContext): ModelFailure {
  return modelFailure("reply-refused", { model }, "never");
}

/** Returns the failure for a request whose response is missing or incomplete. */
function withoutAnswer(error: unknown, context: FailureContext): ModelFailure {
  const { model } = context;
  const redirected = causeOf(error, Redirected);
  if (redirected !== undefined) return redirectedFailure(redirected, context);
  const words = messageOf(error);
  if (TOO_LONG.test(words)) return tooLong(words, context);
  if (BUSY.test(words)) return busy(words, context);
  const chain = chainOf(error);
  if (chain.some(({ message }) => BAD_HEADER.test(message)))
    return modelFailure("key-unsendable", { model, key: context.keyFrom }, "never");
  const page = causeOf(error, NoModelServer);
  if (page !== undefined) {
    return modelFailure("no-model-server", { ...reached(context), contentType: page.contentType }, "never");
  }
  const isBroken = chain.some(({ status }) => status !== undefined && status < 400);
  return (
    errnoFailure(chain, { ...context, phase: isBroken ? "streaming" : "connecting" }) ??
    modelFailure("model-failed", { model, said: sentence(words) }, "soon")
  );
}

function redirectedFailure({ status, target }: Redirected, context: FailureContext): ModelFailure {
  const { baseUrl } = context;
  const isSame = target !== undefined && URL.canParse(baseUrl) && new URL(baseUrl).origin === target.origin;
  const to = target === undefined ? {} : { to: target.href, ...(isSame ? {} : { host: target.host }) };
  return modelFailure("model-redirected", { ...reached(context), status, ...to }, "never");
}

function ofAnswer(answer: HttpAnswer, context: FailureContext): ModelFailure {
  const { status, words } = answer;
  if (BUSY_STATUS.has(status) && !OUT_OF_MONEY.test(words)) {
    return { ...busy(words, context), ...retryAfter(answer, context.now) };
  }
  if (status >= 500 && !TOO_LONG.test(words)) {
    const params = { model: context.model, status, said: sentence(words) };
    return { ...modelFailure("model-failed-with", params, "soon"), ...retryAfter(answer, context.now) };
  }
  return ofRefusal(answer, context);
}

function ofRefusal({ status, words }: HttpAnswer, context: FailureContext): ModelFailure {
  const { model, baseUrl, keyFrom: key } = context;
  if (status === 413 || TOO_LONG.test(words)) return tooLong(words, context);
  const params = { model, status, said: sentence(words) };
  if (status === 401 || status === 403)
    return modelFailure("key-refused", { ...params, baseUrl, key }, "never");
  if (status === 407) return modelFailure("proxy-wants-password", reached(context), "never");
  if (status === 404 || UNKNOWN_MODEL.test(words)) {
    const api = model.startsWith("openai/") ? "responses" : "other";
    return modelFailure("model-unknown", { ...params, baseUrl, api }, "never");
  }
  return modelFailure(OUT_OF_MONEY.test(words) ? "model-out-of-money" : "model-refused", params, "never");
}

function tooLong(words: string, { model }: FailureContext): ModelFailure {
  return modelFailure("context-too-long", { model, said: sentence(words) }, "never");
}

function busy(words: string, { model }: FailureContext): ModelFailure {
  return modelFailure("model-busy", { model, said: sentence(words) }, "soon");
}

function retryAfter({ headers }: HttpAnswer, now: number): { retryAfterMs?: number } {
  const milliseconds = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (milliseconds >= 0) return { retryAfterMs: Math.ceil(milliseconds) };
  const text = headers["retry-after"] ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return { retryAfterMs: Math.ceil(Number(text) * 1000) };
  const date = Date.parse(text);
  return Number.isNaN(date) ? {} : { retryAfterMs: Math.max(0, date - now) };
}

function sentence(words: string): string {
  return words === "" || /[.!?]$/.test(words) ? words : `${words}.`;
}

/**
 * Minimum length of a secret to remove. Keys are never shorter. Shorter secrets also occur in ordinary words, which
 * would become unreadable if these secrets were removed.
 */
const SHORTEST_SECRET = 8;

function scrubbed(failure: ModelFailure, secrets: readonly string[]): ModelFailure {
  const long = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
  const scrub = (text: string): string =>
    long.reduce((rest, secret) => rest.replaceAll(secret, "(key)"), text);
  const { params } = failure;
  return {
    ...failure,
    message: scrub(failure.message),
    ...(params === undefined ? {} : { params: scrubbedValue(params, scrub) }),
  };
}

function scrubbedValue(value: unknown, scrub: (text: string) => string): unknown {
  if (typeof value === "string") return scrub(value);
  if (Array.isArray(value)) return value.map((each) => scrubbedValue(each, scrub));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, scrubbedValue(each, scrub)]));
}

/**
 * The request that failed, and the phase in which the network failed. The phase is "streaming" if a response had
 * already begun.
 */
interface NetworkContext {
  readonly model: string;
  readonly baseUrl: string;
  readonly proxy?: NonNullable<ErrorParams<"model-unreachable">["proxy"]>;
  readonly connectMs: number;
  readonly silenceMs: number;
  readonly firstByteMs: number;
  readonly phase: "connecting" | "streaming";
}

type Because = Extract<ErrorParams<"model-unreachable">["because"], { readonly errno: string }>["why"];

const NOBODY_THERE: Readonly<Record<string, Because>> = {
  ECONNREFUSED: "refused",
  ENOTFOUND: "no-host",
  EHOSTUNREACH: "no-way",
  ENETUNREACH: "no-network",
  ERR_INVALID_URL: "no-address",
  HTTP_INVALID_REQUEST: "unusable-address",
  HTTP_PROXY_INVALID: "proxy-not-http",
};
const PASSING: Readonly<Record<string, Because>> = {
  EAI_AGAIN: "name-lookup",
  ECONNABORTED: "ended",
  ECONNRESET: "reset",
  EPIPE: "ended",
  ETIMEDOUT: "silent",
  HTTP_NO_ANSWER: "ended",
};
/**
 * Errors that no real model server causes. These errors occur if a response is not HTTP, cannot be decoded, or never
 * ends.
 */
const HOSTILE =
  /^(HPE_|Z_|ERR_BROTLI|ERR__ERROR_FORMAT|BR_|HTTP_(BODY_TOO_LARGE|ENCODING|INVALID_STATUS|LINE_TOO_LONG|REPLY_TOO_LARGE)$)/;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|^ERR_TLS|^ERR_SSL|^EPROTO$/;

/** Returns the failure for a network error in the chain, or undefined if the chain contains none. */
function errnoFailure(chain: readonly Link[], context: NetworkContext): ModelFailure | undefined {
  const refusal = chain.find(({ code }) => code === "HTTP_PROXY_REFUSED");
  if (refusal !== undefined) return proxyRefused(refusal.proxyStatus, context);
  const codes = chain.flatMap(({ code }) => (code === undefined ? [] : [code]));
  if (codes.includes("HTTP_FIRST_BYTE_TIMEOUT")) return silent(context.model, context.firstByteMs);
  if (codes.includes("HTTP_SILENT")) return silent(context.model, context.silenceMs);
  const hostile = chain.find(({ code = "" }) => HOSTILE.test(code));
  if (hostile !== undefined) return unusable(context, hostile);
  const isUnanswered = chain.some(isConnectTimeout);
  if (context.phase === "streaming") return modelFailure("reply-cut", { model: context.model }, "soon");
  const nobody = firstOf(codes, NOBODY_THERE);
  if (nobody !== undefined) return unreachable(context, nobody, "never");
  if (isUnanswered)
    return unreachable(context, { why: "no-answer", seconds: secondsOf(context.connectMs) }, "never");
  const passing = firstOf(codes, PASSING);
  if (passing !== undefined) return unreachable(context, passing, "soon");
  const certificate = codes.find((code) => CERTIFICATE.test(code));
  if (certificate === undefined) return undefined;
  return modelFailure("certificate-untrusted", { ...reached(context), code: certificate }, "never");
}

function firstOf(
  codes: readonly string[],
  table: Readonly<Record<string, Because>>,
): { readonly why: Because; readonly errno: string } | undefined {
  for (const errno of codes) {
    const why = table[errno];
    if (why !== undefined) return { why, errno };
  }
  return undefined;
}

/**
 * Checks whether the connection timed out. Such a request is not retried: a working server accepts connections faster,
 * and the user would wait for each retry.
 */
function isConnectTimeout({ code, message }: Link): boolean {
  // An established connection can time out with the same message, but never with the code HTTP_CONNECT_TIMEOUT.
  return code === "HTTP_CONNECT_TIMEOUT" || (code === "ETIMEDOUT" && !/^(read|write) /.test(message));
}

/** Returns the address and proxy that were tried, as error parameters. */
function reached({
  model,
  baseUrl,
  proxy,
}: Pick<NetworkContext, "model" | "baseUrl" | "proxy">): Pick<NetworkContext, "model" | "baseUrl" | "proxy"> {
  return { model, baseUrl, ...(proxy === undefined ? {} : { proxy }) };
}

function unreachable(
  context: NetworkContext,
  because: ErrorParams<"model-unreachable">["because"],
  retry: ModelFailure["retry"],
): ModelFailure {
  return modelFailure("model-unreachable", { ...reached(context), because }, retry);
}

function proxyRefused(status: number | undefined, context: NetworkContext): ModelFailure {
  return modelFailure(
    "proxy-refuses",
    { ...reached(context), ...(status === undefined ? {} : { status }) },
    "never",
  );
}

/**
 * Returns the failure for an unusable response. The request is not retried, because a retry would get the same
 * response.
 */
function unusable({ model, baseUrl }: NetworkContext, { code = "", message, fault }: Link): ModelFailure {
  const said = problemIn(fault ?? { why: message.replace(/\.?$/u, ".") });
  return modelFailure("reply-unusable", { model, baseUrl, code, said }, "never");
}

function silent(model: string, milliseconds: number): ModelFailure {
  return modelFailure("reply-silent", { model, seconds: secondsOf(milliseconds) }, "soon");
}

function secondsOf(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}

/** Creates the failure for a reason, with its English text. */
export function modelFailure<Reason extends ErrorReason>(
  reason: Reason,
  params: ErrorParams<Reason>,
  retry: ModelFailure["retry"],
): ModelFailure {
  const { code, ...words } = inEnglish(reason, params);
  return { code: code as ModelFailureCode, ...words, retry };
}
