import { type NamedStep, programSteps } from "../../machine/checkpoint-list.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Entry } from "../../record/entry.ts";
import type { EntryId, Seq } from "../../record/ids.ts";
import { promptOf } from "../../timeline/checkpoints.ts";
import type { Outline } from "../../timeline/outline.ts";
import { isCheckpoint, isJourney, type Row } from "../../timeline/row.ts";
import { type TreeLine, treeOf } from "../../timeline/tree.ts";
import { type Destination, Destinations } from "../../travel/destination.ts";
import { distance } from "../rewind.ts";
import { destinationOf } from "./tree.ts";

/** An entry in the tree of its session. */
export interface TreeNode extends TreeLine {
  readonly text: string;
  /** The number of the row's checkpoint or, for a prompt, of the prompt's checkpoint. */
  readonly number?: number;
  readonly label?: string;
  readonly isHead: boolean;
  /**
   * The journey that leads to exactly this row: a rewind to a checkpoint, or a redo of the journey that left from the
   * row.
   */
  readonly go?: Destination;
  /** The journey whose redo returns to this entry; present where another branch ends. */
  readonly end?: EntryId;
}

interface EntryTreeOptions {
  /** "main": prompts, named and manual checkpoints, journeys, the entries where journeys started, and compactions. */
  readonly rows: "main" | "all";
  /** Renders an entry. Entries are read page by page, so that memory use stays bounded. */
  readonly text: (entry: Entry, at: TextPlace) => string;
}

/** What is needed to render an entry, besides the entry itself. */
export interface TextPlace {
  readonly outline: Outline;
  /** A program's steps, by the checkpoints that follow them. */
  readonly steps: ReadonlyMap<Seq, NamedStep>;
  /** Number of entries that a journey left behind here; absent if no journey started from this entry. */
  readonly left: number | undefined;
}

const PAGE = 500;

/**
 * Returns the tree of the entries in the log, including the entries on other branches. See `treeRows` for the tree of
 * prompts.
 */
export async function entryTree(
  view: SessionView,
  { rows, text }: EntryTreeOptions,
): Promise<readonly TreeNode[]> {
  const { outline } = view;
  const labels = await view.labels();
  const leftAt = await placesLeft(view, rows);
  const head = placeOf(outline, outline.head, rows);
  const isWanted = (row: Row) =>
    rows === "all" || row.seq === head?.seq || leftAt.has(row.seq) || isMain(row, outline, labels);
  const lines = treeOf(outline, isWanted);
  const journeys = (await view.journeys()).map(({ entry }) => entry);
  const destinations = new Destinations(outline, journeys);
  const ends = new Map(
    destinations.ends().map(({ row, journey }) => [placeOf(outline, row, rows)?.seq, journey.id]),
  );
  const texts = await textsOf(view, lines, { leftAt: rows === "all" ? new Map() : leftAt, text });
  return lines.map((line) => {
    const checkpoint = checkpointAt(outline, line.row, rows);
    const label = checkpoint === undefined ? undefined : labels.get(checkpoint.id);
    const go = destinationOf(checkpoint, destinations.of(line.row));
    const end = ends.get(line.row.seq);
    return {
      ...line,
      text: texts.get(line.row.seq) ?? line.row.kind,
      ...(checkpoint === undefined ? {} : { number: checkpoint.number }),
      ...(label === undefined ? {} : { label }),
      isHead: line.row.seq === head?.seq,
      ...(go === undefined ? {} : { go }),
      ...(end === undefined ? {} : { end }),
    };
  });
}

function isMain(row: Row, outline: Outline, labels: ReadonlyMap<EntryId, string>): boolean {
  if (row.kind === "session" || row.kind === "prompt" || row.kind === "compaction" || isJourney(row.kind))
    return true;
  // A checkpoint with a prompt is shown as that prompt, with the checkpoint's label.
  if (row.kind === "checkpoint") return promptOf(outline, row) === undefined;
  return labels.has(row.id);
}

/**
 * Returns the row that an entry is shown under. An entry about files or about another agent's session belongs to the
 * entry above it. It has a separate row only if every entry has one.
 */
function placeOf(outline: Outline, row: Row | undefined, rows: EntryTreeOptions["rows"]): Row | undefined {
  let place = row;
  while (rows === "main" && place !== undefined && SAID_OF_PLACE.has(place.kind))
    place = outline.at(place.parent);
  return place;
}

const SAID_OF_PLACE: ReadonlySet<string> = new Set(["snapshot", "interval", "restored", "host"]);

/** For each row where a journey started, counts the entries that the journey left behind. */
async function placesLeft(
  view: SessionView,
  rows: EntryTreeOptions["rows"],
): Promise<ReadonlyMap<Seq, number>> {
  const { outline } = view;
  const left = new Map<Seq, number>();
  for (const { entry } of await view.journeys()) {
    const from = outline.byId(entry.from);
    const landed = outline.at(outline.byId(entry.id)?.parent ?? 0);
    const place = placeOf(outline, from, rows);
    if (place !== undefined) left.set(place.seq, distance(outline, from, landed).left);
  }
  return left;
}

/**
 * Returns the row itself if it is a checkpoint. For a prompt, returns the checkpoint right before it, unless that
 * checkpoint has a separate row.
 */
function checkpointAt(outline: Outline, row: Row, rows: EntryTreeOptions["rows"]): Row | undefined {
  if (isCheckpoint(row)) return row;
  if (row.kind !== "prompt" || rows !== "main") return undefined;
  const above = placeOf(outline, outline.at(row.parent), rows);
  return above?.kind === "checkpoint" ? above : undefined;
}

interface TextSources extends Pick<EntryTreeOptions, "text"> {
  readonly leftAt: ReadonlyMap<Seq, number>;
}

async function textsOf(
  view: SessionView,
  lines: readonly TreeLine[],
  { leftAt, text }: TextSources,
): Promise<Map<Seq, string>> {
  const texts = new Map<Seq, string>();
  const branches = new Map(lines.map(({ row, branch }) => [row.seq, branch]));
  // Adjacent lines in the log are read together, so entries are read in log order.
  const seqs = [...branches.keys()].sort((a, b) => a - b);
  const { outline } = view;
  const steps = await programSteps(view);
  for (let start = 0; start < seqs.length; start += PAGE) {
    for (const entry of await view.entries(seqs.slice(start, start + PAGE))) {
      const left = branches.get(entry.seq) === "left" ? leftAt.get(entry.seq) : undefined;
      texts.set(entry.seq, text(entry, { outline, steps, left }));
    }
  }
  return texts;
}
