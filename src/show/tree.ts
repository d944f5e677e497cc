import { distance } from "../app/rewind.ts";
import { shortened, widthOf } from "../app/text-width.ts";
import { programSteps, startOfPrompt } from "../machine/checkpoint-list.ts";
import type { SessionView } from "../machine/view.ts";
import type { Entry } from "../record/entry.ts";
import type { EntryId, Seq } from "../record/ids.ts";
import { oneLine } from "../record/visible-text.ts";
import { clockTime } from "../strings/clock.ts";
import type { Strings } from "../strings/strings.ts";
import { promptOf } from "../timeline/checkpoints.ts";
import type { Outline } from "../timeline/outline.ts";
import { isCheckpoint, isJourney, type Row } from "../timeline/row.ts";
import { type TreeLine, treeOf } from "../timeline/tree.ts";
import { type Destination, Destinations } from "../travel/destination.ts";
import { entryText, type TextNeeds } from "./entry-text.ts";
import type { Glyphs, Style } from "./style.ts";

/** A row of the tree, with everything that is shown next to it. */
export interface TreeNode extends TreeLine {
  readonly text: string;
  /** The number of the row's checkpoint or, for a prompt, of the prompt's checkpoint. */
  readonly number?: number;
  readonly label?: string;
  readonly isHead: boolean;
  /** How to get to exactly this row: a rewind to a checkpoint, or the redo of the journey that left from there. */
  readonly go?: Destination;
  /** Set where another branch ends: the journey whose redo returns there. */
  readonly end?: EntryId;
}

interface TreeOptions {
  /** "main": prompts, named and manual checkpoints, journeys, the entries that journeys left, and compactions. */
  readonly rows: "main" | "all";
  readonly strings: Strings;
}

const PAGE = 500;

