import { visibleWidth } from "@earendil-works/pi-tui";
import type { CheckpointRow, PlaceOfRow } from "../../app/checkpoints/checkpoint-rows.ts";
import { visibleName } from "../../record/visible-text.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Look } from "../look/look.ts";
import { ago, clockTime, cut, padded } from "../look/text.ts";
import { type ListRow, matches } from "./list.ts";

/** A row in the checkpoint list: the present, a checkpoint, or a heading above the rows of other sessions. */
export interface ShownCheckpoint extends ListRow {
  readonly heading?: string;
  readonly row?: CheckpointRow;
  /** Number of steps that can be unfolded below the row. */
  readonly steps: number;
  readonly depth: 0 | 1;
}

interface Shown {
  readonly filter: string;
  readonly unfolded: ReadonlySet<string>;
  /** Returns the text that the filter searches. */
  readonly words: (row: CheckpointRow) => string;
  /** The headings above rows of other sessions. */
  readonly headings: Readonly<Record<Exclude<CheckpointRow["place"], "here">, string>>;
}

export function keyOf({ session, number }: PlaceOfRow): string {
  return `${session}:${number}`;
}

/**
 * Returns the visible rows. Steps are listed below their prompt, but only if it is unfolded. A filter also finds folded
 * steps.
 */
export function shownCheckpoints(rows: readonly CheckpointRow[], shown: Shown): ShownCheckpoint[] {
  const found = shown.filter === "" ? unfoldedRows(rows, shown) : filteredRows(rows, shown);
  const lines: ShownCheckpoint[] = shown.filter === "" ? [{ number: 0, steps: 0, depth: 0 }] : [];
  let place: CheckpointRow["place"] = "here";
  for (const [index, one] of found.entries()) {
    if (one.row.place !== place && one.row.place !== "here")
      lines.push(heading(shown.headings[one.row.place]));
    place = one.row.place;
    lines.push({ ...one, number: index + 1 });
  }
  return lines;
}

export function heading(text: string): ShownCheckpoint {
  return { heading: text, steps: 0, depth: 0 };
}

interface Found extends ShownCheckpoint {
  readonly row: CheckpointRow;
}

function filteredRows(rows: readonly CheckpointRow[], { filter, words }: Shown): Found[] {
  return rows.filter((row) => matches(words(row), filter)).map((row) => ({ row, steps: 0, depth: 0 }));
}

function unfoldedRows(rows: readonly CheckpointRow[], { unfolded }: Shown): Found[] {
  const { owned, byOwner } = stepsByOwner(rows);
  return rows
    .filter((row) => !owned.has(keyOf(row)))
    .flatMap((row): Found[] => {
      const steps = byOwner.get(keyOf(row)) ?? [];
      const below = unfolded.has(keyOf(row)) ? steps : [];
      return [
        { row, steps: steps.length, depth: 0 },
        ...below.map((step): Found => ({ row: step, steps: 0, depth: 1 })),
      ];
    });
}

interface Steps {
  readonly byOwner: ReadonlyMap<string, readonly CheckpointRow[]>;
  readonly owned: ReadonlySet<string>;
}

/**
 * Finds the rows that are folded into other rows. A step, or a checkpoint after a command, is folded into the last
 * checkpoint before it in its session. Rows come newest first.
 */
function stepsByOwner(rows: readonly CheckpointRow[]): Steps {
  const byOwner = new Map<string, CheckpointRow[]>();
  const owned = new Set<string>();
  const latest = new Map<string, string>();
  for (const row of rows.toReversed()) {
    if (row.on !== "step" && row.on !== "after") {
      latest.set(row.session, keyOf(row));
      continue;
    }
    const owner = latest.get(row.session);
    if (owner === undefined) continue;
    owned.add(keyOf(row));
    const steps = byOwner.get(owner);
    if (steps === undefined) byOwner.set(owner, [row]);
    else steps.push(row);
  }
  return { byOwner, owned };
}

export interface Widths {
  readonly number: number;
  readonly reference: Readonly<Record<CheckpointRow["place"], number>>;
  readonly time: number;
}

interface LineAt {
  readonly width: number;
  readonly widths: Widths;
  readonly unfolded: ReadonlySet<string>;
  /** Number of files changed since each row, for the rows that were looked up. Undefined if unknown. */
  readonly changed: ReadonlyMap<string, number | undefined>;
}

const NARROW = 56;
const SHORT_SESSION = 4;

