import { CURSOR_MARKER, visibleWidth } from "@earendil-works/pi-tui";
import type { Brush, Look, Space } from "../look/look.ts";
import { clip, oneLine } from "../look/text.ts";
import type { CompletionList } from "./completion.ts";
import type { TypingMode } from "./inputs.ts";
import { type Folds, lineEnd, lineStart, type Row, rowAt, segmentsOf } from "./text-layout.ts";

const REVERSED = "\x1b[7m";
const RESET = "\x1b[0m";
const MAX_ROWS = 12;
const BORDERS = 2;
const MIN_LISTED = 3;
const MAX_LISTED = 6;
const MIN_COLUMNS = 4;

interface EditorFrame {
  readonly mode: TypingMode;
  readonly focus: "focused" | "unfocused";
  /** Text shown in an empty editor. */
  readonly placeholder: string;
}

/** The editor's laid-out text. */
interface EditorText {
  readonly text: string;
  readonly cursor: number;
  readonly folds: Folds;
  readonly rows: readonly Row[];
  /** The index of the first visible row. */
  readonly first: number;
}

export interface Drawing {
  readonly space: Space;
  readonly look: Look;
}

/** Returns the number of columns that the prompt symbol takes up. */
function signWidth({ glyphs }: Look): number {
  return visibleWidth(glyphs.prompt) + 1;
}

/** Returns the number of columns left for the text. The cursor can be one column to the right of the text. */
export function textWidth({ space, look }: Drawing): number {
  return Math.max(MIN_COLUMNS, space.width - signWidth(look)) - 1;
}

/**
 * Returns the number of visible text lines. `rows` is half of the screen. With its borders, the text takes up at most a
 * third of the screen.
 */
export function textRows(rows: number): number {
  return Math.max(1, Math.min(MAX_ROWS, Math.floor((rows * 2) / 3)) - BORDERS);
}

/** Draws the text between two borders, with the list of completions below it. */
export function drawEditor(
  typed: EditorText,
  { frame, list }: { readonly frame: EditorFrame; readonly list: CompletionList | undefined },
  drawing: Drawing,
): readonly string[] {
  const { space, look } = drawing;
  const shown = typed.rows.slice(typed.first, typed.first + textRows(space.rows));
  const brush = frame.mode.startsWith("shell") ? look.paint.warning : look.paint.border;
  const indent = " ".repeat(signWidth(look));
  const sign = (frame.mode.startsWith("shell") ? look.paint.warning : look.paint.accent)(look.glyphs.prompt);
  const words = look.strings.terminal.editor;
  const cursorRow = rowAt(typed.rows, typed.cursor) - typed.first;
  const text = shown.map((row, index) => {
    const drawn =
      index === cursorRow && frame.focus === "focused"
        ? withCursor(row, typed)
        : typed.text.slice(row.from, row.to);
    return `${index === 0 && typed.first === 0 ? `${sign} ` : indent}${drawn}`;
  });
  if (typed.text === "") text.splice(0, text.length, emptyLine(sign, frame, drawing));
  const title =
    frame.mode === "shell" || frame.mode === "shell-private" ? words.modes[frame.mode] : undefined;
  const hidden = typed.rows.length - typed.first - shown.length;
  const above = typed.first > 0 ? words.linesAbove(typed.first) : title;
  const below = hidden > 0 ? words.linesBelow(hidden) : undefined;
  const rule = (label: string | undefined): string => ruleOf(label, space.width, { look, brush });
  const offered = list === undefined ? [] : listLines(list, drawing);
  return [rule(above), ...text, rule(below), ...offered.map((line) => indent + line)].map((line) =>
    clip(line, space.width, ""),
  );
}

/**
 * Marks the cursor in a row. The terminal's own cursor moves to the mark, because input methods open there. The cursor
 * that users see is a cell with reversed colors.
 */
function withCursor({ from, to }: Row, { text, cursor, folds }: EditorText): string {
  const start = lineStart(text, cursor);
  const under = segmentsOf(text.slice(start, lineEnd(text, cursor)), folds).find(
    ({ at }) => start + at === cursor,
  );
  const end = Math.min(to, cursor + (under?.text.length ?? 0));
  const cell = text.slice(cursor, end) || " ";
  return `${text.slice(from, cursor)}${CURSOR_MARKER}${REVERSED}${cell}${RESET}${text.slice(end, to)}`;
}

function emptyLine(sign: string, { focus, placeholder }: EditorFrame, { space, look }: Drawing): string {
  const cursor = focus === "focused" ? `${CURSOR_MARKER}${REVERSED} ${RESET}` : " ";
  const room = Math.max(0, space.width - signWidth(look) - 1);
  return `${sign} ${cursor}${look.paint.dim(clip(placeholder, room, look.glyphs.ellipsis))}`;
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

const CHOSEN = "→ ";
const NOT_CHOSEN = "  ";
const GAP = 2;
const NAMES_WIDTH = 32;
const MIN_COMMAND_COLUMNS = 12;
/** Minimum number of columns for showing descriptions. With fewer columns, the list shows only names. */
const MIN_WITH_DESCRIPTIONS = 41;
const MIN_DESCRIBED = 11;

/** Draws the rows around the chosen row, and the position of the chosen row if not all rows are shown. */
function listLines(list: CompletionList, drawing: Drawing): readonly string[] {
  const { paint } = drawing.look;
  const { items, selected } = list;
  const most = Math.max(MIN_LISTED, Math.min(MAX_LISTED, drawing.space.rows - BORDERS - 2));
  const first = Math.max(0, Math.min(selected - Math.floor(most / 2), items.length - most));
  const lines = items
    .slice(first, first + most)
    .map((item, index) => listLine(item, first + index === selected ? "chosen" : "offered", list, drawing));
  return items.length <= most ? lines : [...lines, paint.dim(`  (${selected + 1}/${items.length})`)];
}

function listLine(
  { value, description }: CompletionList["items"][number],
  state: "chosen" | "offered",
  list: CompletionList,
  drawing: Drawing,
): string {
  const { paint } = drawing.look;
  const width = textWidth(drawing) + 1;
  const sign = state === "chosen" ? CHOSEN : NOT_CHOSEN;
  const brush = state === "chosen" ? paint.chosen : undefined;
  if (description !== undefined && description !== "" && width >= MIN_WITH_DESCRIPTIONS) {
    const names = Math.min(namesWidth(list), width - sign.length - GAP - GAP);
    const name = clip(oneLine(value), names - GAP, "");
    const column = " ".repeat(Math.max(1, names - visibleWidth(name)));
    const room = width - sign.length - visibleWidth(name) - column.length - GAP;
    if (room >= MIN_DESCRIBED) {
      const described = column + clip(description, room, "");
      return brush?.(sign + name + described) ?? sign + name + paint.dim(described);
    }
  }
  const name = sign + clip(oneLine(value), width - sign.length - GAP, "");
  return brush?.(name) ?? name;
}

/**
 * Returns the width of the widest name. For files, the width is constant, because the names change with each letter.
 */
function namesWidth({ prefix, items }: CompletionList): number {
  if (!prefix.startsWith("/")) return NAMES_WIDTH;
  const widest = Math.max(...items.map(({ value }) => visibleWidth(oneLine(value)) + GAP));
  return Math.max(MIN_COMMAND_COLUMNS, Math.min(widest, NAMES_WIDTH));
}
