import { visibleWidth } from "@earendil-works/pi-tui";
import type { CheckpointRow } from "../../../app/journeys/journey-types.ts";
import { visibleName } from "../../../record/visible-text.ts";
import type { Strings } from "../../../strings/strings.ts";
import { padded } from "../../look/clip.ts";
import type { Look } from "../../look/look.ts";
import { ago, clockTime } from "../pieces/ago.ts";
import { cut } from "../pieces/lines.ts";
import { keyOf, type ShownCheckpoint } from "./checkpoint-rows.ts";

export interface Widths {
  readonly number: number;
  readonly reference: Readonly<Record<CheckpointRow["place"], number>>;
  readonly time: number;
}

interface LineAt {
  readonly width: number;
  readonly widths: Widths;
  readonly unfolded: ReadonlySet<string>;
  /** Files changed since, by row, as far as they were looked up; undefined where it cannot be said. */
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

/** Row number, place, time, text, and the files that changed since; where there is little room, in short. */
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

/** `#12 find the leak`: what the next dialogs call it. */
export function placeOf(row: CheckpointRow, strings: Strings): string {
  if (row.execution !== undefined) return strings.executions.stepOf(row.execution.id, row.execution.step);
  return `${referenceOf(row)} ${textOf(row, strings)}`;
}

/** `#12` here, `session:12` elsewhere: what the command line takes too. */
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
  // A program without files has no conversation either.
  if (row.execution !== undefined && row.files === "none") return "";
  if (row.files === "none" || row.files === "let-go")
    return length === "long" ? words.noFiles : words.noFilesShort;
  if (!changed.has(keyOf(row))) return glyphs.ellipsis;
  const count = changed.get(keyOf(row));
  if (count === undefined) return "";
  return length === "long" ? words.changed(count) : `±${count}`;
}

/** What a filter looks at. */
export function wordsOf(row: CheckpointRow, strings: Strings): string {
  return `${referenceOf(row)} ${row.label ?? ""} ${textOf(row, strings)} ${row.sessionTitle ?? ""}`;
}
