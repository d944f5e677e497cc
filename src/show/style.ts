import { randomUUID } from "node:crypto";
import type { Environment } from "../app/places/home.ts";
import { printable } from "../record/visible-text.ts";

/**
 * Marks how text should look. Without colors, returns the text itself. `Painter.finished` must be called before the
 * text is written.
 */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
}

/** The style for text on one stream. */
export interface Painter {
  readonly style: Style;
  /**
   * Prepares text for the stream. Call this method last. A pipe or a file receives the text byte for byte. A terminal
   * would interpret any escape sequence in the text. For a terminal, therefore, only the marks of this painter's style
   * become colors, and everything else is made printable.
   */
  finished(text: string): string;
}

const ESCAPE = "\u001b";
const codes = {
  bold: ["[1m", "[22m"],
  dim: ["[2m", "[22m"],
  red: ["[31m", "[39m"],
  yellow: ["[33m", "[39m"],
} as const;
const codeAtStart = /^\[\d+m/u;

const plain = (text: string): string => text;
/** A style without any marks. */
export const plainStyle: Style = { bold: plain, dim: plain, red: plain, yellow: plain };

/** Uses escape sequences only if the stream is a terminal that understands them; see https://no-color.org. */
export function painterFor(stream: { readonly isTTY?: boolean }, environment: Environment): Painter {
  if (stream.isTTY !== true) return { style: plainStyle, finished: plain };
  const noColor = (environment["NO_COLOR"] ?? "") !== "" || environment["TERM"] === "dumb";
  return noColor ? { style: plainStyle, finished: printable } : colorPainter();
}

function colorPainter(): Painter {
  // The mark is random, so a prompt or title cannot contain it. Text with the mark is therefore Worldline's own.
  const mark = `${ESCAPE}${randomUUID()}`;
  const paint =
    ([on, off]: readonly [string, string]) =>
    (text: string) =>
      `${mark}${on}${text}${mark}${off}`;
  return {
    style: {
      bold: paint(codes.bold),
      dim: paint(codes.dim),
      red: paint(codes.red),
      yellow: paint(codes.yellow),
    },
    finished(text) {
      const [first = "", ...marked] = text.split(mark);
      return printable(first) + marked.map(colored).join("");
    },
  };
}

/** Colors the piece that follows a mark: a style code, and then the text up to the next mark. */
function colored(piece: string): string {
  const code = codeAtStart.exec(piece)?.[0] ?? "";
  return ESCAPE + code + printable(piece.slice(code.length));
}

/** The characters that are used to draw lines. */
export interface Glyphs {
  /** `here`: an entry on the head's branch. `left`: an entry on any other branch. */
  readonly here: string;
  readonly left: string;
  readonly rail: string;
  readonly fork: string;
  readonly head: string;
  readonly arrow: string;
  readonly ellipsis: string;
  readonly dash: string;
  readonly yes: string;
  readonly no: string;
}

const unicode: Glyphs = {
  here: "●",
  left: "○",
  rail: "│ ",
  fork: "├─",
  head: "◀",
  arrow: "→",
  ellipsis: "…",
  dash: "─",
  yes: "✔",
  no: "✘",
};

const ascii: Glyphs = {
  here: "*",
  left: "o",
  rail: "| ",
  fork: "|-",
  head: "<",
  arrow: "->",
  ellipsis: "...",
  dash: "-",
  yes: "+",
  no: "!",
};

/** Returns box-drawing characters, unless the locale indicates that the terminal does not use UTF-8. */
export function glyphsFor(environment: Environment): Glyphs {
  const names = ["LC_ALL", "LC_CTYPE", "LANG"] as const;
  const locale = names.map((name) => environment[name]).find((value) => value !== undefined && value !== "");
  // Containers and services often set no locale at all, which reveals nothing about the terminal that shows the output.
  return locale === undefined || /utf-?8/iu.test(locale) ? unicode : ascii;
}
