import { firstCharacters } from "../text.ts";

const AROUND = 2;
const MOST_LINES = 60;
const MOST_IN_A_LINE = 300;

/** The lines that pieces of a text stand on, numbered, with some around them. */
export function changedLines(
  text: string,
  pieces: readonly { readonly start: number; readonly end: number }[],
): string {
  if (text === "") return "(The file is empty.)";
  const lines = text.split("\n");
  if (lines.at(-1) === "" && lines.length > 1) lines.pop();
  const shown: string[] = [];
  let last: number | undefined;
  for (const number of numbersOf(text, pieces, lines.length)) {
    if (shown.length >= MOST_LINES) return [...shown, "   ... and more"].join("\n");
    if (last !== undefined && number > last + 1) shown.push("   ...");
    shown.push(numbered(number, lines[number - 1] ?? ""));
    last = number;
  }
  return shown.join("\n");
}

/** The numbers of the lines to show, ascending, each once. */
function* numbersOf(
  text: string,
  pieces: readonly { readonly start: number; readonly end: number }[],
  count: number,
): Generator<number> {
  let next = 1;
  for (const [first, last] of rangesOf(text, pieces, count)) {
    for (next = Math.max(first, next); next <= last; next += 1) yield next;
  }
}

/** The first and last line of each piece, in order: one pass over the text, however many pieces. */
function* rangesOf(
  text: string,
  pieces: readonly { readonly start: number; readonly end: number }[],
  count: number,
): Generator<readonly [first: number, last: number]> {
  let line = 1;
  let next = text.indexOf("\n");
  const lineAt = (place: number): number => {
    while (next !== -1 && next < place) {
      line += 1;
      next = text.indexOf("\n", next + 1);
    }
    return line;
  };
  for (const { start, end } of pieces) {
    const first = lineAt(start);
    yield [Math.max(1, Math.min(first, count) - AROUND), Math.min(count, lineAt(end) + AROUND)];
  }
}

function numbered(number: number, line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  const cut = text.length > MOST_IN_A_LINE ? `${firstCharacters(text, MOST_IN_A_LINE)} … (cut)` : text;
  return `${String(number).padStart(6)}\t${cut}`;
}
