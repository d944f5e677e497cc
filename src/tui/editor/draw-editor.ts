import { CURSOR_MARKER, visibleWidth } from "@earendil-works/pi-tui";
import { clip } from "../look/clip.ts";
import type { Brush, Look, Space } from "../look/look.ts";
import type { TypingMode } from "./submission.ts";

/** What the text editor below begins its borders with: the places of the borders tell its parts from each other. */
export const BORDER = "\u0001";

const CURSOR_CELL = "\x1b[7m";
const MOST_ROWS = 12;
const BORDERS = 2;
const FEWEST_LISTED = 3;
const MOST_LISTED = 6;

export interface EditorFrame {
  readonly mode: TypingMode;
  readonly focus: "focused" | "unfocused";
  /** Stands there while nothing is typed. */
  readonly placeholder: string | undefined;
}

/** How many columns the sign before the text takes. */
export function signWidth({ glyphs }: Look): number {
  return visibleWidth(glyphs.prompt) + 1;
}

/** How many lines of text are shown, of a room that is half of the screen: with the borders at most a third of it. */
export function textRows(rows: number): number {
  return Math.max(1, Math.min(MOST_ROWS, Math.floor((rows * 2) / 3)) - BORDERS);
}

/** How many completions are shown below a line of text. */
export function listRows(rows: number): number {
  return Math.max(FEWEST_LISTED, Math.min(MOST_LISTED, rows - BORDERS - 2));
}

/** Puts our own frame around what the text editor drew: `lines` are its borders, its text, and its list of completions. */
export function drawEditor(
  lines: readonly string[],
  frame: EditorFrame,
  { space, look }: Drawing,
): readonly string[] {
  const parts = partsOf(lines);
  const shown = windowOf(parts, textRows(space.rows));
  const brush = frame.mode.startsWith("shell") ? look.paint.warning : look.paint.border;
  const indent = " ".repeat(signWidth(look));
  const sign = (frame.mode.startsWith("shell") ? look.paint.warning : look.paint.accent)(look.glyphs.prompt);
  const words = look.strings.terminal.editor;
  const text = shown.text.map((line, index) => {
    const first = index === 0 && shown.above === 0;
    return `${first ? `${sign} ` : indent}${withMarker(line, frame)}`;
  });
  if (frame.placeholder !== undefined) text.splice(0, text.length, emptyLine(sign, frame, { space, look }));
  const title = frame.mode === "shell" || frame.mode === "shell-untold" ? words.modes[frame.mode] : undefined;
  const above = shown.above > 0 ? words.linesAbove(shown.above) : title;
  const below = shown.below > 0 ? words.linesBelow(shown.below) : undefined;
  const rule = (label: string | undefined): string => ruleOf(label, space.width, { look, brush });
  return [rule(above), ...text, rule(below), ...parts.list.map((line) => indent + line)].map((line) =>
    clip(line, space.width, ""),
  );
}

interface Drawing {
  readonly space: Space;
  readonly look: Look;
}

interface Parts {
  readonly text: readonly string[];
  readonly list: readonly string[];
  readonly above: number;
  readonly below: number;
}

function partsOf(lines: readonly string[]): Parts {
  const bottom = lines.findIndex((line, index) => index > 0 && line.startsWith(BORDER));
  const hidden = (line: string | undefined): number => Number(/\d+/u.exec(line ?? "")?.[0] ?? 0);
  return {
    text: lines.slice(1, bottom),
    list: lines.slice(bottom + 1),
    above: hidden(lines[0]),
    below: hidden(lines[bottom]),
  };
}

/** The text editor shows at least five lines; where there is less room, those around the cursor. */
function windowOf({ text, above, below }: Parts, rows: number): Omit<Parts, "list"> {
  const cursor = text.findIndex((line) => line.includes(CURSOR_CELL));
  const start = Math.max(0, Math.min(cursor - rows + 1, text.length - rows));
  const shown = text.slice(start, start + rows);
  return { text: shown, above: above + start, below: below + text.length - start - shown.length };
}

/** While completions are open the text editor names no place for the cursor; an input method needs it there too. */
function withMarker(line: string, { focus }: EditorFrame): string {
  if (focus === "unfocused") return line.replace(CURSOR_CELL, "");
  return line.includes(CURSOR_MARKER) ? line : line.replace(CURSOR_CELL, CURSOR_MARKER + CURSOR_CELL);
}

function emptyLine(sign: string, { focus, placeholder }: EditorFrame, { space, look }: Drawing): string {
  const cursor = focus === "focused" ? `${CURSOR_MARKER}${CURSOR_CELL} \x1b[0m` : " ";
  const room = Math.max(0, space.width - signWidth(look) - 1);
  return `${sign} ${cursor}${look.paint.dim(clip(placeholder ?? "", room, look.glyphs.ellipsis))}`;
}

function ruleOf(
  label: string | undefined,
  width: number,
  { look, brush }: { readonly look: Look; readonly brush: Brush },
): string {
  const dash = look.glyphs.horizontal;
  const begun = label === undefined ? "" : clip(`${dash}${dash} ${label} `, width, look.glyphs.ellipsis);
  return brush(begun + dash.repeat(Math.max(0, width - visibleWidth(begun))));
}
