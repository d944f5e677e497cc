import type { Units } from "./units.ts";

/** What a tokenizer's first cut tells apart. Numbers, not words: one is looked up for every character. */
export const EDGE = 0;
export const LOWER = 1;
export const CAPITALS = 2;
/** Capitals that run into lower case; never in the table, made by joining two runs. */
export const TITLE = 3;
export const DIGIT = 4;
export const SPACE = 5;
export const BREAK = 6;
export const PUNCTUATION = 7;
export const HAN = 8;
export const FULLWIDTH = 9;
export const KANA = 10;
export const HANGUL = 11;
/** Greek, Cyrillic, Arabic, Devanagari, Thai and their neighbours. */
export const SCRIPT = 12;
/** Half of a surrogate pair, or a lone one: emoji and rare Han. */
export const ASTRAL = 13;
/** Arrows, box drawing, curly quotes, dashes, private use. */
export const SYMBOL = 14;

/** The kind of the unit at `at`; EDGE behind the last. */
export function kindAt(units: Units, at: number): number {
  return at < units.length ? (KINDS[units[at] ?? 0] ?? EDGE) : EDGE;
}

/** First unit of each range and its kind; a range ends where the next begins. */
const RANGES: readonly (readonly [first: number, kind: number])[] = [
  [0x00, PUNCTUATION],
  [0x09, SPACE],
  [0x0a, BREAK],
  [0x0b, PUNCTUATION],
  [0x0d, BREAK],
  [0x0e, PUNCTUATION],
  [0x20, SPACE],
  [0x21, PUNCTUATION],
  [0x30, DIGIT],
  [0x3a, PUNCTUATION],
  [0x41, CAPITALS],
  [0x5b, PUNCTUATION],
  [0x61, LOWER],
  [0x7b, PUNCTUATION],
  [0x80, SYMBOL],
  [0xc0, LOWER],
  [0x250, SCRIPT],
  [0x1100, HANGUL],
  [0x1200, SCRIPT],
  [0x2000, SYMBOL],
  [0x2e80, HAN],
  [0x3000, FULLWIDTH],
  [0x3040, KANA],
  [0x3100, HAN],
  [0xac00, HANGUL],
  [0xd800, ASTRAL],
  [0xe000, SYMBOL],
  [0xf900, HAN],
  [0xfb00, SCRIPT],
  [0xfe00, SYMBOL],
  [0xff00, FULLWIDTH],
  [0xfff0, SYMBOL],
];

const KINDS = kindTable();

function kindTable(): Uint8Array {
  const kinds = new Uint8Array(0x10000);
  for (const [first, kind] of RANGES) kinds.fill(kind, first);
  return kinds;
}
