import { clip, padded, wrap } from "../../../look/clip.ts";
import type { Look } from "../../../look/look.ts";
import { printable } from "../../../look/printable.ts";
import { emphasised } from "./emphasis.ts";
import type { Hunk } from "./hunk.ts";
import { type DiffRow, rowsOf, type Side } from "./row.ts";

export interface DiffRoom {
  readonly width: number;
  /** At most so many lines; a last one says how many are left out. */
  readonly most: number;
  /** "cut": each line of the file has one line. */
  readonly long: "wrap" | "cut";
}

/** From here on old and new stand side by side. */
const SPLIT_WIDTH = 140;

export function drawDiff(hunks: readonly Hunk[], room: DiffRoom, look: Look): readonly string[] {
  const { paint, glyphs, strings } = look;
  const form = room.width >= SPLIT_WIDTH && hunks.some(isChange) ? "split" : "unified";
  const cell = { ...room, numbers: numberWidth(hunks) };
  const rows = hunks.flatMap((hunk, index) => [...(index === 0 ? [] : [GAP]), ...rowsIn(hunk, form)]);
  const lines: string[] = [];
  let drawn = 0;
  for (const row of rows) {
    if (lines.length >= room.most) break;
    lines.push(...rowLines(row, form, { cell, look }));
    drawn += 1;
  }
  const shown = lines.slice(0, room.most);
  const hidden = rows.length - drawn + lines.length - shown.length;
  if (hidden === 0) return shown;
  const words = strings.terminal.transcript.moreLines(hidden);
  return [...shown, paint.dim(clip(`${glyphs.ellipsis} ${words}`, room.width, ""))];
}

type Form = "split" | "unified";

/** Between two hunks. */
const GAP: DiffRow = {};

function rowsIn(hunk: Hunk, form: Form): readonly DiffRow[] {
  const rows = rowsOf(hunk);
  return form === "split" ? rows : rows.flatMap(oneByOne(rows));
}

function rowLines(row: DiffRow, form: Form, { cell, look }: Sketch): readonly string[] {
  if (row === GAP) return [look.paint.dim(look.glyphs.ellipsis)];
  return form === "split" ? splitRow(row, cell, look) : unifiedRow(row, cell, look);
}

interface Sketch {
  readonly cell: Cell;
  readonly look: Look;
}

interface Cell extends DiffRoom {
  readonly numbers: number;
}

/** With old lines on one side only there is nothing to compare. */
function isChange({ lines }: Hunk): boolean {
  return lines.some((line) => line.startsWith("-")) && lines.some((line) => line.startsWith("+"));
}

function numberWidth(hunks: readonly Hunk[]): number {
  const ends = hunks.map(({ before, after, lines }) => Math.max(before, after) + lines.length);
  return hunks.every(({ before, after }) => before + after === 0) ? 0 : String(Math.max(0, ...ends)).length;
}

/** All old lines of a change, then all new ones; both still know what they are compared with. */
function oneByOne(rows: readonly DiffRow[]): (row: DiffRow, index: number) => DiffRow[] {
  return (row, index) => {
    if (isSame(row)) return [row];
    const previous = rows[index - 1];
    if (previous !== undefined && !isSame(previous)) return [];
    const end = rows.findIndex((each, at) => at >= index && isSame(each));
    const group = rows.slice(index, end === -1 ? undefined : end);
    return [
      ...group.flatMap((each) => (each.before === undefined ? [] : [{ ...each, only: "before" as const }])),
      ...group.flatMap((each) => (each.after === undefined ? [] : [{ ...each, only: "after" as const }])),
    ];
  };
}

function isSame({ before, after }: DiffRow): boolean {
  return before?.sign === " " && after?.sign === " ";
}

function unifiedRow(row: DiffRow, cell: Cell, look: Look): readonly string[] {
  const texts = painted(row, look);
  if (isSame(row)) return side(row.after, texts.after, { cell, look });
  return row.only === "before"
    ? side(row.before, texts.before, { cell, look })
    : side(row.after, texts.after, { cell, look });
}

function splitRow(row: DiffRow, cell: Cell, look: Look): readonly string[] {
  const width = Math.floor((cell.width - 3) / 2);
  const texts = painted(row, look);
  const left = side(row.before, texts.before, { cell: { ...cell, width }, look });
  const right = side(row.after, texts.after, { cell: { ...cell, width }, look });
  const rail = look.paint.border(look.glyphs.vertical);
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) =>
    `${padded(left[at] ?? "", width)} ${rail} ${right[at] ?? ""}`.trimEnd(),
  );
}

function painted({ before, after }: DiffRow, { paint }: Look): { before: string; after: string } {
  const old = printable(before?.text ?? "");
  const now = printable(after?.text ?? "");
  if (before?.sign === " ") return { before: old, after: now };
  const both = before === undefined || after === undefined ? undefined : emphasised(old, now, paint);
  return both ?? { before: paint.removed(old), after: paint.added(now) };
}

function side(told: Side | undefined, text: string, { cell, look }: Sketch): readonly string[] {
  if (told === undefined) return [];
  const { paint, glyphs } = look;
  const { numbers, width, long } = cell;
  const number = numbers === 0 ? "" : `${String(told.number || "").padStart(numbers)} `;
  const sign = told.sign === "+" ? paint.added("+") : told.sign === "-" ? paint.removed("-") : " ";
  const gutter = number.length + 2;
  const room = Math.max(1, width - gutter);
  const lines = long === "cut" ? [clip(text, room, glyphs.ellipsis)] : wrap(text, room);
  return lines.map((line, index) =>
    index === 0 ? `${paint.dim(number)}${sign} ${line}`.trimEnd() : `${" ".repeat(gutter)}${line}`,
  );
}