export function columnsOf(rows: readonly ShownCheckpoint[], { now, strings }: Look): Widths {
  const reference = { here: 0, elsewhere: 0, execution: 0 };
  let time = 0;
  for (const { row } of rows) {
    if (row === undefined) continue;
    reference[row.place] = Math.max(reference[row.place], referenceOf(row).length);
    time = Math.max(time, visibleWidth(ago(row.at, now, strings)));
  }
  return {
    number: String(rows.findLast(({ row }) => row !== undefined)?.number ?? 0).length,
    reference,
    time,
  };
}

/** Draws a row with its number, place, time, text, and changed files, shortened if there is little room. */
export function checkpointLine(
  { row, number = 0, steps, depth }: ShownCheckpoint,
  at: LineAt,
  look: Look,
): string {
  const { widths, width, unfolded, changed } = at;
  const length = width < NARROW ? "short" : "long";
  const { strings, glyphs } = look;
  const start = `${String(number).padStart(widths.number)} `;
  if (row === undefined) return cut(`${start}${strings.journeys.current}`, width, look);
  const sign = unfolded.has(keyOf(row)) ? glyphs.unfolded : glyphs.folded;
  const unfolds = depth === 1 ? `  ${glyphs.elbow}` : steps > 0 ? sign : " ";
  const time = ago(row.at, look.now, strings);
  const place =
    row.execution !== undefined
      ? time
      : length === "short"
        ? `${shortReference(row)} ${time}`
        : `${padded(referenceOf(row), widths.reference[row.place])} ${padded(time, widths.time)}`;
  const left = `${start}${unfolds} ${place} `;
  const files = filesText(row, { changed, length }, look);
  const room = width - visibleWidth(left) - (files === "" ? 0 : visibleWidth(files) + 1);
  const text = cut(textOf(row, strings), Math.max(0, room), look);
  return cut(files === "" ? `${left}${text}` : `${left}${padded(text, room)} ${files}`, width, look);
}

/** Returns the name of a place for later dialogs, such as `#12 find the leak`. */
export function placeOf(row: CheckpointRow, strings: Strings): string {
  if (row.execution !== undefined) return strings.executions.stepOf(row.execution.id, row.execution.step);
  return `${referenceOf(row)} ${textOf(row, strings)}`;
}

/** Returns a reference that the command line also accepts: `#12` in this session, `session:12` in another one. */
function referenceOf({ place, session, number }: CheckpointRow): string {
  if (place === "execution") return "";
  return place === "here" ? `#${number}` : `${session}:${number}`;
}

function shortReference(row: CheckpointRow): string {
  const { place, session, number } = row;
  return place === "here" ? referenceOf(row) : `${session.slice(0, SHORT_SESSION)}:${number}`;
}

function textOf(row: CheckpointRow, strings: Strings): string {
  if (row.execution !== undefined) {
    return strings.executions.restoreRow(row.execution.id, row.execution.step);
  }
  const { left, after, step } = strings.terminal.dialogs.checkpoints;
  const mark = row.branch === "left" && row.place === "here" ? ` ${left}` : "";
  return `${ownText()}${mark}`;

  function ownText(): string {
    if (row.label !== undefined)
      return `[${visibleName(row.label)}]${row.text === undefined ? "" : ` ${row.text}`}`;
    if (row.text === undefined)
      return row.on === "step" ? step(clockTime(row.at)) : strings.checkpoints.atTime(clockTime(row.at));
    return row.on === "after" ? after(row.text) : row.text;
  }
}

function filesText(
  row: CheckpointRow,
  { changed, length }: { changed: LineAt["changed"]; length: "short" | "long" },
  { strings, glyphs }: Look,
): string {
  const words = strings.terminal.dialogs.checkpoints;
  // A program without files has no conversation either, so the row does not mention files.
  if (row.execution !== undefined && row.files === "none") return "";
  if (row.files === "none" || row.files === "let-go")
    return length === "long" ? words.noFiles : words.noFilesShort;
  if (!changed.has(keyOf(row))) return glyphs.ellipsis;
  const count = changed.get(keyOf(row));
  if (count === undefined) return "";
  return length === "long" ? words.changed(count) : `±${count}`;
}

/** Returns the text that a filter searches. */
export function wordsOf(row: CheckpointRow, strings: Strings): string {
  return `${referenceOf(row)} ${row.label ?? ""} ${textOf(row, strings)} ${row.sessionTitle ?? ""}`;
}
