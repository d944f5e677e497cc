import type { Draft } from "../record/entry.ts";
import type { Json, Part, ReplyPart } from "../record/parts.ts";
import { isPersonCall } from "./calls.ts";
import type { Framing } from "./context/foreign-text.ts";
import { frame, framedNote, summaryFrame } from "./context/notices.ts";
import type { Outline } from "./outline.ts";
import type { Row } from "./row.ts";
import { estimateTokens } from "./token-estimate.ts";

/** The maximum number of counted replies to use for the calibration. The newest replies are used. */
const MAX_SAMPLES = 8;

/**
 * The size of the context at `head`. The size is the provider's count for the last reply on the branch, plus an
 * estimate for everything after that reply. The estimate is calibrated with data about the provider's tokenizer from
 * this session. The result depends only on the entries, so it is correct after every journey.
 *
 * A number that users have seen must not change when later replies improve the calibration. To get the number for a
 * specific entry, pass that entry's line as `upTo`: replies on later lines are then ignored.
 */
export function contextTokens(outline: Outline, head: Row | undefined, upTo = Infinity): number {
  const calibration = sessionCalibration(outline, upTo);
  const { raw, end } = climb(outline, head);
  if (isCounted(end)) return end.input + end.output + calibrated(raw, calibration);
  const base = end?.estimate ?? 0;
  return hiddenTokens(outline, calibration, upTo) + calibrated(raw + base, calibration);
}

/** The number of tokens that no entry accounts for, such as tool schemas and anything else that a provider adds. */
export function unseenTokens(outline: Outline): number {
  return hiddenTokens(outline, sessionCalibration(outline, Infinity), Infinity);
}

/** Calibrates with the replies on all branches, so that going back does not discard data from other branches. */
function sessionCalibration(outline: Outline, upTo: number): Calibration {
  const samples: Sample[] = [{ estimated: 0, actual: 0 }];
  for (const reply of newestCounted(outline, upTo)) {
    const { raw, end } = climb(outline, outline.at(reply.parent));
    if (!isCounted(end)) continue;
    const last = samples.at(-1) as Sample;
    samples.push({
      estimated: last.estimated + raw + end.estimate,
      actual: last.actual + Math.max(0, reply.input - end.input),
    });
  }
  return calibrationOf(samples);
}

/**
 * Adds up the raw estimates from `row` upward. Stops at an entry that records the size of everything before it, which
 * is a counted reply or a compaction. Does not add the estimate of that entry itself.
 */
function climb(
  outline: Outline,
  row: Row | undefined,
): { readonly raw: number; readonly end: Row | undefined } {
  let raw = 0;
  let at = row;
  while (at !== undefined && !isCounted(at) && at.kind !== "compaction") {
    raw += at.estimate;
    at = outline.at(at.parent);
  }
  return { raw, end: at };
}

/**
 * The number of tokens that the provider counts but no entry accounts for, such as those in tool schemas. The number is
 * unknown before the first counted reply.
 */
function hiddenTokens(outline: Outline, calibration: Calibration, upTo: number): number {
  const first = firstCounted(outline);
  if (first === undefined || first.seq > upTo) return 0;
  const { raw, end } = climb(outline, outline.at(first.parent));
  return Math.max(0, first.input - calibrated(raw + (end?.estimate ?? 0), calibration));
}

function newestCounted(outline: Outline, upTo: number): Row[] {
  const replies = outline.linesOf("reply");
  const last = replies.findLastIndex((line) => line <= upTo);
  const counted: Row[] = [];
  for (let index = last; index >= 0 && counted.length < MAX_SAMPLES; index -= 1) {
    const reply = outline.at(replies[index] ?? 0);
    if (isCounted(reply)) counted.push(reply);
  }
  return counted.reverse();
}

function firstCounted(outline: Outline): Row | undefined {
  for (const line of outline.linesOf("reply")) {
    const reply = outline.at(line);
    if (isCounted(reply)) return reply;
  }
  return undefined;
}

/** Checks whether a provider reported counts with this row. Only replies have counts. */
function isCounted(row: Row | undefined): row is Row & { readonly kind: "reply" } {
  return row !== undefined && row.input > 0;
}

/** Two measurements of the context that was sent for a reply: our estimate and the provider's count. */
export interface Sample {
  /** The raw estimate of the whole context. */
  readonly estimated: number;
  /** The provider's count of the same context, including cached tokens. */
  readonly actual: number;
}

/** The information about a provider's tokenizer that is derived from the replies in a session. */
interface Calibration {
  /** The number of actual tokens per estimated token. */
  readonly factor: number;
  /**
   * The number of tokens that the estimate does not include, such as tool schemas or a hidden prompt, plus the
   * estimate's accumulated error.
   */
  readonly overhead: number;
}

/** The calibration used until a provider has reported usage. Leaves raw estimates unchanged. */
export const UNCALIBRATED: Calibration = { factor: 1, overhead: 0 };

/**
 * Limits for the factor. No known tokenizer differs from the estimate by more than this, so a ratio beyond these limits
 * is caused by a bad sample, such as an image.
 */