/** All rows of the session, including those of other branches. */
export async function sessionTree(
  view: SessionView,
  { rows, strings }: TreeOptions,
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
  const texts = await textsOf(view, lines, { leftAt: rows === "all" ? new Map() : leftAt, strings });
  return lines.map((line) => {
    const checkpoint = checkpointAt(outline, line.row, rows);
    const label = checkpoint === undefined ? undefined : labels.get(checkpoint.id);
    const go = goTo(destinations.of(line.row), checkpoint);
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

/** A row with a checkpoint leads to that checkpoint; every other row leads to itself. */
function goTo(own: Destination | undefined, checkpoint: Row | undefined): Destination | undefined {
  return checkpoint === undefined ? own : { by: "rewind", to: checkpoint.number };
}

function isMain(row: Row, outline: Outline, labels: ReadonlyMap<EntryId, string>): boolean {
  if (row.kind === "session" || row.kind === "prompt" || row.kind === "compaction" || isJourney(row.kind))
    return true;
  // A checkpoint with a prompt is shown as that prompt, which then carries the checkpoint's label.
  if (row.kind === "checkpoint") return promptOf(outline, row) === undefined;
  return labels.has(row.id);
}

/**
 * The row under which an entry is shown. An entry about files, or about another agent's session, belongs to the entry
 * above it, and only has a separate row if every entry has one.
 */
function placeOf(outline: Outline, row: Row | undefined, rows: TreeOptions["rows"]): Row | undefined {
  let place = row;
  while (rows === "main" && place !== undefined && SAID_OF_PLACE.has(place.kind))
    place = outline.at(place.parent);
  return place;
}

const SAID_OF_PLACE: ReadonlySet<string> = new Set(["snapshot", "interval", "restored", "host"]);

/** For each line that a journey left, how many entries the journey left behind. */
async function placesLeft(view: SessionView, rows: TreeOptions["rows"]): Promise<ReadonlyMap<Seq, number>> {
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
 * The checkpoint that the row shows or, for a prompt, the checkpoint right before it, unless that checkpoint has a
 * separate row.
 */
function checkpointAt(outline: Outline, row: Row, rows: TreeOptions["rows"]): Row | undefined {
  if (isCheckpoint(row)) return row;
  if (row.kind !== "prompt" || rows !== "main") return undefined;
  const above = placeOf(outline, outline.at(row.parent), rows);
  return above?.kind === "checkpoint" ? above : undefined;
}

interface TextSources {
  readonly leftAt: ReadonlyMap<Seq, number>;
  readonly strings: Strings;
}

async function textsOf(
  view: SessionView,
  lines: readonly TreeLine[],
  sources: TextSources,
): Promise<Map<Seq, string>> {
  const texts = new Map<Seq, string>();
  const branches = new Map(lines.map(({ row, branch }) => [row.seq, branch]));
  // Neighboring lines of the log are read together, so the entries are read in the log's order.
  const seqs = [...branches.keys()].sort((a, b) => a - b);
  const needs = { outline: view.outline, steps: await programSteps(view), strings: sources.strings };
  for (let start = 0; start < seqs.length; start += PAGE) {
    for (const entry of await view.entries(seqs.slice(start, start + PAGE))) {
      const left = branches.get(entry.seq) === "left" ? sources.leftAt.get(entry.seq) : undefined;
      const text = nodeText(entry, left, needs);
      texts.set(entry.seq, oneLine(text));
    }
  }
  return texts;
}

function nodeText(entry: Entry, left: number | undefined, needs: TextNeeds): string {
  const { kind, seq } = entry;
  const { checkpoints, looking } = needs.strings;
  if (kind === "prompt") return startOfPrompt(entry) || entryText(entry, needs);
  if (kind === "step") return entry.fill === undefined ? kind : `${kind}, ${looking.contextFill(entry.fill)}`;
  if (kind === "checkpoint") {
    return needs.steps?.get(seq)?.name ?? checkpoints.atTime(clockTime(Date.parse(entry.at)));
  }
  if (left !== undefined && !isJourney(kind)) return looking.tip(kind, seq, left);
  return `${kind} ${entryText(entry, needs)}`;
}

export interface Drawing {
  readonly glyphs: Glyphs;
  readonly style: Style;
  readonly columns: number;
  /** The word that marks the head. */
  readonly head: string;
}

/** At least this many columns of a row's text are shown, no matter how deeply its branch is nested. */
const MIN_ROOM = 12;
const MAX_ROOM = 100;

/** One line for each row. The head's branch runs down the left side, and other branches are attached to its right. */
export function drawTree(nodes: readonly TreeNode[], drawing: Drawing): string[] {
  return nodes.map((node) => drawNode(node, drawing));
}

function drawNode(node: TreeNode, { glyphs, style, columns, head }: Drawing): string {
  const isHere = node.branch === "here";
  // The branch that other branches are attached to continues below them, so its rail never ends next to them.
  const rails = glyphs.rail.repeat(node.rails.length) + (node.hang === "along" ? "" : glyphs.fork);
  const number = node.number === undefined ? "" : `#${node.number} `;
  const label = node.label === undefined ? "" : `[${node.label}] `;
  const mark = `${commandOf(node)}${node.isHead ? ` ${glyphs.head} ${head}` : ""}`;
  const start = `${rails}${isHere ? glyphs.here : glyphs.left} `;
  const room = columns - widthOf(start) - widthOf(mark);
  const text = shortened(
    `${number}${label}${node.text}`,
    Math.max(MIN_ROOM, Math.min(MAX_ROOM, room)),
    glyphs.ellipsis,
  );
  return isHere
    ? `${start}${text}${mark === "" ? "" : style.bold(mark)}`
    : style.dim(`${start}${text}${mark}`);
}

/**
 * The command-line argument that leads to the end of another branch. The number of a row is an argument for `rewind`.
 */
function commandOf({ end }: TreeNode): string {
  return end === undefined ? "" : ` (worldline redo ${end})`;
}
