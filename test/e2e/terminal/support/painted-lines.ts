import type { IBuffer, IBufferCell, IBufferLine } from "@xterm/headless";

/** Adjacent cells with the same style. */
export interface PaintedRun {
  readonly text: string;
  /** The first column, counted from 0. */
  readonly column: number;
  readonly columns: number;
  readonly style: CellStyle;
}

/** Only the attributes that differ from a plain cell. A color is a palette number or "#rrggbb". */
export interface CellStyle {
  readonly foreground?: number | string;
  readonly background?: number | string;
  readonly bold?: "on";
  readonly dim?: "on";
  readonly italic?: "on";
  readonly underline?: "on";
  readonly strike?: "on";
  readonly inverse?: "on";
}

/** The text of a screen with its styles, for pictures and for tests of colors. */
export function paintedLines(buffer: IBuffer, rows: number): readonly (readonly PaintedRun[])[] {
  return Array.from({ length: rows }, (_, row) => {
    const line = buffer.getLine(buffer.baseY + row);
    return line === undefined ? [] : runsOf(line);
  });
}

function runsOf(line: IBufferLine): readonly PaintedRun[] {
  const runs: PaintedRun[] = [];
  for (let column = 0; column < line.length; column += 1) {
    const cell = line.getCell(column);
    // Skip the second half of a wide character.
    if (cell === undefined || cell.getWidth() === 0) continue;
    const text = cell.getChars() === "" ? " " : cell.getChars();
    const one = { text, column, columns: cell.getWidth(), style: styleOf(cell) };
    const last = runs.at(-1);
    if (last !== undefined && belongTogether(last, one)) {
      runs[runs.length - 1] = { ...last, text: last.text + text, columns: last.columns + 1 };
    } else runs.push(one);
  }
  return runs.flatMap(withoutWhatIsUnseen);
}

/**
 * Whether two cells can share a run. Wide and combined characters stay separate, because no font draws them
 * exactly that many columns wide.
 */
function belongTogether(left: PaintedRun, right: PaintedRun): boolean {
  return isPlain(left) && isPlain(right) && JSON.stringify(left.style) === JSON.stringify(right.style);
}

function isPlain({ text, columns }: PaintedRun): boolean {
  return text.length === columns && !/\p{M}|\p{Cf}/u.test(text);
}

function withoutWhatIsUnseen(run: PaintedRun): readonly PaintedRun[] {
  if (isSeenWhenEmpty(run.style)) return [run];
  const text = run.text.trimEnd();
  if (text === "") return [];
  return [{ ...run, text, columns: run.columns - (run.text.length - text.length) }];
}

function isSeenWhenEmpty({ background, inverse, underline, strike }: CellStyle): boolean {
  return (background ?? inverse ?? underline ?? strike) !== undefined;
}

function styleOf(cell: IBufferCell): CellStyle {
  const style: Record<string, number | string> = {};
  if (!cell.isFgDefault()) style["foreground"] = colour(cell.getFgColor(), cell.isFgRGB());
  if (!cell.isBgDefault()) style["background"] = colour(cell.getBgColor(), cell.isBgRGB());
  const marks = {
    bold: cell.isBold(),
    dim: cell.isDim(),
    italic: cell.isItalic(),
    underline: cell.isUnderline(),
    strike: cell.isStrikethrough(),
    inverse: cell.isInverse(),
  };
  for (const [name, set] of Object.entries(marks)) if (set !== 0) style[name] = "on";
  return style;
}

function colour(value: number, isRgb: boolean): number | string {
  return isRgb ? `#${value.toString(16).padStart(6, "0")}` : value;
}
