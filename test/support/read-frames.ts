import type { Part, ReplyPart } from "../../src/record/parts.ts";

/** A notice as a gullible model reads it, without the text that it quotes. */
export interface ReadFrame {
  readonly text: string;
  /** Worldline's own words: the text without quoted lines and quoted strings. */
  readonly own: string;
}

const INVISIBLE = /[\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]|(?![\t-\r\x85])\p{Cc}/gu;
const NAMED = /&(?:shy|zwj|zwnj|ZeroWidthSpace|NoBreak|lrm|rlm);?/gu;

/**
 * The text as it reads to someone who sees through every disguise: entities and escapes decoded, wide letters made
 * plain, invisible characters removed, all in lower case. Written independently of the code that it tests.
 */
function seenThrough(text: string): string {
  const character = (digits: string, base: number): string => {
    const code = Number.parseInt(digits, base);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "";
  };
  return text
    .replace(NAMED, "")
    .replace(/&#x([0-9a-f]{1,6});?/giu, (_, digits: string) => character(digits, 16))
    .replace(/&#(\d{1,7});?/gu, (_, digits: string) => character(digits, 10))
    .replace(/%([2-7][0-9a-f])/giu, (_, digits: string) => character(digits, 16))
    .replace(/%e2%80%8b/giu, "\u200b")
    .replace(
      /\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})/giu,
      (_, a?: string, b?: string, c?: string) => character(a ?? b ?? c ?? "0", 16),
    )
    .normalize("NFKD")
    .toLowerCase()
    .replace(INVISIBLE, "");
}

/**
 * The genuine frames of a text. Throws if the tag appears, in any spelling, anywhere but in a frame's marks,
 * or if marks do not come in pairs: then something has opened or closed a frame that is not ours.
 */
export function readFrames(text: string, tag: string): readonly ReadFrame[] {
  const [open, close] = [`<system-${tag}>`, `</system-${tag}>`];
  const frames: ReadFrame[] = [];
  let rest = text;
  let outside = "";
  while (rest.includes(open)) {
    const start = rest.indexOf(open);
    const end = rest.indexOf(close, start);
    if (end === -1) throw new Error(`A frame is not closed: ${rest.slice(start, start + 200)}`);
    const inside = rest.slice(start + open.length, end);
    refuseTag(inside, tag);
    frames.push({ text: inside, own: withoutQuotes(inside) });
    outside += `${rest.slice(0, start)}\n`;
    rest = rest.slice(end + close.length);
  }
  refuseTag(outside + rest, tag);
  return frames;
}

function refuseTag(text: string, tag: string): void {
  const at = seenThrough(text).indexOf(tag);
  if (at !== -1) throw new Error(`The tag stands outside of a mark: ${JSON.stringify(text.slice(0, 400))}`);
}

const LINE_BREAKS = /\r\n|[\n\v\f\r\x85\u2028\u2029]/u;

function withoutQuotes(text: string): string {
  return text
    .split(LINE_BREAKS)
    .filter((line) => !line.startsWith(">"))
    .map((line) => line.replace(/"(?:[^"\\]|\\.)*"/gu, '""'))
    .join("\n");
}

/** All text of the parts except thinking, concatenated. */
export function joined(parts: readonly (Part | ReplyPart)[]): string {
  return parts
    .map((part) => {
      if (part.type === "text") return part.text;
      return part.type === "tool-call"
        ? `${part.name} ${JSON.stringify(part.input)} ${part.malformed ?? ""}`
        : "";
    })
    .join("");
}
