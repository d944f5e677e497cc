import type { ModelFailure } from "../../../ports/model.ts";
import { Redirected } from "../model-fetch.ts";
import { errnoFailure } from "./network-failure.ts";
import { answerOf, causeOf, chainOf, type HttpAnswer, said } from "./what-was-said.ts";

/** What a failure needs to say more than the error knows. */
export interface Scene {
  /** "provider/name". */
  readonly model: string;
  /** Without a password. */
  readonly baseUrl: string;
  /** How it was gone there: "directly", or through which proxy. Without a password. */
  readonly route: string;
  /** Where the key comes from, or could come from. */
  readonly keyHint: string;
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
  if (scene.cancelled === "yes") {
    return {
      code: "CANCELLED",
      message: "The call of the model was cancelled.",
      retry: "never",
      cause: error,
    };
  }
  const answer = answerOf(error);
  const failure = answer === undefined ? withoutAnswer(error, scene) : ofAnswer(answer, scene);
  return scrubbed({ ...failure, cause: error }, scene.secrets);
}

export function cutFailure(scene: Scene, what = "before the reply was whole"): ModelFailure {
  return {
    code: "MODEL_FAILED",
    message: `The stream of ${scene.model} was cut ${what}.`,
    retry: "soon",
  };
}

export function emptyFailure(scene: Scene, end: "length" | undefined): ModelFailure {
  const why = end === "length" ? "it hit its limit before it said anything" : "no text and no tool call";
  return { code: "MODEL_FAILED", message: `${scene.model} sent an empty reply: ${why}.`, retry: "soon" };
}

export function refusedFailure(scene: Scene): ModelFailure {
  return {
    code: "MODEL_REFUSED",
    message: `${scene.model} declined to answer: its content filter stopped the reply.`,
    hint: "Say it in other words, or go back to before it with `worldline rewind`.",
    retry: "never",
  };
}

/** No answer came, or one came and then broke off. */
function withoutAnswer(error: unknown, scene: Scene): ModelFailure {
  const redirected = causeOf(error, Redirected);
  if (redirected !== undefined) return redirectedFailure(redirected, scene);
  const words = said(error);
  if (TOO_LONG.test(words)) return tooLong(words, scene);
  if (BUSY.test(words)) return busy(words, scene);
  const chain = chainOf(error);
  if (chain.some(({ message }) => BAD_HEADER.test(message))) {
    const message = `The key for ${scene.model} has characters in it that no key has.`;
    return { code: "MODEL_KEY", message, hint: scene.keyHint, retry: "never" };
  }
  const page = chain.find(({ code }) => code === "NO_MODEL_SERVER");
  if (page !== undefined) return noModelServer(page.message, scene);
  const isBroken = chain.some(({ status }) => status !== undefined && status < 400);
  return (
    errnoFailure(chain, { ...scene, phase: isBroken ? "streaming" : "connecting" }) ?? {
      code: "MODEL_FAILED",
      message: `${scene.model} failed${words === "" ? "" : `: ${sentence(words)}`}`,
      retry: "soon",
    }
  );
}

function redirectedFailure({ status, target }: Redirected, { model, baseUrl, route }: Scene): ModelFailure {
  const to = target === undefined ? "without a usable address" : `to ${target.href}`;
  return {
    code: "MODEL_REDIRECTED",
    message: `${baseUrl}, reached ${route}, redirects ${to} (status ${status}). Nothing was sent there: the request holds the key for ${model} and the conversation.`,
    hint: `Redirects are not followed.${afterRedirect(target, baseUrl)} \`worldline models --json\` shows the base URL of each provider.`,
    retry: "never",
  };
}

function afterRedirect(target: URL | undefined, baseUrl: string): string {
  if (target === undefined) return "";
  return URL.canParse(baseUrl) && new URL(baseUrl).origin === target.origin
    ? " If that path is right, put it into the base URL of the provider."
    : ` If you trust ${target.host}, make it the base URL of the provider.`;
}

function noModelServer(words: string, { baseUrl, route }: Scene): ModelFailure {
  return {
    code: "MODEL_UNREACHABLE",
    message: `There is no model's server at ${baseUrl}, reached ${route}. ${words}`,
    hint: "Check the address: `worldline models --json` has that of each provider. It may also be a login page of the network.",
    retry: "never",
  };
}

function ofAnswer(answer: HttpAnswer, scene: Scene): ModelFailure {
  const { status, words } = answer;
  if (BUSY_STATUS.has(status) && !OUT_OF_MONEY.test(words)) {
    return { ...busy(words, scene), ...retryAfter(answer, scene.now) };
  }
  if (status >= 500 && !TOO_LONG.test(words)) {
    const message = `${scene.model} failed with status ${status}: ${sentence(words)}`;
    return { code: "MODEL_FAILED", message, retry: "soon", ...retryAfter(answer, scene.now) };
  }
  return ofRefusal(answer, scene);
}

function ofRefusal({ status, words }: HttpAnswer, scene: Scene): ModelFailure {
  const { model, baseUrl, keyHint } = scene;
  if (status === 413 || TOO_LONG.test(words)) return tooLong(words, scene);
  if (status === 401 || status === 403) {
    const message = `${baseUrl} does not accept the key for ${model} (status ${status}): ${sentence(words)}`;
    return { code: "MODEL_KEY", message, hint: keyHint, retry: "never" };
  }
  if (status === 407) {
    const message = `The proxy wants to know who asks (status 407); ${baseUrl} was tried ${scene.route}.`;
    const hint = "Put a name and a password into the proxy variable, or the address into NO_PROXY.";
    return { code: "MODEL_UNREACHABLE", message, hint, retry: "never" };
  }
  if (status === 404 || UNKNOWN_MODEL.test(words)) {
    const message = `${baseUrl} does not know ${model} (status ${status}): ${sentence(words)}`;
    const chat = model.startsWith("openai/")
      ? " A server without Responses is spoken to as openai-chat/<name>."
      : "";
    const hint = `\`worldline models\` lists what can be used, and the address of each provider.${chat}`;
    return { code: "MODEL_UNKNOWN", message, hint, retry: "never" };
  }
  const message = `${model} refused the request (status ${status}): ${sentence(words)}`;
  const hint = OUT_OF_MONEY.test(words) ? "The account at the provider is out of money or quota." : undefined;
  return { code: "MODEL_REFUSED", message, retry: "never", ...(hint === undefined ? {} : { hint }) };
}

function tooLong(words: string, scene: Scene): ModelFailure {
  return {
    code: "CONTEXT_TOO_LONG",
    message: `The context is too long for ${scene.model}: ${sentence(words)}`,
    hint: "Compact it with `worldline compact`, or choose a model with a larger window.",
    retry: "never",
  };
}

function busy(words: string, scene: Scene): ModelFailure {
  return { code: "MODEL_BUSY", message: `${scene.model} is busy: ${sentence(words)}`, retry: "soon" };
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
  const message = secrets
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .reduce((text, secret) => text.replaceAll(secret, "(key)"), failure.message);
  return { ...failure, message };
}
