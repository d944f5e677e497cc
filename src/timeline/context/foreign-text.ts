import type { SessionBody } from "../../record/entry.ts";
import { isJsonObject, type Json, type Part, type ReplyPart, type ToolCallPart } from "../../record/parts.ts";

/**
 * How a session frames its notices: the session's tag, and whether notices quote foreign text. Sessions created before
 * `frames` existed keep their context in its original form.
 */
export type Framing = Pick<SessionBody, "tag" | "frames">;

/**
 * Breaks up the session's tag wherever foreign text contains it, for example, because the model wrote a marker to a
 * file and then read the file. The tag marks our own notices, so other text must not look like a notice.
 */
export function breakTag(text: string, framing: Framing): string {
  return breakTagInTexts([text], framing)[0] ?? text;
}

/**
 * Breaks up the tag in several strings that are sent one after another. The tag is broken up even if it spans two strings.
 */
function breakTagInTexts(texts: readonly string[], { tag, frames }: Framing): readonly string[] {
  if (tag.length < 2) return texts;
  if (frames !== "quoted") return texts.map((text) => breakExactTag(text, tag));
  return spellsTag(texts.join(""), tag) ? splitEverySpelling(texts, tag) : texts;
}

/** Breaks up only the tag's exact spelling, for sessions created before `frames` existed. */
function breakExactTag(text: string, tag: string): string {
  const middle = Math.floor(tag.length / 2);
  let broken = "";
  let from = 0;
  // Occurrences are handled one by one, because two occurrences may overlap, and breaking up the first one leaves the
  // second one intact.
  for (let at = text.indexOf(tag); at !== -1; at = text.indexOf(tag, at + 1)) {
    broken += `${text.slice(from, at + middle)}·`;
    from = at + middle;
  }
  return broken + text.slice(from);
}

export function breakTagInParts(parts: readonly Part[], framing: Framing): readonly Part[] {
  return withBrokenTexts(parts, framing);
}

/**
 * Breaks up the tag in a model's reply. Leaves signed thinking unchanged, because the provider would reject it after
 * any change.
 */
export function breakTagInReply(parts: readonly ReplyPart[], framing: Framing): readonly ReplyPart[] {
  return withBrokenTexts(parts, framing).map((part) => {
    if (part.type === "thinking") return breakTagInThinking(part, framing);
    return part.type === "tool-call" ? breakTagInCall(part, framing) : part;
  });
}

function withBrokenTexts<Any extends Part | ReplyPart>(
  parts: readonly Any[],
  framing: Framing,
): readonly Any[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const broken = breakTagInTexts(texts, framing)[Symbol.iterator]();
  return parts.map((part) =>
    part.type === "text" ? { ...part, text: broken.next().value ?? part.text } : part,
  );
}

function breakTagInThinking(
  part: Extract<ReplyPart, { type: "thinking" }>,
  framing: Framing,
): Extract<ReplyPart, { type: "thinking" }> {
  const isKept = part.signature !== undefined || framing.frames !== "quoted";
  return isKept ? part : { ...part, text: breakTag(part.text, framing) };
}

function breakTagInCall(part: ToolCallPart, framing: Framing): ToolCallPart {
  const { name, input, malformed } = part;
  return {
    ...part,
    name: breakTag(name, framing),
    input: breakTagInJson(input, framing),
    ...(malformed === undefined ? {} : { malformed: breakTag(malformed, framing) }),
  };
}

export function breakTagInJson(value: Json, framing: Framing): Json {
  if (typeof value === "string") return breakTag(value, framing);
  if (Array.isArray(value)) return value.map((item: Json) => breakTagInJson(item, framing));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [breakTag(key, framing), breakTagInJson(item, framing)]),
  );
}

/**
 * Matches a character in an encoding that a model may understand: an HTML entity, percent-encoding, or an escape
 * sequence as in JSON. Such characters are decoded only to search for the tag. The text itself is never decoded.
 */
