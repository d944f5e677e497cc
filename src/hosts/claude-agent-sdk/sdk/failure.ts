import { modelFailure } from "../../../agent/models/wire/model-failure.ts";
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
import { apiFailure } from "./failures/api-failure.ts";
import { deathOf, knownFailure } from "./failures/process-failure.ts";
import { sentenceOf } from "./failures/said.ts";
import type { SdkApiRetry, SdkAssistant, SdkResult } from "./sdk-types.ts";

const INTERRUPTED = new Set(["aborted_streaming", "aborted_tools"]);
/** The SDK's own note for those who made it: it says nothing to anybody else. */
const DIAGNOSTIC = /^\[ede_diagnostic\]/u;

/**
 * How the turn failed, where its result says so: also where an API that failed ended it as a "success". `said` is the SDK's
 * own message about it, by which it is told more exactly. Undefined: it did not fail.
 */
export function failureOfResult(result: SdkResult, said?: SdkAssistant): ModelFailure | undefined {
  if (!result.is_error) return isEmpty(result) ? modelFailure("claude-empty-reply", {}, "soon") : undefined;
  if (INTERRUPTED.has(result.terminal_reason ?? "")) {
    return modelFailure("turn-interrupted", {}, "never");
  }
  return result.subtype === "success" ? ofApi(result, said) : ofSdk(result);
}

/** What the process or the SDK threw, with what it printed to stderr. */
export function failureOfThrown(error: unknown, stderr: string): WorldlineError {
  if (isWorldlineError(error)) return error;
  const words = error instanceof Error ? error.message : String(error);
  const { reason, params } =
    knownFailure(words) ?? knownFailure(stderr) ?? ofLast(words) ?? deathOf(words, stderr);
  // Each comes from the catalogue, with the parameters of its reason.
  return new WorldlineError(reason as ErrorReason, params as ErrorParams, { cause: error });
}

/** A retry that the SDK makes by itself, as our event needs it. */
export function retryOf(message: SdkApiRetry): Pick<RetryEvent, "attempt" | "of" | "waitMs"> & WhyAgain {
  const { attempt, max_retries: of, retry_delay_ms: waitMs } = message;
  return { attempt, of, waitMs: Math.round(waitMs), ...whyAgain(message) };
}

/** What a command of the SDK's own ends with has no reason to stop: there the model was not asked. */
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

/** A process that ends after a turn that failed throws how that turn had ended. */
function ofLast(words: string): ModelFailure | undefined {
  return words.startsWith("Claude Code returned an error result: ") ? apiFailure({ words }) : undefined;
}

function whyAgain({ error_status: status, error }: SdkApiRetry): WhyAgain {
  if (status === null) return withoutHint(inEnglish("claude-connection-cut", {}));
  const { code } = apiFailure({ status, kind: error, words: "" });
  if (code === "MODEL_BUSY") return withoutHint(inEnglish("claude-busy-with", { status }));
  if (code === "MODEL_KEY") return withoutHint(inEnglish("claude-key-refused", { status }));
  return { ...withoutHint(inEnglish("claude-failed-with", { status })), code };
}

type WhyAgain = Pick<RetryEvent, "code" | "message" | "reason" | "params">;

function withoutHint({ code, message, reason, params }: EnglishError): WhyAgain {
  return { code, message, reason, params };
}
