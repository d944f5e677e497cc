import { modelFailure } from "../../../../agent/models/wire/model-failure.ts";
import type { ModelFailure } from "../../../../ports/model.ts";
import { networkFailure } from "./network-failure.ts";
import { sentenceOf } from "./said.ts";

/** What the SDK says of an API that failed. */
export interface ApiTrouble {
  /** Absent where there was no answer. */
  readonly status?: number;
  /** `error` of its synthetic message. Too coarse to go by alone: 529 is "server_error", and most of 400 is "unknown". */
  readonly kind?: string;
  /** `terminal_reason` of the result. */
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

type Judge = (trouble: ApiTrouble) => ModelFailure | undefined;

/** In this order: what is said more exactly comes first. */
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

export function apiFailure(trouble: ApiTrouble): ModelFailure {
  for (const judge of judges) {
    const failure = judge(trouble);
    if (failure !== undefined) return failure;
  }
  return modelFailure("claude-failed", { said: sentenceOf(trouble.words) }, "soon");
}

function declined({ stop }: ApiTrouble): ModelFailure | undefined {
  return stop === "refusal" ? modelFailure("claude-declined", {}, "never") : undefined;
}

function tooLong({ status, reason = "", words }: ApiTrouble): ModelFailure | undefined {
  const isRefusal = status === undefined || status === 400;
  if (!TOO_LONG.has(reason) && status !== 413 && !(isRefusal && TOO_LONG_WORDS.test(words))) return undefined;
  return modelFailure("claude-context-too-long", { said: sentenceOf(words) }, "never");
}

function outputLimit({ kind, words }: ApiTrouble): ModelFailure | undefined {
  if (kind !== "max_output_tokens") return undefined;
  const tokens = /(\d+) output token/u.exec(words)?.[1];
  return modelFailure("claude-reply-limit", tokens === undefined ? {} : { tokens }, "never");
}

function outOfMoney({ status, kind, words }: ApiTrouble): ModelFailure | undefined {
  if (kind !== "billing_error" && status !== 402 && !MONEY_WORDS.test(words)) return undefined;
  return modelFailure("claude-out-of-money", { ...withStatus(status), said: sentenceOf(words) }, "never");
}

function badKey({ status, kind = "", words }: ApiTrouble): ModelFailure | undefined {
  const isRefused = status === 401 || status === 403 || KEY_KINDS.has(kind);
  if (NO_KEY.test(words)) return modelFailure("claude-no-key", {}, "never");
  if (BAD_HEADER.test(words)) return modelFailure("claude-key-unsendable", {}, "never");
  if (!isRefused) return undefined;
  if (/\bexpired\b/iu.test(words)) return modelFailure("claude-login-expired", withStatus(status), "never");
  // Who answers 401 may well quote the key.
  const said = status === 401 ? {} : { said: sentenceOf(words) };
  return modelFailure("claude-key-refused", { ...withStatus(status), ...said }, "never");
}

function busy({ status, kind, words }: ApiTrouble): ModelFailure | undefined {
  const isBusy = status !== undefined && BUSY_STATUS.has(status);
  if (!isBusy && kind !== "rate_limit" && kind !== "overloaded") return undefined;
  return modelFailure("claude-busy", { said: sentenceOf(words) }, "soon");
}

function proxyAsks({ status }: ApiTrouble): ModelFailure | undefined {
  return status === 407 ? modelFailure("claude-proxy-wants-password", {}, "never") : undefined;
}

function unknownModel({ status, kind, words }: ApiTrouble): ModelFailure | undefined {
  if (status !== 404 && kind !== "model_not_found") return undefined;
  const model = /selected model \(([^)]+)\)/u.exec(words)?.[1];
  const named = model === undefined ? {} : { model };
  return modelFailure("claude-model-refused", { ...withStatus(status), ...named }, "never");
}

function broken({ status = 0, words }: ApiTrouble): ModelFailure | undefined {
  if (status < 500) return undefined;
  return modelFailure("claude-failed-with", { status, said: sentenceOf(words) }, "soon");
}

function refused({ status = 0, words }: ApiTrouble): ModelFailure | undefined {
  if (status < 400) return undefined;
  return modelFailure("claude-refused", { status, said: sentenceOf(words) }, "never");
}

function withStatus(status: number | undefined): { readonly status?: number } {
  return status === undefined ? {} : { status };
}
