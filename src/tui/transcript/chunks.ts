/** A piece of Markdown that can be drawn separately. */
export interface Chunk {
  readonly text: string;
  /** The code fence that the piece begins inside. */
  readonly fence?: Fence;
  /** "joined": the piece follows without a blank line. */
  readonly start: "apart" | "joined";
}

/**
 * Growing text, split into pieces. Only the last piece changes, so the cost of a delta depends only on the delta and
 * the last piece. Immutable: `grow` returns the next state.
 */
export interface Chunks {
  /** The completed pieces. */
  readonly pieces: readonly Chunk[];
  readonly open: OpenChunk;
}

interface OpenChunk {
  readonly chunk: Omit<Chunk, "text">;
  /** The complete lines of the last piece. */
  readonly text: string;
  readonly lines: number;
  /** The fence that is open after these lines. */
  readonly fence: Fence | undefined;
  readonly last: "blank" | "text";
  /** The last line. It is still incomplete. */
  readonly rest: string;
}

/** Number of lines after which code is split, so that a long listing is drawn piece by piece. */
const FENCE_LINES = 40;
/**
 * After LONG_LINES lines, prose without a blank line is split before the next line that can be drawn separately. After
 * MAX_LINES lines, it is always split.
 */
const LONG_LINES = 120;
const MAX_LINES = 400;
/**
 * Maximum number of characters in a piece. The limit keeps the cost of a frame independent of how long the text
 * continues without a break.
 */
const MAX_CHARACTERS = 4_096;

const NOTHING: OpenChunk = {
  chunk: { start: "apart" },
  text: "",
  lines: 0,
  fence: undefined,
  last: "text",
  rest: "",
};

export const NO_CHUNKS: Chunks = { pieces: [], open: NOTHING };

export function chunk(text: string): readonly Chunk[] {
  return piecesOf(grow(NO_CHUNKS, text));
}

export function piecesOf({ pieces, open }: Chunks): readonly Chunk[] {
  const last = lastPiece(open);
  return last === undefined ? pieces : [...pieces, last];
}

/** Returns the piece that is still growing, or undefined if it is empty. */
export function lastPiece({ chunk: head, text, rest }: OpenChunk): Chunk | undefined {
  const all = text + rest;
  return all === "" ? undefined : { ...head, text: all };
}

export function grow(chunks: Chunks, delta: string): Chunks {
  const lines = (chunks.open.rest + delta).split("\n");
  const rest = lines.pop() ?? "";
  const ended: Chunk[] = [];
  let open: OpenChunk = { ...chunks.open, rest: "" };
  for (const line of lines) {
    const long = cutLong(open, line, ended);
    open = addLine(long.open, `${long.rest}\n`, ended);
  }
  const long = cutLong(open, rest, ended);
  const pieces = ended.length === 0 ? chunks.pieces : [...chunks.pieces, ...ended];
  return { pieces, open: { ...long.open, rest: long.rest } };
}

/** Adds as many full pieces of a long line as possible, and returns the rest. */
function cutLong(before: OpenChunk, line: string, ended: Chunk[]): { open: OpenChunk; rest: string } {
  let open = before;
  let rest = line;
  while (rest.length > MAX_CHARACTERS) {
    const cut = cutWithin(rest);
    open = closed(addLine(open, rest.slice(0, cut), ended), ended, { start: "joined" });
    rest = rest.slice(cut);
  }
  return { open, rest };
}

/**
 * Returns the index where a long line should be cut. The cut is after a space if possible, and never within a surrogate
 * pair.
 */
function cutWithin(text: string): number {
  const space = text.lastIndexOf(" ", MAX_CHARACTERS - 1);
  if (space > MAX_CHARACTERS / 2) return space + 1;
  const code = text.charCodeAt(MAX_CHARACTERS - 1);
  return code >= 0xd800 && code <= 0xdbff ? MAX_CHARACTERS - 1 : MAX_CHARACTERS;
}

function addLine(before: OpenChunk, line: string, ended: Chunk[]): OpenChunk {
  const cut = cutBefore(before, line);
  const open = cut === undefined ? before : closed(before, ended, { start: cut });
  return {
    ...open,
    text: open.text + line,
    lines: open.lines + 1,
    fence: fenceAfter(open.fence, line.trimEnd()),
    last: line.trim() === "" ? "blank" : "text",
  };
}

/**
 * Checks whether a new piece should begin with this line. Returns how that piece follows the previous one, or undefined
 * if no piece should begin here.
 */
function cutBefore({ text, lines, fence, last }: OpenChunk, line: string): Chunk["start"] | undefined {
  if (text.trim() === "") return undefined;
  if (fence !== undefined) return lines >= FENCE_LINES ? "joined" : undefined;
  const standsAlone = /^[^\s|]/u.test(line);
  if (last === "blank" && standsAlone) return "apart";
  const isLong = lines >= LONG_LINES || text.length >= MAX_CHARACTERS;
  return (isLong && standsAlone) || lines >= MAX_LINES ? "joined" : undefined;
}

function closed(
  { chunk: head, text, fence }: OpenChunk,
  ended: Chunk[],
  { start }: Pick<Chunk, "start">,
): OpenChunk {
  ended.push({ ...head, text });
  return { ...NOTHING, chunk: { start, ...(fence === undefined ? {} : { fence }) }, fence };
}

/** An open code fence. */
export interface Fence {
  readonly sign: string;
  readonly length: number;
  /** The name of the language, or "" if none is given. */
  readonly language: string;
}

const FENCE = /^\s*(`{3,}|~{3,})(.*)$/u;

/** Returns the fence that is open after a line. `before` is the fence that was open before the line. */
function fenceAfter(before: Fence | undefined, line: string): Fence | undefined {
  const match = FENCE.exec(line);
  if (match === null) return before;
  const [, signs = "", rest = ""] = match;
  const sign = signs.charAt(0);
  if (before !== undefined) {
    const closes = sign === before.sign && signs.length >= before.length && rest.trim() === "";
    return closes ? undefined : before;
  }
  if (sign === "`" && rest.includes("`")) return undefined;
  return { sign, length: signs.length, language: rest.trim().split(/\s/u)[0] ?? "" };
}

/** Returns the fence that is open at the end of the text. `start` is the fence that the text begins inside, if any. */
export function fenceAtEnd(text: string, start: Fence | undefined): Fence | undefined {
  let fence = start;
  for (const line of text.split("\n")) fence = fenceAfter(fence, line);
  return fence;
}
