import { CAPITALS, DIGIT, EDGE, kindAt, LOWER, TITLE } from "./character-kind.ts";
import type { Units } from "./units.ts";

/** A stretch of one character kind. One cursor is moved along: an object per run would halve the speed. */
export interface Run {
  readonly units: Units;
  kind: number;
  start: number;
  end: number;
  before: number;
  after: number;
  /** Where the last digit of this letters-and-digits stretch ended, to tell hashes from words. */
  digitEnd: number;
}

/** How many letters a digit marks as noise; bounded, so that cutting a text hardly alters its price. */
const NOISE_REACH = 16;
const FAR_BACK = -NOISE_REACH - 1;

/** A cursor before the first run of a text, which must not be empty. */
export function beforeFirstRun(units: Units): Run {
  return { units, kind: EDGE, start: 0, end: 0, before: EDGE, after: kindAt(units, 0), digitEnd: FAR_BACK };
}

/** Moves the cursor to the next run; there must be one. */
export function advance(run: Run): void {
  run.before = run.kind;
  run.kind = run.after;
  run.start = run.end;
  extend(run, run.kind);
  // "Buffer" and "HTTPServer" are one word each: capitals begin it, they do not end one.
  if (run.kind === CAPITALS && run.after === LOWER) {
    run.kind = TITLE;
    extend(run, LOWER);
  }
  if (run.kind === DIGIT) run.digitEnd = run.end;
  else if (!isWord(run.kind)) run.digitEnd = FAR_BACK;
}

/** Moves the end behind this kind, of which the character at the end is one. */
function extend(run: Run, kind: number): void {
  const { units } = run;
  let end = run.end + 1;
  while (kindAt(units, end) === kind) end++;
  run.end = end;
  run.after = kindAt(units, end);
}

export function isWord(kind: number): boolean {
  return kind === LOWER || kind === CAPITALS || kind === TITLE;
}

/** Letters after digits: hashes, base64. No vocabulary holds them whole. */
export function isNoise(run: Run): boolean {
  return run.start - run.digitEnd <= NOISE_REACH;
}

/** How many characters of the run differ from the one before them, the first included. */
export function changesIn(run: Run): number {
  const { units } = run;
  let changes = 1;
  for (let at = run.start + 1; at < run.end; at++) if (units[at] !== units[at - 1]) changes++;
  return changes;
}
