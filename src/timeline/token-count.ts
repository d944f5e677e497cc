import type { Draft } from "../record/entry.ts";
import type { Seq } from "../record/ids.ts";
import type { Json, Part, ReplyPart } from "../record/parts.ts";
import { isPersonCall } from "./calls.ts";
import type { Framing } from "./context/foreign-text.ts";
import { frame, framedNote, summaryFrame } from "./context/notices.ts";
import type { Outline } from "./outline.ts";
import type { Row } from "./row.ts";
import { estimateTokens } from "./token-estimate.ts";

/** How many of the newest counted replies a calibration learns from. */
const MAX_SAMPLES = 8;

/** How much of the log is looked at: everything, or only what was written up to a line. */
type UpTo = Seq | "end";

/**
 * The size of the context at `head`. Truth is what the provider counted for the last reply on
 * the branch; what came after it is estimated, with what this session has taught us about the
 * provider's tokenizer. All of it is read off the entries, so it is right after every journey.
 *
 * What was shown once must not change because later replies have taught us more: give `upTo` for a number that belongs to
 * an entry.
 */
export function contextTokens(outline: Outline, head: Row | undefined, upTo: UpTo = "end"): number {
  const calibration = sessionCalibration(outline, upTo);
  const { raw, end } = climb(outline, head);
  if (end !== undefined && isCounted(end)) return end.input + end.output + calibrated(raw, calibration);
  const base = end?.estimate ?? 0;
  return hiddenTokens(outline, calibration, upTo) + calibrated(raw + base, calibration);
}

/** Of that, what no entry holds: tool schemas, and whatever else a provider adds to what it is sent. */
export function unseenTokens(outline: Outline): number {
  return hiddenTokens(outline, sessionCalibration(outline, "end"), "end");
}

/** Learnt over all branches: what a left branch has taught is not forgotten by going back. */
function sessionCalibration(outline: Outline, upTo: UpTo): Calibration {
  const samples: Sample[] = [{ estimated: 0, actual: 0 }];
  for (const reply of newestCounted(outline, upTo)) {
    const { raw, end } = climb(outline, outline.at(reply.parent));
    if (end === undefined || !isCounted(end)) continue;
    const last = samples.at(-1) as Sample;
    samples.push({
      estimated: last.estimated + raw + end.estimate,
      actual: last.actual + Math.max(0, reply.input - end.input),
    });
  }
  return calibrationOf(samples);
}

/**
 * Adds up the raw estimates from `row` to the nearest entry that says how much lies before it:
 * a counted reply, a compaction, or the session itself, which is not added.
 */
function climb(
  outline: Outline,
  row: Row | undefined,
): { readonly raw: number; readonly end: Row | undefined } {
  let raw = 0;
  let at = row;
  while (at !== undefined && !isCounted(at) && at.kind !== "compaction" && at.kind !== "session") {
    raw += at.estimate;
    at = outline.at(at.parent);
  }
  return { raw, end: at };
}

/** What the provider counts and no entry holds, such as tool schemas; known from the first counted reply. */
function hiddenTokens(outline: Outline, calibration: Calibration, upTo: UpTo): number {
  const first = firstCounted(outline);
  if (first === undefined || (upTo !== "end" && first.seq > upTo)) return 0;
  const { raw, end } = climb(outline, outline.at(first.parent));
  return Math.max(0, first.input - calibrated(raw + (end?.estimate ?? 0), calibration));
}

function newestCounted(outline: Outline, upTo: UpTo): Row[] {
  const replies = outline.linesOf("reply");
  const last = upTo === "end" ? replies.length - 1 : replies.findLastIndex((line) => line <= upTo);
  const counted: Row[] = [];
  for (let index = last; index >= 0 && counted.length < MAX_SAMPLES; index -= 1) {
    const reply = outline.at(replies[index] ?? 0);
    if (reply !== undefined && isCounted(reply)) counted.push(reply);
  }
  return counted.reverse();
}

function firstCounted(outline: Outline): Row | undefined {
  for (const line of outline.linesOf("reply")) {
    const reply = outline.at(line);
    if (reply !== undefined && isCounted(reply)) return reply;
  }
  return undefined;
}

function isCounted(row: Row): boolean {
  return row.kind === "reply" && row.input > 0;
}

/** One reply's word on the whole context it was sent: what we had guessed, and what the provider counted. */
export interface Sample {
  /** The raw estimate of the whole context. */
  readonly estimated: number;
  /** The provider's count of the same context, cached tokens included. */
  readonly actual: number;
}

/** What a session has learnt about its provider's tokenizer. */
interface Calibration {
  /** True tokens per estimated one. */
  readonly factor: number;
  /** What the estimate never sees (tool schemas, a hidden prompt), and the error it has gathered so far. */
  readonly overhead: number;
}

/** Before the first usage: the estimate as it is. */
export const UNCALIBRATED: Calibration = { factor: 1, overhead: 0 };

/** No tokenizer in use is further from the estimate; beyond lies a mistaken sample, such as an image. */
const FACTOR_MIN = 0.4;
const FACTOR_MAX = 2.5;

/** A growth this far from the typical one counts as if it were this far: it is seen, but cannot rule. */
const SPREAD = 1.5;

/** Estimated tokens' worth of trust in factor 1, so that a first tiny growth does not swing it. */
const PRIOR = 500;

/**
 * Learns from the replies of one branch, oldest first, all from one model.
 *
 * The factor comes from how the context grew between replies, not from its size: a provider counts tool
 * schemas that the estimate never sees, and a constant vanishes in a difference. The overhead is then set so
 * that the last sample is met exactly. A context that shrank (a backtrack, a compaction) teaches nothing
 * about the factor.
 */
export function calibrationOf(samples: readonly Sample[]): Calibration {
  const last = samples.at(-1);
  if (last === undefined) return UNCALIBRATED;
  const factor = factorOf(growthsOf(samples));
  return { factor, overhead: last.actual - factor * last.estimated };
}

/** The true size of a text whose raw estimate is `raw`, as far as this session can tell. */
export function calibrated(raw: number, calibration: Calibration): number {
  return Math.round(raw * calibration.factor);
}

/**
 * The true size of a whole context whose raw estimate is `raw`: the last counted size, plus the calibrated
 * growth since, or minus the calibrated loss.
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

/** The weighted median ratio; 1 when there is none. */
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

/** What providers add around each message: roles and separators. */
const MESSAGE_TOKENS = 4;
/** Providers count images by their size, which we do not look into; a screenshot is about this much. */
const IMAGE_TOKENS = 1_500;
const TOOL_CALL_TOKENS = 8;
const REVOKED_TOKENS = 40;

/** The raw estimate of what an entry adds to the context; undefined for kinds that add nothing. */
export function weigh(draft: Draft, framing: Framing): number | undefined {
  switch (draft.kind) {
    case "session":
      return estimateTokens(draft.system);
    case "prompt":
      return MESSAGE_TOKENS + weighParts(draft.parts);
    case "tool-end":
      // What the model is told of a command of the person's stands in a notice.
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
