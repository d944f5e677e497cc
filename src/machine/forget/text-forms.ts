import { LaidOutLines } from "./laid-out-lines.ts";
import { TOMBSTONE } from "./request.ts";

/**
 * The maximum number of passes. When a string is erased, the text around it can form a new occurrence, so the search is
 * repeated.
 */
const MAX_ROUNDS = 20;
/**
 * The minimum number of characters needed to recognize the beginning of a string. A shorter beginning would match many
 * other texts.
 */
const SHORTEST_BEGINNING = 4;
/** The minimum number of bytes to search for in encoded form. Fewer bytes would match in too many other texts. */
const SHORTEST_ENCODED = 8;
/**
 * If a string was cut off, a piece of this length counts as part of the secret. For a short secret, half of its length is
 * enough.
 */
const MAX_UNNOTICED = 8;
/** Matches the marks that tools and summaries insert where something was left out. */
const CUTS = /\u2026|\[\.\.\. |\.\.\.\]/gu;

/**
 * All the forms that a string can take: unchanged, with composed or decomposed characters, with another system's line
 * endings, on a single line, or with other text before and after each line. The string can also be encoded for JSON or
 * URLs, in Base64 or hex, or in UTF-16.
 */
export class TextForms {
  /** The forms that people can read. For these forms, even incomplete text is recognized by its beginning. */
  readonly #written: readonly string[];
  readonly #forms: readonly string[];
  /** The forms in UTF-16, as in files from other systems. */
  readonly #wide: readonly Buffer[];
  readonly #laidOut: LaidOutLines;
  /** The forms used to search bytes. The bytes are read as Latin-1, so that each byte keeps its position. */
  readonly #laidOutBytes: LaidOutLines;

  constructor(text: string) {
    const spelled = (each: string): string[] => [each, each.normalize("NFC"), each.normalize("NFD")];
    const spellings = eachOnce([text, ...linesOf(text)].flatMap(spelled));
    this.#wide = spellings.flatMap(inUtf16);
    this.#laidOut = new LaidOutLines(eachOnce(spelled(text)));
    this.#laidOutBytes = new LaidOutLines(eachOnce(spelled(text)), (line) =>
      Buffer.from(line).toString("latin1"),
    );
    this.#written = longestFirst(spellings.flatMap(asWritten));
    this.#forms = longestFirst([...this.#written, ...spellings.flatMap(asEncoded)]);
  }

  /** The number of bytes that a search must keep from the previous piece if it reads piece by piece. */
  get longestBytes(): number {
    const forms = [...this.#forms, ...this.#wide].map((form) => Buffer.byteLength(form));
    return Math.max(this.#laidOutBytes.longest, ...forms);
  }

  isIn(content: string | Buffer): boolean {
    if (this.#forms.some((form) => content.includes(form))) return true;
    if (typeof content === "string") return this.#laidOut.findIn(content) !== undefined;
    if (this.#wide.some((form) => content.includes(form))) return true;
    return this.#laidOutBytes.findIn(content) !== undefined;
  }

  eraseFrom(content: string): { readonly erased: string; readonly times: number } {
    let erased = content;
    let times = 0;
    for (let round = 0; round < MAX_ROUNDS && this.isIn(erased); round += 1) {
      for (const form of this.#forms) {
        const pieces = erased.split(form);
        times += pieces.length - 1;
        erased = pieces.join(TOMBSTONE);
      }
      for (let found = this.#laidOut.findIn(erased); found !== undefined; ) {
        erased = `${erased.slice(0, found.from)}${TOMBSTONE}${erased.slice(found.to)}`;
        times += 1;
        found = this.#laidOut.findIn(erased, found.from + TOMBSTONE.length);
      }
    }
    return { erased, times };
  }

  /** Overwrites every occurrence with zeros, and returns the number of occurrences. */
  overwriteIn(bytes: Buffer): number {
    let times = 0;
    for (const form of [...this.#forms, ...this.#wide]) {
      for (let at = bytes.indexOf(form); at !== -1; at = bytes.indexOf(form, at)) {
        bytes.fill(0, at, at + Buffer.byteLength(form));
        times += 1;
      }
    }
    for (let found = this.#laidOutBytes.findIn(bytes); found !== undefined; ) {
      bytes.fill(0, found.from, found.to);
      times += 1;
      found = this.#laidOutBytes.findIn(bytes, found.to);
    }
    return times;
  }

  /**
   * If `content` ends with the beginning of the text, but not with all of it, returns the length of that beginning.
   * Otherwise, returns 0.
   */
  beginningAtEnd(content: string): number {
    const lengths = this.#written.map((form) => {
      for (let length = form.length - 1; length >= SHORTEST_BEGINNING; length -= 1) {
        if (content.endsWith(form.slice(0, length))) return length;
      }
      return 0;
    });
    return Math.max(...lengths);
  }

  /** Erases parts of the text directly before or after a marker for omitted text. */
  eraseAtCuts(content: string): { readonly erased: string; readonly times: number } {
    const marks = content.match(CUTS);
    if (marks === null) return { erased: content, times: 0 };
    let times = 0;
    const pieces = content.split(CUTS).map((piece, at, all) => {
      const before = at === all.length - 1 ? piece : this.#withoutBeginning(piece);
      const after = at === 0 ? before : this.#withoutEnd(before);
      times += (before === piece ? 0 : 1) + (after === before ? 0 : 1);
      return after;
    });
    return { erased: pieces.map((piece, at) => piece + (marks[at] ?? "")).join(""), times };
  }

  #withoutBeginning(piece: string): string {
    const text = piece.trimEnd();
    const cut = this.#longestPiece((form, length) => text.endsWith(form.slice(0, length)));
    return cut === 0 ? piece : `${text.slice(0, -cut)}${TOMBSTONE}${piece.slice(text.length)}`;
  }

  #withoutEnd(piece: string): string {
    const text = piece.trimStart();
    const cut = this.#longestPiece((form, length) => text.startsWith(form.slice(-length)));
    return cut === 0 ? piece : `${piece.slice(0, piece.length - text.length)}${TOMBSTONE}${text.slice(cut)}`;
  }

  #longestPiece(isThere: (form: string, length: number) => boolean): number {
    const lengths = this.#written.map((form) => {
      const shortest = Math.max(SHORTEST_BEGINNING, Math.min(MAX_UNNOTICED, Math.ceil(form.length / 2)));
      for (let length = form.length - 1; length >= shortest; length -= 1)
        if (isThere(form, length)) return length;
      return 0;
    });
    return Math.max(...lengths);
  }

  /** Checks whether the text occurs anywhere in a log line, including its structure. */
  isInLine(line: string): boolean {
    return this.isIn(line) || this.#forms.some((form) => line.includes(inJson(form)));
  }
}

