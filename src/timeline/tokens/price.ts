import {
  ASTRAL,
  BREAK,
  CAPITALS,
  DIGIT,
  FULLWIDTH,
  HAN,
  HANGUL,
  KANA,
  LOWER,
  PUNCTUATION,
  SCRIPT,
  SPACE,
  SYMBOL,
  TITLE,
} from "./character-kind.ts";
import type { Run } from "./run.ts";
import { changesIn, isNoise, isWord } from "./run.ts";

/**
 * The tokens a run costs on average.
 *
 * The numbers are means: every token o200k_base made of a mixed corpus (700,000 tokens of prose, code, logs
 * and data) was charged to the run it mostly covers. cl100k_base agrees within a few per cent except on Han,
 * kana and other scripts, where it pays up to half as much again; Han is priced a little above o200k_base.
 */
export function priceOf(run: Run): number {
  const length = run.end - run.start;
  switch (run.kind) {
    case LOWER:
    case TITLE:
    case CAPITALS:
      return wordPrice(run, length);
    case SPACE:
      return spacePrice(run, length);
    case PUNCTUATION:
      return length === 1 ? markPrice(run) : marksPrice(run, length);
    case DIGIT:
      return Math.ceil(length / 3);
    case BREAK:
      return breakPrice(run, length);
    case SYMBOL:
      return symbolPrice(run, length);
    default:
      return scriptPrice(run.kind, length);
  }
}

function wordPrice(run: Run, length: number): number {
  if (isNoise(run)) return 1 + 0.45 * Math.max(0, length - 2);
  if (run.after === DIGIT) return 1 + 0.18 * Math.max(0, length - 2);
  if (run.kind === CAPITALS) return 1 + 0.17 * (length - 1);
  return 1 + slopeOf(run) * Math.max(0, length - 4) + 0.15 * Math.max(0, length - 12);
}

/** What each further letter costs: vocabularies know words after a space or a quote, not after a slash. */
function slopeOf(run: Run): number {
  if (run.before === PUNCTUATION) return markAt(run, run.start - 1).slope;
  const opensName = run.kind === TITLE && !isWord(run.before);
  return opensName ? 0.1 : PLAIN.slope;
}

interface Mark {
  /** The mark's own price when a word follows it. */
  readonly price: number;
  /** What it makes each letter of a long word after it cost. */
  readonly slope: number;
}

// ".length", "_id" and "(value" are vocabulary entries; "/length" sometimes; "#length" and "`value" never.
const PLAIN: Mark = { price: 0.8, slope: 0.04 };
const MEMBER: Mark = { price: 0.05, slope: 0.1 };
const PATH: Mark = { price: 0.22, slope: 0.19 };
const VALUE: Mark = { price: 0.22, slope: 0.06 };

/** By the mark's unit: marks are all ASCII. */
const MARKS: readonly Mark[] = Array.from({ length: 128 }, (_, unit) => markOf(String.fromCharCode(unit)));

function markOf(character: string): Mark {
  if ("._('\\".includes(character)) return MEMBER;
  if ("-/@:[".includes(character)) return PATH;
  return ",=<%".includes(character) ? VALUE : PLAIN;
}

function markAt(run: Run, at: number): Mark {
  return MARKS[run.units[at] ?? 0] ?? PLAIN;
}

function markPrice(run: Run): number {
  if (run.after === BREAK) return 0.85;
  const standsAlone = run.before === SPACE || run.before === HAN || run.before === FULLWIDTH;
  return standsAlone || !isWord(run.after) ? 1 : markAt(run, run.start).price;
}

/** Repeating a mark is nearly free ("----" is one token); changing it is not. */
function marksPrice(run: Run, length: number): number {
  const changes = changesIn(run);
  return 1 + (length - changes) / 24 + (changes > 2 ? 0.3 + 0.48 * (changes - 3) : 0);
}

/** A single space rides on the word after it; a number takes none, nor do most Han. */
function spacePrice(run: Run, length: number): number {
  if (run.after === BREAK) return 0;
  const ownSpace = run.after === DIGIT ? 1 : 0;
  if (length > 1) return Math.ceil(length / 80) + ownSpace;
  return run.after === HAN || run.after === KANA ? 0.2 : ownSpace;
}

const CARRIAGE_RETURN = 13;

/** One line break joins the punctuation before it (";\n" is one token); a blank line seldom does. */
function breakPrice(run: Run, length: number): number {
  const isSingle = length === 1 || (length === 2 && run.units[run.start] === CARRIAGE_RETURN);
  const joins = run.before === PUNCTUATION || run.before === FULLWIDTH;
  if (joins && isSingle) return 0;
  return (joins ? 0.85 : 1) + Math.floor(length / 12);
}

function symbolPrice(run: Run, length: number): number {
  const changes = changesIn(run);
  return changes + (length - changes) / 12;
}

function scriptPrice(kind: number, length: number): number {
  switch (kind) {
    case HAN:
      return 0.82 * length + (length === 1 ? 0.3 : 0);
    case FULLWIDTH:
      return 0.6 * length;
    case KANA:
      return 0.2 + 0.66 * length;
    case HANGUL:
      return 0.2 + 0.6 * length;
    case SCRIPT:
      return 0.5 + 0.3 * length;
    case ASTRAL:
      return 1.2 * length;
    default:
      return length;
  }
}
