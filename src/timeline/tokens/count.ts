import type { Seq } from "../../record/ids.ts";
import type { Outline } from "../outline.ts";
import type { Row } from "../row.ts";
import { type Calibration, calibrated, calibrationOf, type Sample } from "./calibration.ts";

/** How many of the newest counted replies a calibration learns from. */
const MOST_SAMPLES = 8;

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
  for (let index = last; index >= 0 && counted.length < MOST_SAMPLES; index -= 1) {
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
