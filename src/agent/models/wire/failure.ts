import type { ModelFailure } from "../../../ports/model.ts";
import type { ErrorParams } from "../../../record/error.ts";
import { isJsonObject } from "../../../record/json.ts";
import { NoModelServer, Redirected } from "../model-fetch.ts";
import { modelFailure } from "./model-failure.ts";
import { errnoFailure, reached } from "./network-failure.ts";
import { answerOf, causeOf, chainOf, type HttpAnswer, said } from "./what-was-said.ts";

/** What a failure needs to say more than the error knows. */
export interface Scene {
  /** "provider/name". */
  readonly model: string;
  /** Without a password. */
  readonly baseUrl: string;
  /** Through which proxy it was gone there. Without a password. */
  readonly proxy?: NonNullable<ErrorParams<"model-unreachable">["proxy"]>;
  /** Where the key comes from, or could come from. */
  readonly keyFrom: ErrorParams<"key-refused">["key"];
  /** Never shown, whoever quotes them. */
  readonly secrets: readonly string[];
  /** How long it was waited for a connection, for the next bytes, and for the first ones. */
  readonly connectMs: number;
  readonly silenceMs: number;
  readonly firstByteMs: number;
  /** Milliseconds since 1970, for a provider that names a date. */
  readonly now: number;
  readonly cancelled: "yes" | "no";
}

/** As Anthropic, OpenAI, Moonshot, Google, llama.cpp and LM Studio say it, in this order. */
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

/** What `fetch` says of a header that holds what no header can, which is only ever the key. */
const BAD_HEADER = /invalid header value|ByteString|Invalid character in header/i;

const BUSY_STATUS = new Set([408, 409, 425, 429, 529]);

/** Why there is no reply, as whoever calls can decide on it. Pure: the same error and scene, the same failure. */
export function failureOf(error: unknown, scene: Scene): ModelFailure {
  if (scene.cancelled === "yes") return { ...modelFailure("model-cancelled", {}, "never"), cause: error };
  const answer = answerOf(error);
  const failure = answer === undefined ? withoutAnswer(error, scene) : ofAnswer(answer, scene);
  return scrubbed({ ...failure, cause: error }, scene.secrets);
}

/** `end`: why it ended, where the provider says something that is no end. */
export function cutFailure({ model }: Scene, end?: string): ModelFailure {
  return end === undefined
    ? modelFailure("reply-cut", { model }, "soon")
    : modelFailure("reply-ended-oddly", { model, end }, "soon");
}

export function emptyFailure({ model }: Scene, end: "length" | undefined): ModelFailure {
  return modelFailure("reply-empty", { model, limit: end === "length" ? "hit" : "not-hit" }, "soon");
}

export function refusedFailure({ model }: Scene): ModelFailure {
  return modelFailure("reply-refused", { model }, "never");
}

/** No answer came, or one came and then broke off. */
function withoutAnswer(error: unknown, scene: Scene): ModelFailure {
  const { model } = scene;
  const redirected = causeOf(error, Redirected);
  if (redirected !== undefined) return redirectedFailure(redirected, scene);
  const words = said(error);
  if (TOO_LONG.test(words)) return tooLong(words, scene);
  if (BUSY.test(words)) return busy(words, scene);
  const chain = chainOf(error);
  if (chain.some(({ message }) => BAD_HEADER.test(message)))
    return modelFailure("key-unsendable", { model, key: scene.keyFrom }, "never");
  const page = causeOf(error, NoModelServer);
  if (page !== undefined) {
    return modelFailure("no-model-server", { ...reached(scene), contentType: page.contentType }, "never");
  }
  const isBroken = chain.some(({ status }) => status !== undefined && status < 400);
  return (
    errnoFailure(chain, { ...scene, phase: isBroken ? "streaming" : "connecting" }) ??
    modelFailure("model-failed", { model, said: words === "" ? "" : sentence(words) }, "soon")
  );
}

function redirectedFailure({ status, target }: Redirected, scene: Scene): ModelFailure {
  const { baseUrl } = scene;
  const isSame = target !== undefined && URL.canParse(baseUrl) && new URL(baseUrl).origin === target.origin;
  const to = target === undefined ? {} : { to: target.href, ...(isSame ? {} : { host: target.host }) };
  return modelFailure("model-redirected", { ...reached(scene), status, ...to }, "never");
}

function ofAnswer(answer: HttpAnswer, scene: Scene): ModelFailure {
  const { status, words } = answer;
  if (BUSY_STATUS.has(status) && !OUT_OF_MONEY.test(words)) {
    return { ...busy(words, scene), ...retryAfter(answer, scene.now) };
  }
  if (status >= 500 && !TOO_LONG.test(words)) {
    const params = { model: scene.model, status, said: sentence(words) };
    return { ...modelFailure("model-failed-with", params, "soon"), ...retryAfter(answer, scene.now) };
  }
  return ofRefusal(answer, scene);
}

function ofRefusal({ status, words }: HttpAnswer, scene: Scene): ModelFailure {
  const { model, baseUrl, keyFrom: key } = scene;
  if (status === 413 || TOO_LONG.test(words)) return tooLong(words, scene);
  const params = { model, status, said: sentence(words) };
  if (status === 401 || status === 403)
    return modelFailure("key-refused", { ...params, baseUrl, key }, "never");
  if (status === 407) return modelFailure("proxy-wants-password", reached(scene), "never");
  if (status === 404 || UNKNOWN_MODEL.test(words)) {
    const api = model.startsWith("openai/") ? "responses" : "other";
    return modelFailure("model-unknown", { ...params, baseUrl, api }, "never");
  }
  return modelFailure(OUT_OF_MONEY.test(words) ? "model-out-of-money" : "model-refused", params, "never");
}

function tooLong(words: string, { model }: Scene): ModelFailure {
  return modelFailure("context-too-long", { model, said: sentence(words) }, "never");
}

function busy(words: string, { model }: Scene): ModelFailure {
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
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

/** What is shorter is no key of any provider, and stands in ordinary words: they would not be readable any more. */
const SHORTEST_SECRET = 8;

function scrubbed(failure: ModelFailure, secrets: readonly string[]): ModelFailure {
  const long = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
  const scrub = (text: string): string =>
    long.reduce((rest, secret) => rest.replaceAll(secret, "(key)"), text);
  const { params } = failure;
  const bare = isJsonObject(params)
    ? Object.entries(params).map(([name, value]) => [name, typeof value === "string" ? scrub(value) : value])
    : undefined;
  return {
    ...failure,
    message: scrub(failure.message),
    ...(bare === undefined ? {} : { params: Object.fromEntries(bare) }),
  };
}