const FACTOR_MIN = 0.4;
const FACTOR_MAX = 2.5;

/**
 * A ratio that differs from the typical ratio by more than this factor is clamped, so that it counts but does not
 * dominate.
 */
const SPREAD = 1.5;

/**
 * The weight of the initial factor, 1, in estimated tokens. This weight prevents a very small first increase from
 * distorting the factor.
 */
const PRIOR = 500;

/**
 * Computes the calibration from samples of a growing context, oldest first.
 *
 * The factor is derived from the growth of the context between samples, not from its size. A provider also counts tool
 * schemas, which the estimate does not include. Because their number of tokens is constant, it cancels out in a
 * difference. The overhead is then chosen so that the last sample fits exactly. A context that shrank because of a
 * backtrack or a compaction is not used to compute the factor.
 */
export function calibrationOf(samples: readonly Sample[]): Calibration {
  const last = samples.at(-1);
  if (last === undefined) return UNCALIBRATED;
  const factor = factorOf(growthsOf(samples));
  return { factor, overhead: last.actual - factor * last.estimated };
}

/** The best estimate of the actual size of a string whose raw estimate is `raw`. */
export function calibrated(raw: number, calibration: Calibration): number {
  return Math.round(raw * calibration.factor);
}

/**
 * The best estimate of the actual size of a whole context whose raw estimate is `raw`. The estimate is the last counted
 * size plus the calibrated growth since the last count, or minus the calibrated reduction.
 */
export function calibratedContext(raw: number, calibration: Calibration): number {
  return Math.max(0, Math.round(calibration.overhead + raw * calibration.factor));
}

interface Growth {
  readonly ratio: number;
  readonly weight: number;
}

function growthsOf(samples: readonly Sample[]): Growth[] {
  const growths: Growth[] = [];
  samples.forEach((sample, index) => {
    const earlier = samples[index - 1];
    if (earlier === undefined) return;
    const estimated = sample.estimated - earlier.estimated;
    const actual = sample.actual - earlier.actual;
    if (!(estimated > 0 && actual > 0)) return;
    growths.push({ ratio: actual / estimated, weight: estimated });
  });
  return growths;
}

function factorOf(growths: readonly Growth[]): number {
  const typical = clamp(medianOf(growths), FACTOR_MIN, FACTOR_MAX);
  let actual = PRIOR;
  let estimated = PRIOR;
  for (const { ratio, weight } of growths) {
    actual += weight * clamp(ratio, typical / SPREAD, typical * SPREAD);
    estimated += weight;
  }
  return clamp(actual / estimated, FACTOR_MIN, FACTOR_MAX);
}

/** The weighted median of the ratios; 1 if there are none. */
function medianOf(growths: readonly Growth[]): number {
  const half = growths.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let reached = 0;
  for (const { ratio, weight } of growths.toSorted((a, b) => a.ratio - b.ratio)) {
    reached += weight;
    if (reached >= half) return ratio;
  }
  return 1;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** The number of tokens that providers add to each message for its role and separators. */
const MESSAGE_TOKENS = 4;
/**
 * The number of tokens for a typical screenshot. Providers count images by their dimensions, which are not read here.
 */
const IMAGE_TOKENS = 1_500;
const TOOL_CALL_TOKENS = 8;
const REVOKED_TOKENS = 40;

/** The raw estimate of the tokens that an entry adds to the context; undefined for kinds that add nothing. */
export function weigh(draft: Draft, framing: Framing): number | undefined {
  switch (draft.kind) {
    case "session":
      return estimateTokens(draft.system);
    case "prompt":
      return MESSAGE_TOKENS + weighParts(draft.parts);
    case "tool-end":
      // The model is shown the user's commands in a notice, and the notice has its own estimate.
      return isPersonCall(draft.call) ? 0 : MESSAGE_TOKENS + weighParts(draft.parts);
    case "reply":
      return MESSAGE_TOKENS + weighReply(draft.parts);
    case "notice":
      return MESSAGE_TOKENS + estimateTokens(frame(draft.text, framing.tag).text);
    case "backtrack":
      return MESSAGE_TOKENS + weighParts(framedNote({ ...draft, estimate: 0 }, framing));
    case "redo":
      return draft.revokes === "note" ? REVOKED_TOKENS : 0;
    case "compaction":
      return weighSummary(draft.summary, framing);
    default:
      return undefined;
  }
}

export function weighSummary(summary: string, framing: Framing): number {
  return MESSAGE_TOKENS + estimateTokens(summaryFrame(summary, framing).text);
}

function weighParts(parts: readonly Part[]): number {
  return sum(parts.map((part) => (part.type === "text" ? estimateTokens(part.text) : IMAGE_TOKENS)));
}

function weighReply(parts: readonly ReplyPart[]): number {
  return sum(
    parts.map((part) =>
      part.type === "tool-call" ? TOOL_CALL_TOKENS + weighJson(part.input) : estimateTokens(part.text),
    ),
  );
}

function weighJson(input: Json): number {
  return estimateTokens(JSON.stringify(input));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
