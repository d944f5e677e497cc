import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";

const ESCAPE = "\u001b";
const ASCII = /^[\u0020-\u007e]*$/u;
/** What may not begin a line. */
const CLOSING = /^[，。：；？！）」、]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Cuts a line that is too wide; the ellipsis has the room's last columns. What has no colours gets none. */
export function clip(line: string, width: number, ellipsis: string): string {
  if (visibleWidth(line) <= width) return line;
  if (width <= 0) return "";
  const sign = visibleWidth(ellipsis) < width ? ellipsis : "";
  if (line.includes(ESCAPE)) return truncateToWidth(line, width, sign);
  return first(line, width - visibleWidth(sign)) + sign;
}

function first(line: string, width: number): string {
  if (ASCII.test(line)) return line.slice(0, width);
  let used = 0;
  let end = 0;
  for (const { segment } of segmenter.segment(line)) {
    used += visibleWidth(segment);
    if (used > width) break;
    end += segment.length;
  }
  return line.slice(0, end);
}

/** Lines of at most that width, broken at spaces and beside wide characters; what cannot be broken is cut. */
export function wrap(text: string, width: number): readonly string[] {
  const room = Math.max(1, width);
  return text.split("\n").flatMap((line) => wrappedLine(line, room));
}

function wrappedLine(line: string, width: number): readonly string[] {
  if (line.includes(ESCAPE)) {
    return wrapTextWithAnsi(line, width).map((each) => clip(each.trimEnd(), width, ""));
  }
  if (visibleWidth(line) <= width) return [line.trimEnd()];
  const lines: string[] = [];
  let now = "";
  let used = 0;
  for (const piece of piecesOf(line)) {
    const wide = visibleWidth(piece);
    if (used + visibleWidth(piece.trimEnd()) <= width) {
      now += piece;
      used += wide;
      continue;
    }
    if (now !== "") lines.push(now.trimEnd());
    const parts = visibleWidth(piece.trimEnd()) <= width ? [piece] : cutApart(piece, width);
    lines.push(...parts.slice(0, -1));
    now = parts.at(-1) ?? "";
    used = visibleWidth(now);
  }
  return now.trimEnd() === "" && lines.length > 0 ? lines : [...lines, now.trimEnd()];
}

/** A word that is wider than the room, in pieces that are not. */
function cutApart(word: string, width: number): readonly string[] {
  const parts: string[] = [];
  let now = "";
  let used = 0;
  for (const segment of graphemesOf(word.trimEnd())) {
    const wide = visibleWidth(segment);
    if (wide > width) continue;
    if (used + wide > width) {
      parts.push(now);
      now = "";
      used = 0;
    }
    now += segment;
    used += wide;
  }
  return [...parts, now + word.slice(word.trimEnd().length)];
}

/** What stays together: words with the spaces behind them, and single wide characters, as Chinese has no spaces. */
function piecesOf(line: string): readonly string[] {
  if (ASCII.test(line)) return line.match(/^ +|[^ ]+ */gu) ?? [];
  const pieces: string[] = [];
  let last = "";
  for (const segment of graphemesOf(line)) {
    if (pieces.length > 0 && isTogether(last, segment)) pieces[pieces.length - 1] += segment;
    else pieces.push(segment);
    last = segment;
  }
  return pieces;
}

function isTogether(before: string, after: string): boolean {
  if (after === " " || CLOSING.test(after)) return true;
  return before !== " " && visibleWidth(before) < 2 && visibleWidth(after) < 2;
}

function graphemesOf(text: string): readonly string[] {
  return ASCII.test(text) ? text.split("") : Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export function padded(line: string, width: number): string {
  return line + " ".repeat(Math.max(0, width - visibleWidth(line)));
}
