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

const KEY_HINT = "Set ANTHROPIC_API_KEY, or log in with `claude`, or run `worldline setup`.";

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
  const said = sentenceOf(trouble.words);
  return {
    code: "MODEL_FAILED",
    message: said === "" ? "Claude failed." : `Claude failed: ${said}`,
    retry: "soon",
  };
}

function declined({ stop }: ApiTrouble): ModelFailure | undefined {
  if (stop !== "refusal") return undefined;
  return {
    code: "MODEL_REFUSED",
    message: "Claude declined to answer: its content filter stopped the reply.",
    hint: "Say it in other words, or go back to before it with `worldline rewind`.",
    retry: "never",
  };
}

function tooLong({ status, reason = "", words }: ApiTrouble): ModelFailure | undefined {
  const isRefusal = status === undefined || status === 400;
  if (!TOO_LONG.has(reason) && status !== 413 && !(isRefusal && TOO_LONG_WORDS.test(words))) return undefined;
  return {
    code: "CONTEXT_TOO_LONG",
    message: `The context is too long for Claude: ${sentenceOf(words)}`,
    hint: "Compact it with `worldline compact`, or choose a model with a larger window.",
    retry: "never",
  };
}

function outputLimit({ kind, words }: ApiTrouble): ModelFailure | undefined {
  if (kind !== "max_output_tokens") return undefined;
  const limit = /(\d+) output token/u.exec(words)?.[1];
  return {
    code: "MODEL_FAILED",
    message: `Claude hit the limit of a reply${limit === undefined ? "" : ` (${limit} tokens)`} again and again.`,
    hint: "Ask for less at once, or set CLAUDE_CODE_MAX_OUTPUT_TOKENS.",
    retry: "never",
  };
}

function outOfMoney({ status, kind, words }: ApiTrouble): ModelFailure | undefined {
  if (kind !== "billing_error" && status !== 402 && !MONEY_WORDS.test(words)) return undefined;
  return {
    code: "MODEL_REFUSED",
    message: `Claude refused the request${inBrackets(status)}: ${sentenceOf(words)}`,
    hint: "The account at the provider is out of money or quota.",
    retry: "never",
  };
}

function badKey(trouble: ApiTrouble): ModelFailure | undefined {
  const { status, kind = "", words } = trouble;
  const isRefused = status === 401 || status === 403 || KEY_KINDS.has(kind);
  if (!isRefused && !BAD_HEADER.test(words) && !NO_KEY.test(words)) return undefined;
  return { code: "MODEL_KEY", message: whatOfTheKey(trouble), hint: KEY_HINT, retry: "never" };
}

function whatOfTheKey({ status, words }: ApiTrouble): string {
  if (NO_KEY.test(words)) return "There is no key and no login for Claude.";
  if (BAD_HEADER.test(words)) return "The key for Claude has characters in it that no key has.";
  if (/\bexpired\b/iu.test(words)) return `The login for Claude has expired${inBrackets(status)}.`;
  const message = `Claude does not accept the key or the login${inBrackets(status)}`;
  // Who answers 401 may well quote the key.
  return status === 401 ? `${message}.` : `${message}: ${sentenceOf(words)}`;
}

function busy({ status, kind, words }: ApiTrouble): ModelFailure | undefined {
  const isBusy = status !== undefined && BUSY_STATUS.has(status);
  if (!isBusy && kind !== "rate_limit" && kind !== "overloaded") return undefined;
  return { code: "MODEL_BUSY", message: `Claude is busy: ${sentenceOf(words)}`, retry: "soon" };
}

function proxyAsks({ status }: ApiTrouble): ModelFailure | undefined {
  if (status !== 407) return undefined;
  return {
    code: "MODEL_UNREACHABLE",
    message: "The proxy wants to know who asks (status 407).",
    hint: "Put a name and a password into the proxy variable, or the address into NO_PROXY.",
    retry: "never",
  };
}

function unknownModel({ status, kind, words }: ApiTrouble): ModelFailure | undefined {
  if (status !== 404 && kind !== "model_not_found") return undefined;
  const model = /selected model \(([^)]+)\)/u.exec(words)?.[1];
  return {
    code: "MODEL_UNKNOWN",
    message: `${model === undefined ? "The model" : `The model ${model}`} is not known, or not open to this account${inBrackets(status)}.`,
    hint: "Choose another with --model. Where ANTHROPIC_BASE_URL is set, check that address too.",
    retry: "never",
  };
}

function broken({ status = 0, words }: ApiTrouble): ModelFailure | undefined {
  if (status < 500) return undefined;
  return {
    code: "MODEL_FAILED",
    message: `Claude failed with status ${status}: ${sentenceOf(words)}`,
    retry: "soon",
  };
}

function refused({ status = 0, words }: ApiTrouble): ModelFailure | undefined {
  if (status < 400) return undefined;
  const message = `Claude refused the request (status ${status}): ${sentenceOf(words)}`;
  return { code: "MODEL_REFUSED", message, retry: "never" };
}

function inBrackets(status: number | undefined): string {
  return status === undefined ? "" : ` (status ${status})`;
}
