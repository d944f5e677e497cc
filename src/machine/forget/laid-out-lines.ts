/** The minimum total number of characters in all lines. Shorter strings would match in unrelated places. */
const MIN_CHARACTERS = 16;
/**
 * The maximum length of the text before and after each line, such as a line number, indentation, a file name, or
 * quotes.
 */
const MAX_AROUND = 200;
/** Line breaks in plain text, in JSON, and in JSON that is quoted in another JSON text. */
const BREAKS = ["\n", "\\n", "\\\\n"];

/** A range of characters. The end is the position after the last character. */
export interface Found {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds a string whose lines follow one another, but with other text around each line. Tools lay out lines in this way
 * when they show a file with line numbers, a diff, or grep output. In another file, the lines may also be indented. The
 * text before the first line and after the last line is not part of the match.
 */
export class LaidOutLines {
  /** The lines in each notation, together with the line break of that notation. */
  readonly #layouts: readonly (readonly [lineBreak: string, lines: readonly Line[]])[];

  constructor(spellings: readonly string[], written: (text: string) => string = (text) => text) {
    this.#layouts = spellings.flatMap((text) => {
      const lines = linesOf(text);
      if (lines.length < 2 || lines.reduce((sum, line) => sum + line.text.length, 0) < MIN_CHARACTERS)
        return [];
      return BREAKS.map((lineBreak, depth) => {
        const inDepth = lines.map((line) => ({ ...line, text: written(inJson(line.text, depth)) }));
        return [lineBreak, inDepth] as const;
      });
    });
  }

  /** The largest number of characters that a match can span. */
  get longest(): number {
    const lengths = this.#layouts.map(([, lines]) =>
      lines.reduce((sum, { text, blanks }) => sum + text.length + (blanks + 2) * (MAX_AROUND + 3), 0),
    );
    return Math.max(0, ...lengths);
  }

  findIn(content: string | Buffer, start = 0): Found | undefined {
    if (this.#layouts.length === 0) return undefined;
    const text = typeof content === "string" ? content : content.toString("latin1");
    const found = this.#layouts.flatMap((layout) => findLayout(text, layout, start) ?? []);
    return found.sort((a, b) => a.from - b.from)[0];
  }
}

interface Line {
  readonly text: string;
  /** The number of empty lines before this line. */
  readonly blanks: number;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let blanks = 0;
  for (const each of text.split(/\r\n|\r|\n/u)) {
    const line = each.trim();
    if (line !== "") lines.push({ text: line, blanks: lines.length === 0 ? 0 : blanks });
    blanks = line === "" ? blanks + 1 : 0;
  }
  return lines;
}

function inJson(text: string, depth: number): string {
  return depth === 0 ? text : inJson(JSON.stringify(text).slice(1, -1), depth - 1);
}

function findLayout(
  content: string,
  [lineBreak, [first, ...rest]]: readonly [lineBreak: string, lines: readonly Line[]],
  start: number,
): Found | undefined {
  if (first === undefined || rest.some(({ text }) => !content.includes(text))) return undefined;
  for (let from = content.indexOf(first.text, start); from !== -1; ) {
    const to = endOf(content, from + first.text.length, [lineBreak, rest]);
    if (to !== undefined) return { from, to };
    from = content.indexOf(first.text, from + 1);
  }
  return undefined;
}

/**
 * The position where the last of `lines` ends; undefined unless all of them are found, each after a line break and
 * close to the previous one.
 */
function endOf(
  content: string,
  behind: number,
  [lineBreak, lines]: readonly [lineBreak: string, lines: readonly Line[]],
): number | undefined {
  let at = behind;
  for (const { text, blanks } of lines) {
    let end: number | undefined;
    for (let passed = 0; end === undefined && passed <= blanks; passed += 1) {
      const window = content.slice(at, at + MAX_AROUND + lineBreak.length);
      const broken = window.indexOf(lineBreak);
      if (broken === -1) return undefined;
      at += broken + lineBreak.length;
      end = endInLine(content, at, [lineBreak, text]);
    }
    if (end === undefined) return undefined;
    at = end;
  }
  return at;
}

function endInLine(
  content: string,
  at: number,
  [lineBreak, text]: readonly [lineBreak: string, text: string],
): number | undefined {
  const window = content.slice(at, at + MAX_AROUND + text.length);
  const found = window.indexOf(text);
  const isOnIt = found !== -1 && !window.slice(0, found).includes(lineBreak);
  return isOnIt ? at + found + text.length : undefined;
}