const ENCODED =
  /&(?:#x[0-9a-f]{1,8}|#[0-9]{1,8}|shy|zwj|zwnj|ZeroWidthSpace|NoBreak|lrm|rlm);?|%[c-f][0-9a-f](?:%[89ab][0-9a-f]){1,3}|%[0-7][0-9a-f]|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\(?:u\{[0-9a-f]{1,6}\}|u[0-9a-f]{4}|x[0-9a-f]{2}|[0-7]{3})/iuy;

/** Matches invisible characters: format characters, combining marks, and control characters other than whitespace. */
const INVISIBLE = /[\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]|(?![\t-\r\x85])\p{Cc}/gu;

/** Letters in other alphabets that look like letters in a tag. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  ...{
    а: "a",
    с: "c",
    ԁ: "d",
    е: "e",
    һ: "h",
    ј: "j",
    к: "k",
    р: "p",
    ԛ: "q",
    ѕ: "s",
    ѵ: "v",
    ԝ: "w",
    х: "x",
    у: "y",
  },
  ...{ α: "a", κ: "k", ν: "v", ρ: "p", χ: "x", γ: "y" },
};
const LOOKALIKE = new RegExp(`[${Object.keys(LOOKALIKES).join("")}]`, "gu");

/**
 * Matches every character that could represent another character or begin an encoding. Most ASCII, Chinese, Japanese,
 * and Korean characters do not match.
 */
const UNPLAIN =
  /[^\t-\r -$'-[\]-~\u3001-\u3003\u300c-\u300f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]/gu;

/** Caches the letters that each character is read as, keyed by the character's code. */
const readCharacters = new Map<number, string>();
const MAX_CHARACTERS = 20_000;

/**
 * Checks whether the text contains the tag in any spelling: in capitals, in wide letters, with invisible characters, or
 * encoded. The whole context is checked for each request. For speed, plain parts are searched as a whole, and only
 * other parts are searched character by character.
 */
function spellsTag(text: string, tag: string): boolean {
  const wanted = folded(tag);
  if (wanted === "") return false;
  if (text.toLowerCase().includes(wanted)) return true;
  const search = new WordSearch(wanted);
  let done = 0;
  for (let at = unplainFrom(text, 0); at !== -1; at = unplainFrom(text, done)) {
    done = Math.max(done, at - wanted.length + 1);
    while (done < text.length && (done <= at || search.matched > 0)) {
      const [said, length] = readAt(text, done);
      if (search.finds(said)) return true;
      done += length;
    }
  }
  return false;
}

/** Searches for a word in a string that arrives in pieces, with the Knuth-Morris-Pratt algorithm. */
class WordSearch {
  readonly #word: string;
  readonly #fallbacks: readonly number[];
  /** How many of the word's first letters the searched text currently ends with. */
  matched = 0;

  constructor(word: string) {
    this.#word = word;
    this.#fallbacks = fallbacksOf(word);
  }

  /** Adds a piece of the text. Returns whether the piece completes the word. */
  finds(piece: string): boolean {
    for (let index = 0; index < piece.length; index += 1) {
      const code = piece.charCodeAt(index);
      while (this.matched > 0 && this.#word.charCodeAt(this.matched) !== code) {
        this.matched = this.#fallbacks[this.matched - 1] ?? 0;
      }
      if (this.#word.charCodeAt(this.matched) === code) this.matched += 1;
      if (this.matched === this.#word.length) return true;
    }
    return false;
  }
}

function unplainFrom(text: string, from: number): number {
  UNPLAIN.lastIndex = from;
  return UNPLAIN.exec(text)?.index ?? -1;
}

/** For each prefix of the word, the length of its longest proper suffix that is also a prefix of the word. */
function fallbacksOf(word: string): readonly number[] {
  const fallbacks = [0];
  for (let at = 1, length = 0; at < word.length; at += 1) {
    while (length > 0 && word[at] !== word[length]) length = fallbacks[length - 1] ?? 0;
    if (word[at] === word[length]) length += 1;
    fallbacks.push(length);
  }
  return fallbacks;
}

/** Inserts a dot into each occurrence of the tag, at or after the middle, and leaves everything else unchanged. */
function splitEverySpelling(texts: readonly string[], tag: string): readonly string[] {
  const wanted = folded(tag);
  const units = unitsOf(texts.join(""));
  let plain = "";
  const owners: number[] = [];
  for (const [index, unit] of units.entries()) {
    const [said] = readAt(unit, 0);
    plain += said;
    for (let count = said.length; count > 0; count -= 1) owners.push(index);
  }
  const dots = new Set<number>();
  const hidden = new Set<number>();
  for (let at = plain.indexOf(wanted); at !== -1; at = plain.indexOf(wanted, at + 1)) {
    const first = owners[at] ?? 0;
    const last = owners[at + wanted.length - 1] ?? first;
    // A single character may represent several letters, or even a whole tag in an imported log. Such a character is
    // replaced.
    if (first === last) hidden.add(first);
    else dots.add(Math.max(first + 1, owners[at + Math.floor(wanted.length / 2)] ?? 0));
  }
  return textsOf(
    units.map((unit, at) => ({ dot: dots.has(at) ? "·" : "", unit, said: hidden.has(at) ? "·" : unit })),
    texts,
  );
}

/** Joins the units to form strings with the same boundaries as before, even if an encoded character spans two strings. */
function textsOf(
  units: readonly { readonly dot: string; readonly unit: string; readonly said: string }[],
  texts: readonly string[],
): readonly string[] {
  const split = texts.map(() => "");
  /** For each position in the joined strings, the index of the string that it comes from. */
  const owners = texts.flatMap((text, index) => new Array<number>(text.length).fill(index));
  let at = 0;
  for (const { dot, unit, said } of units) {
    const pieces = said === unit ? unit.split("") : [said];
    split[owners[at] ?? 0] += dot;
    for (const [index, piece] of pieces.entries()) split[owners[at + index] ?? 0] += piece;
    at += unit.length;
  }
  return split;
}

/** Splits the text into units, each of which represents one character. */
function unitsOf(text: string): string[] {
  const units: string[] = [];
  let at = 0;
  while (at < text.length) {
    const [, length] = readAt(text, at);
    units.push(text.slice(at, at + length));
    at += length;
  }
  return units;
}

/** The character that a reader sees at this position, and the number of UTF-16 units that encode it. */
function readAt(text: string, at: number): readonly [said: string, length: number] {
  const code = text.codePointAt(at) ?? 0;
  if (code === AMPERSAND || code === PERCENT || code === BACKSLASH) {
    ENCODED.lastIndex = at;
    const encoded = ENCODED.exec(text)?.[0];
    if (encoded !== undefined) return [folded(decoded(encoded)), encoded.length];
  }
  let said = readCharacters.get(code);
  if (said === undefined) {
    said = folded(String.fromCodePoint(code));
    if (readCharacters.size < MAX_CHARACTERS) readCharacters.set(code, said);
  }
  return [said, code > 0xffff ? 2 : 1];
}

const AMPERSAND = 0x26;
const PERCENT = 0x25;
const BACKSLASH = 0x5c;

/**
 * The letters that a reader sees in the text, whichever characters represent them. Each character is folded separately,
 * so that its neighbors do not affect the result.
 */
function folded(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(INVISIBLE, "")
    .replace(LOOKALIKE, (letter) => LOOKALIKES[letter] ?? letter);
}

function decoded(encoded: string): string {
  if (encoded.startsWith("%")) {
    const bytes = encoded
      .split("%")
      .slice(1)
      .map((byte) => Number.parseInt(byte, 16));
    return new TextDecoder().decode(Uint8Array.from(bytes));
  }
  const { decimal, octal } = /&#(?<decimal>[0-9]+)|\\(?<octal>[0-7]{3})/u.exec(encoded)?.groups ?? {};
  if (decimal !== undefined) return characterOf(Number.parseInt(decimal, 10));
  if (octal !== undefined) return characterOf(Number.parseInt(octal, 8));
  const codes = encoded.match(/(?<=&#x|\\u\{?|\\x)[0-9a-f]+/giu) ?? [];
  const [high, low] = codes.map((code) => Number.parseInt(code, 16));
  // All other entities are named entities for invisible characters.
  if (high === undefined) return "";
  return low === undefined ? characterOf(high) : String.fromCharCode(high, low);
}

/** Returns the character with this code, or an empty string if the code is half of a surrogate pair or out of range. */
function characterOf(code: number): string {
  return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? "" : String.fromCodePoint(code);
}
