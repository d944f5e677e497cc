/**
 * Estimates how many tokens a model will count in `text`. Used until a provider has reported a count.
 *
 * The text is split into runs of one kind of character, much as byte-pair tokenizers split text before merging. Each
 * run is assigned the average number of tokens in such runs. Only an empty string counts as 0. The running time is
 * linear. Any string is accepted, including lone surrogates. The estimate for a string is close to the sum of the
 * estimates for its parts.
 */
export function estimateTokens(text: string): number {
  if (text === "") return 0;
  const run = beforeFirstRun(unitsOf(text));
  let tokens = 0;
  while (run.end < text.length) {
    advance(run);
    tokens += priceOf(run);
  }
  return Math.max(1, Math.round(tokens));
}

/**
 * The average number of tokens in a run.
 *
 * The numbers are averages from a mixed corpus (700,000 tokens of prose, code, logs, and data). Each token from
 * o200k_base was assigned to the run that it mostly covers. cl100k_base agrees within a few percent, except for Han,
 * kana, and other scripts, for which it needs up to 50% more tokens. The cost of Han characters is therefore slightly
 * higher than the average for o200k_base.
 */
function priceOf(run: Run): number {
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

/**
 * The cost, in tokens, of each additional letter of a long word. Vocabularies contain words that begin with a space or
 * a quote, but not with a slash.
 */
function slopeOf(run: Run): number {
  if (run.before === PUNCTUATION) return markAt(run, run.start - 1).slope;
  const opensName = run.kind === TITLE && !isWord(run.before);
  return opensName ? 0.1 : PLAIN.slope;
}

interface Mark {
  /** The cost, in tokens, of the mark itself if a word follows it. */
  readonly price: number;
  /** The cost of each additional letter of a long word that follows the mark. */
  readonly slope: number;
}

// Vocabularies contain ".length", "_id", and "(value". They sometimes contain "/length", but never "#length" or
// "`value".
const PLAIN: Mark = { price: 0.8, slope: 0.04 };
const MEMBER: Mark = { price: 0.05, slope: 0.1 };
const PATH: Mark = { price: 0.22, slope: 0.19 };
const VALUE: Mark = { price: 0.22, slope: 0.06 };

/** The marks, indexed by their code unit. All marks are ASCII characters. */
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

/**
 * The cost of several marks in a row. Repeating a mark is almost free ("----" is one token), but switching to another
 * mark is not.
 */
function marksPrice(run: Run, length: number): number {
  const changes = changesIn(run);
  return 1 + (length - changes) / 24 + (changes > 2 ? 0.3 + 0.48 * (changes - 3) : 0);
}

/**
 * The cost of spaces. A single space is usually part of the next word's token, but not before a number or before most
 * Han characters.
 */
function spacePrice(run: Run, length: number): number {
  if (run.after === BREAK) return 0;
  const ownSpace = run.after === DIGIT ? 1 : 0;
  if (length > 1) return Math.ceil(length / 80) + ownSpace;
  return run.after === HAN || run.after === KANA ? 0.2 : ownSpace;
}

const CARRIAGE_RETURN = 13;

/**
 * The cost of line breaks. A single break is part of the preceding punctuation's token (";\n" is one token), but a
 * blank line seldom is.
 */
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

/**
 * A cursor that moves over the text and marks a run of one kind of character. Creating an object for each run would
 * halve the speed.
 */
interface Run {
  readonly units: Units;
  kind: number;
  start: number;
  end: number;
  before: number;
  after: number;
  /** The end of the last digit in the current sequence of letters and digits. Used to distinguish hashes from words. */
  digitEnd: number;
}

/**
 * The maximum number of letters after a digit that are treated as noise. The limit ensures that splitting a string
 * hardly changes its estimate.
 */
const NOISE_REACH = 16;
const FAR_BACK = -NOISE_REACH - 1;

/** Creates a cursor before the first run of a string. The text must not be empty. */
function beforeFirstRun(units: Units): Run {
  return { units, kind: EDGE, start: 0, end: 0, before: EDGE, after: kindAt(units, 0), digitEnd: FAR_BACK };
}

/** Moves the cursor to the next run. There must be one. */
function advance(run: Run): void {
  run.before = run.kind;
  run.kind = run.after;
  run.start = run.end;
  extend(run, run.kind);
  // "Buffer" and "HTTPServer" are each treated as one word, because capitals begin a word and never end one.
  if (run.kind === CAPITALS && run.after === LOWER) {
    run.kind = TITLE;
    extend(run, LOWER);
  }
  if (run.kind === DIGIT) run.digitEnd = run.end;
  else if (!isWord(run.kind)) run.digitEnd = FAR_BACK;
}

/** Extends the run past all characters of this kind, beginning with the character at the run's current end. */
function extend(run: Run, kind: number): void {
  const { units } = run;
  let end = run.end + 1;
  while (kindAt(units, end) === kind) end++;
  run.end = end;
  run.after = kindAt(units, end);
}

function isWord(kind: number): boolean {
  return kind === LOWER || kind === CAPITALS || kind === TITLE;
}

/**
 * Checks whether the run consists of letters after digits, as in hashes and Base64. No vocabulary contains such letters
 * as whole words.
 */
function isNoise(run: Run): boolean {
  return run.start - run.digitEnd <= NOISE_REACH;
}

/** The number of times that the character changes within the run. The first character counts as a change. */
function changesIn(run: Run): number {
  const { units } = run;
  let changes = 1;
  for (let at = run.start + 1; at < run.end; at++) if (units[at] !== units[at - 1]) changes++;
  return changes;
}

/**
 * The kinds of characters that a tokenizer distinguishes when it first splits a string. The kinds are numbers rather
 * than words for speed, because the kind of every character is looked up.
 */
const EDGE = 0;
const LOWER = 1;
const CAPITALS = 2;
/**
 * Capitals followed by lowercase letters. No single character has this kind, because it is the result of joining two
 * runs.
 */
const TITLE = 3;
const DIGIT = 4;
const SPACE = 5;
const BREAK = 6;
const PUNCTUATION = 7;
const HAN = 8;
const FULLWIDTH = 9;
const KANA = 10;
const HANGUL = 11;
/** Greek, Cyrillic, Arabic, Devanagari, Thai, and related scripts. */
const SCRIPT = 12;
/** Surrogates, paired or lone, as in emoji and rare Han characters. */
const ASTRAL = 13;
/** Arrows, box drawing, curly quotes, dashes, and private-use characters. */
const SYMBOL = 14;

/** The kind of the unit at position `at`; EDGE after the end of the text. */
function kindAt(units: Units, at: number): number {
  return at < units.length ? (KINDS[units[at] ?? 0] ?? EDGE) : EDGE;
}

/** The first unit and the kind of each range. A range ends where the next range begins. */
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

/** The UTF-16 units of a string as numbers, which can be read several times faster than the string. */
type Units = Uint8Array | Uint16Array;

/** The size of the buffer that is reused for every call. Longer strings are rare and get a buffer of their own. */
const SCRATCH_UNITS = 64 * 1024;

const encoder = new TextEncoder();
const scratch = new Uint8Array(SCRATCH_UNITS);

/** Returns the UTF-16 units of a string. The units are valid only until the next call, which may reuse the buffer. */
function unitsOf(text: string): Units {
  const bytes = text.length > SCRATCH_UNITS ? new Uint8Array(text.length) : scratch.subarray(0, text.length);
  // The whole text fits only if it is ASCII, with one byte of UTF-8 per unit. Any other text needs more bytes than it
  // has units.
  const { read } = encoder.encodeInto(text, bytes);
  if (read === text.length) return bytes;
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  return units;
}