function linesOf(text: string): string[] {
  if (!/[\r\n\t\u2028\u2029]/u.test(text)) return [];
  const plain = text.replaceAll("\r\n", "\n");
  const oneLine = plain.replaceAll(/[\n\r\t\u2028\u2029]+/gu, " ").trim();
  // Very short forms are left out, because they would match in unrelated places.
  return [plain, plain.replaceAll("\n", "\r\n"), oneLine].filter(
    (each) => each.trim().length >= SHORTEST_BEGINNING,
  );
}

function asWritten(text: string): string[] {
  const once = inJson(text);
  const ascii = inAscii(once);
  const json = [
    once,
    ascii,
    ascii.replaceAll(/\\u[0-9a-f]{4}/gu, (each) => `\\u${each.slice(2).toUpperCase()}`),
  ];
  return [text, ...json, once.replaceAll("/", "\\/"), ...json.map(inJson)];
}

function asEncoded(text: string): string[] {
  const bytes = Buffer.from(text);
  if (bytes.length < SHORTEST_ENCODED) return [];
  const hex = bytes.toString("hex");
  // A lone surrogate cannot be encoded for URLs.
  const url = Buffer.from(text).toString() === text ? [encodeURIComponent(text)] : [];
  return [...url, hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((before) => inBase64(bytes, before))];
}

/**
 * The Base64 characters of a string that do not depend on the surrounding text. `before` is the number of bytes that
 * precede the text in its group of three.
 */
function inBase64(bytes: Buffer, before: number): string[] {
  const from = (3 - before) % 3;
  const whole = bytes.subarray(from, bytes.length - ((bytes.length - from) % 3));
  return [whole.toString("base64"), whole.toString("base64url")];
}

function inUtf16(text: string): Buffer[] {
  if (text.length < SHORTEST_ENCODED / 2) return [];
  const little = Buffer.from(text, "utf16le");
  return [little, Buffer.from(little).swap16()];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function inAscii(text: string): string {
  return text.replaceAll(/[^\0-\x7f]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

function eachOnce(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/**
 * Sorts the forms by length, longest first. If one form contains another, the longer one must be erased first, because
 * otherwise its first and last characters would be left.
 */
function longestFirst(texts: readonly string[]): string[] {
  return eachOnce(texts).sort((a, b) => b.length - a.length);
}

/**
 * Matches JSON strings that may contain bytes. A program's bytes are stored as Base64 in the JSON text of its values.
 */
const BASE64 = /"([A-Za-z0-9+/]{4,}={0,2})"/gu;

/**
 * Erases the text from bytes that a program saved. Replaces it with the same number of zeros, so that other data keeps
 * its position and the value can still be read.
 */
export function eraseFromBytes(
  kept: string,
  forms: TextForms,
): { readonly erased: string; readonly times: number } {
  let times = 0;
  const erased = kept.replace(BASE64, (whole, base64: string) => {
    const bytes = Buffer.from(base64, "base64");
    const found = forms.overwriteIn(bytes);
    times += found;
    return found === 0 ? whole : `"${bytes.toString("base64")}"`;
  });
  return { erased, times };
}
