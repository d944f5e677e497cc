import { LaidOutLines } from "./laid-out-lines.ts";
import { TOMBSTONE } from "./request.ts";

/** Taking a text out can put it together anew from what stood around it, so it is looked for again. */
const MAX_ROUNDS = 20;
/** A shorter beginning of the text is a beginning of many. */
const SHORTEST_BEGINNING = 4;
/** Encoded, fewer bytes than these are a part of too much else. */
const SHORTEST_ENCODED = 8;
/** Of a text that was cut, a piece this long is taken for a piece of the secret; of a short secret, half of it. */
const MAX_UNNOTICED = 8;
/** What tools and summaries put where they left something out. */
const CUTS = /\u2026|\[\.\.\. |\.\.\.\]/gu;

/**
 * A text as it may be written: as it is given, with composed or decomposed letters, with its line breaks as another
 * system or a single line has them, or with something around each of its lines; each of these as JSON, URLs, base64 or
 * hex have them, and in UTF-16.
 */
export class TextForms {
  /** Those that a person reads, of which a beginning can be told. */
  readonly #written: readonly string[];
  readonly #forms: readonly string[];
  /** As other systems' files have it. */
  readonly #wide: readonly Buffer[];
  readonly #laidOut: LaidOutLines;
  /** The same in bytes that are read as Latin-1, where each stays where it is. */
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

  /** Who searches piece by piece keeps so much of the one before. */
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

  /** Puts zeros over every byte of it, and says how often it was there. */
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

  /** How many characters at the end of `content` are the beginning of the text, without being all of it. */
  beginningAtEnd(content: string): number {
    const lengths = this.#written.map((form) => {
      for (let length = form.length - 1; length >= SHORTEST_BEGINNING; length -= 1) {
        if (content.endsWith(form.slice(0, length))) return length;
      }
      return 0;
    });
    return Math.max(...lengths);
  }

  /** Takes out pieces of it that stand right before or after the mark of a cut. */
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

  /** Whether it occurs in what a line of the log says, its structure included. */
  isInLine(line: string): boolean {
    return this.isIn(line) || this.#forms.some((form) => line.includes(inJson(form)));
  }
}

function linesOf(text: string): string[] {
  if (!/[\r\n\t\u2028\u2029]/u.test(text)) return [];
  const plain = text.replaceAll("\r\n", "\n");
  const oneLine = plain.replaceAll(/[\n\r\t\u2028\u2029]+/gu, " ").trim();
  // Shorter than what may be asked for, it would be found where it is not meant.
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
  // Half a pair has no such form.
  const url = Buffer.from(text).toString() === text ? [encodeURIComponent(text)] : [];
  return [...url, hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((before) => inBase64(bytes, before))];
}

/** The characters that are the same whatever surrounds the text, when so many bytes of a group of three come before it. */
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

/** One that holds another is taken out first: else its own first and last characters would be left. */
function longestFirst(texts: readonly string[]): string[] {
  return eachOnce(texts).sort((a, b) => b.length - a.length);
}

/** A string of JSON that may be bytes: those of programs stand in the text of their values as base64. */
const BASE64 = /"([A-Za-z0-9+/]{4,}={0,2})"/gu;

/**
 * Takes the text out of bytes that a program has kept. Zeros stand in its place, as many: numbers in the same bytes stay
 * where they are, and the value can still be read.
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
