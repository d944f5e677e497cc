import { diffWordsWithSpace, structuredPatch } from "diff";
import { isJsonObject, type Json } from "../../../record/parts.ts";
import type { Brush, Look, Paint } from "../../look/look.ts";
import { clip, padded, printable, wrap } from "../../look/text.ts";
import { toolKind } from "../block.ts";

export interface DiffRoom {
  readonly width: number;
  /** Maximum number of lines. If there are more, an additional line says how many are omitted. */
  readonly most: number;
  /** "cut" means that each line of the file is truncated to one line on the screen. */
  readonly long: "wrap" | "cut";
}

/** Minimum width for drawing old and new lines side by side. */
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

/** The row between two hunks. */
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

/** Checks whether a hunk has both old and new lines. Otherwise, there is nothing to compare. */
function isChange({ lines }: Hunk): boolean {
  return lines.some((line) => line.startsWith("-")) && lines.some((line) => line.startsWith("+"));
}

function numberWidth(hunks: readonly Hunk[]): number {
  const ends = hunks.map(({ before, after, lines }) => Math.max(before, after) + lines.length);
  return hunks.every(({ before, after }) => before + after === 0) ? 0 : String(Math.max(0, ...ends)).length;
}

/**
 * Returns a function that lists all old lines of a change before all new lines. Each row still contains the line that
 * its own line is compared with.
 */
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

function side(line: Side | undefined, text: string, { cell, look }: Sketch): readonly string[] {
  if (line === undefined) return [];
  const { paint, glyphs } = look;
  const { numbers, width, long } = cell;
  const number = numbers === 0 ? "" : `${String(line.number || "").padStart(numbers)} `;
  const sign = line.sign === "+" ? paint.added("+") : line.sign === "-" ? paint.removed("-") : " ";
  const gutter = number.length + 2;
  const room = Math.max(1, width - gutter);
  const lines = long === "cut" ? [clip(text, room, glyphs.ellipsis)] : wrap(text, room);
  return lines.map((line, index) =>
    index === 0 ? `${paint.dim(number)}${sign} ${line}`.trimEnd() : `${" ".repeat(gutter)}${line}`,
  );
}

/** One hunk of a diff. Each line begins with "+", "-" or a space. */
interface Hunk {
  /** The number of the hunk's first line before and after the change, or 0 if unknown. */
  readonly before: number;
  readonly after: number;
  readonly lines: readonly string[];
}

const HEADER = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/u;
/**
 * Maximum number of characters to compare. A larger edit is shown as all old lines and all new lines, because comparing
 * them would block the screen.
 */
const MAX_COMPARED = 40_000;

/** Returns the hunks of a unified diff. Omits lines outside hunks, such as file names. */
export function hunksOf(unified: string): readonly Hunk[] {
  const hunks: { before: number; after: number; lines: string[] }[] = [];
  for (const line of unified.replaceAll("\r\n", "\n").split("\n")) {
    const [, before, after] = HEADER.exec(line) ?? [];
    if (before !== undefined) hunks.push({ before: Number(before), after: Number(after), lines: [] });
    else if (/^[-+ ]/u.test(line)) hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

/**
 * Returns the change that a call makes to a file, as far as its arguments show. Returns undefined for calls that do not
 * change a file.
 */
export function hunksOfCall(name: string, input: Json): readonly Hunk[] | undefined {
  if (!isJsonObject(input) || toolKind(name) !== "change") return undefined;
  const { content, old_string: old, new_string: by, new_source: cell, edit_mode: mode } = input;
  if (typeof content === "string") return [{ before: 1, after: 1, lines: signed("+", content) }];
  // The call does not contain the previous content of the notebook's cell, or the number of its first line.
  if (typeof cell === "string" && mode !== "delete") return [unnumbered(signed("+", cell))];
  if (typeof old !== "string" || typeof by !== "string") return undefined;
  if (old.length + by.length > MAX_COMPARED) {
    return [unnumbered([...signed("-", old), ...signed("+", by)])];
  }
  const { hunks } = structuredPatch("", "", ended(old), ended(by), "", "", { context: 3 });
  return hunks.map(({ lines }) => unnumbered(lines));
}

function unnumbered(lines: readonly string[]): Hunk {
  return { before: 0, after: 0, lines };
}

function signed(sign: "+" | "-", text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => sign + line);
}

/** Returns the text with a final line break, because a missing final line break does not count as a difference. */
function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** One line of a diff, or an old line with the new one that replaces it. */
interface DiffRow {
  readonly before?: Side;
  readonly after?: Side;
  /** Which of the two lines this row shows. Set if the old and the new line are drawn one below the other. */
  readonly only?: "before" | "after";
}

interface Side {
  /** The line number, or 0 if unknown. */
  readonly number: number;
  readonly text: string;
  readonly sign: "+" | "-" | " ";
}

/** Returns the rows of a hunk. Deleted lines are next to the lines that replace them. */
function rowsOf({ before, after, lines }: Hunk): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  const next = { before, after };
  const numbered = (which: "before" | "after"): number => (next[which] === 0 ? 0 : next[which]++);
  let removed: Side[] = [];
  let added: Side[] = [];
  const settle = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      const [gone, come] = [removed[at], added[at]];
      rows.push({
        ...(gone === undefined ? {} : { before: gone }),
        ...(come === undefined ? {} : { after: come }),
      });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith("-")) {
      if (added.length > 0) settle();
      removed.push({ number: numbered("before"), text, sign: "-" });
    } else if (line.startsWith("+")) added.push({ number: numbered("after"), text, sign: "+" });
    else {
      settle();
      rows.push({
        before: { number: numbered("before"), text, sign: " " },
        after: { number: numbered("after"), text, sign: " " },
      });
    }
  }
  settle();
  return rows;
}

const MAX_LENGTH = 400;

/**
 * Returns both lines with their differences marked. Returns undefined if they have too little in common to count as one
 * changed line.
 */
function emphasised(
  before: string,
  after: string,
  paint: Paint,
): { readonly before: string; readonly after: string } | undefined {
  if (before.length > MAX_LENGTH || after.length > MAX_LENGTH) return undefined;
  const parts = diffWordsWithSpace(before, after);
  const same = parts.reduce(
    (sum, part) => (part.added || part.removed ? sum : sum + part.value.trim().length),
    0,
  );
  if (same * 3 < Math.max(before.trim().length, after.trim().length)) return undefined;
  const mark = (text: string, brush: Brush, isMarked: boolean): string =>
    brush(isMarked ? paint.underline(paint.strong(text)) : text);
  let old = "";
  let now = "";
  for (const { value, added, removed } of parts) {
    if (!added) old += mark(value, paint.removed, removed);
    if (!removed) now += mark(value, paint.added, added);
  }
  return { before: old, after: now };
}
