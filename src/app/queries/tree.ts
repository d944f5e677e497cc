import type { SessionView } from "../../machine/view.ts";
import type { EntryId, Seq } from "../../record/ids.ts";
import { commandOf } from "../../timeline/checkpoints.ts";
import { nearest, type Outline, wayLeft } from "../../timeline/outline.ts";
import { isAboutPlace, isCheckpoint, isEntryToCount, isSamePlace, type Row } from "../../timeline/row.ts";
import { contextTokens } from "../../timeline/token-count.ts";
import { type TreeLine, treeOf } from "../../timeline/tree.ts";
import { Destinations } from "../../travel/destination.ts";
import type { JourneyEntry } from "../../travel/redo.ts";
import { isUnasked, readTexts, SnapshotsTold } from "../checkpoints/checkpoint-rows.ts";
import { landedAt } from "../journeys/journey-ends.ts";
import type { TreePlace, TreeRow } from "./query-types.ts";

/**
 * Returns the tree that users see: their prompts and commands, the places that they named, the journeys between them,
 * and the ends of other branches.
 */
export async function treeRows(view: SessionView): Promise<readonly TreeRow[]> {
  const { outline } = view;
  const labels = await view.labels();
  const places = await shownPlaces(view, labels);
  const journeys = (await view.journeys()).map(({ entry }) => entry);
  const destinations = new Destinations(outline, journeys);
  const ends = new Map<number, ShownPlace & Pick<TreeRow, "go">>();
  for (const end of destinations.ends()) {
    const place = endOf(outline, end, places);
    if (place !== undefined) ends.set(end.row.seq, { ...place, go: { by: "redo", journey: end.journey.id } });
  }
  const isShown = ({ seq }: { readonly seq: number }): boolean => places.has(seq) || ends.has(seq);
  const head = nearest(outline, outline.head, isShown);
  return treeOf(outline, isShown).flatMap((line) => {
    const place = places.get(line.row.seq);
    const end = ends.get(line.row.seq);
    // A prompt without an answer needs two rows: one that leads to the place before the prompt, and one for the end of
    // its branch.
    return [
      ...(place === undefined
        ? []
        : [
            rowOf(
              line,
              { ...place, go: destinationOf(place.checkpoint, destinations.of(line.row)) },
              { labels, head },
            ),
          ]),
      ...(end === undefined ? [] : [rowOf(place === undefined ? line : below(line), end, { labels })]),
    ];
  });
}

/**
 * Returns the place that a row leads to. A row with a checkpoint leads to that checkpoint; a prompt, for example, leads
 * to the checkpoint before it. Every other row leads to itself.
 */
export function destinationOf(checkpoint: Row | undefined, own: TreeRow["go"]): TreeRow["go"] {
  return checkpoint === undefined ? own : { by: "rewind", to: checkpoint.number };
}

function rowOf(
  { row, rails, hang, branch }: TreeLine,
  { what, checkpoint, go }: ShownPlace & { readonly go?: TreeRow["go"] },
  { labels, head }: { readonly labels: ReadonlyMap<EntryId, string>; readonly head?: Row | undefined },
): TreeRow {
  const label = checkpoint === undefined || what.kind === "end" ? undefined : labels.get(checkpoint.id);
  return {
    entry: row.id,
    what,
    ...(checkpoint === undefined ? {} : { number: checkpoint.number }),
    at: row.at,
    ...(label === undefined ? {} : { label }),
    rails,
    hang,
    branch,
    isHead: row.seq === head?.seq,
    ...(go === undefined ? {} : { go }),
  };
}

/** Returns the tree line for a second row below a row without children. */
function below(line: TreeLine): TreeLine {
  if (line.hang === "along") return line;
  const rail = line.hang === "last" ? ("closed" as const) : ("open" as const);
  return { ...line, rails: [...line.rails, rail], hang: "along" };
}

/**
 * Returns the row for the end of another branch. Each row above it leads to the place before its prompt. This row leads
 * to the place after the last prompt. Returns undefined if the last row is a journey or a compaction with nothing after
 * it, because that row already leads to the end.
 */
export function endOf(
  outline: Outline,
  { row: end, journey }: ReturnType<Destinations["ends"]>[number],
  shown: ReadonlyMap<number, ShownPlace>,
): ShownPlace | undefined {
  const landed = outline.at(outline.byId(journey.id)?.parent ?? 0);
  const way = wayLeft(outline, end, landed);
  const last = nearest(outline, end, ({ seq }) => shown.has(seq));
  const isLeadingThere =
    last !== undefined && isAtItself(shown.get(last.seq)) && !hasWork(outline, end, last);
  if (way.length === 0 || isLeadingThere) return undefined;
  const checkpoint = nearest(outline, end, isCheckpoint);
  const isOfWay = checkpoint !== undefined && checkpoint.seq >= (way.at(-1)?.seq ?? 0);
  const to = landedAt(outline, journey);
  return {
    what: {
      kind: "end",
      by: journey.kind,
      ...(to === undefined ? {} : { to }),
      entries: way.filter(isEntryToCount).length,
    },
    ...(isOfWay ? { checkpoint } : {}),
  };
}

/**
 * Checks whether choosing a row goes to the row itself. For a prompt or a command, it goes to the checkpoint before it
 * instead.
 */
function isAtItself(place: ShownPlace | undefined): boolean {
  return place !== undefined && place.checkpoint === undefined;
}

function hasWork(outline: Outline, end: Row, above: Row): boolean {
  for (
    let row: Row | undefined = end;
    row !== undefined && row.seq > above.seq;
    row = outline.at(row.parent)
  ) {
    if (!isSamePlace(row)) return true;
  }
  return false;
}

/** A row in the tree, without its position. */
export interface ShownPlace {
  readonly what: TreePlace;
  /** The row's checkpoint or, for a prompt, the prompt's checkpoint. */
  readonly checkpoint?: Row;
}

/** Maximum length of a note. The maximum is longer than any line on the screen, but a note can be pages long. */
const LONGEST = 240;

/**
 * Returns the entries that have a row in the tree. Every other entry belongs to the nearest entry above it that has a
 * row.
 */
async function shownPlaces(
  view: SessionView,
  labels: ReadonlyMap<EntryId, string>,
): Promise<ReadonlyMap<number, ShownPlace>> {
  const { outline } = view;
  const places = new Map<number, ShownPlace>();
  const first = outline.at(1);
  if (first !== undefined) places.set(first.seq, { what: { kind: "beginning" } });
  const withPrompt = await addPrompts(view, places);
  await addCheckpoints(view, places, { withPrompt, labels });
  for (const id of labels.keys()) {
    const row = outline.byId(id);
    if (row?.kind === "step") places.set(row.seq, { what: { kind: "step" }, checkpoint: row });
  }
  await addCompactions(view, places);
  const journeys = (await view.journeys()).map(({ entry }) => entry);
  for (const entry of journeys) places.set(entry.seq, { what: journeyOf(entry) });
  return places;
}

/**
 * Adds the prompts. Resolves with the checkpoints that have a prompt, because the prompt's row also stands for the
 * checkpoint and shows its label.
 */
async function addPrompts(view: SessionView, places: Map<number, ShownPlace>): Promise<ReadonlySet<number>> {
  const { outline } = view;
  const prompts = outline.ofKind("prompt");
  const texts = new Map<Seq, string>();
  await readTexts(
    view,
    prompts.map((row) => ({ row, on: "prompt", textLine: row.seq })),
    texts,
  );
  const withPrompt = new Set<number>();
  for (const row of prompts) {
    const checkpoint = checkpointAbove(outline, row);
    if (checkpoint !== undefined) withPrompt.add(checkpoint.seq);
    const what = { kind: "prompt", text: texts.get(row.seq) ?? "" } as const;
    places.set(row.seq, { what, ...(checkpoint === undefined ? {} : { checkpoint }) });
  }
  return withPrompt;
}

function checkpointAbove(outline: Outline, prompt: Row): Row | undefined {
  let row = outline.at(prompt.parent);
  while (row !== undefined && isAboutPlace(row)) row = outline.at(row.parent);
  return row?.kind === "checkpoint" ? row : undefined;
}

interface Known {
  readonly withPrompt: ReadonlySet<number>;
  readonly labels: ReadonlyMap<EntryId, string>;
}

/**
 * Adds the checkpoints before commands and the checkpoints that the user saved. Automatic checkpoints belong to the
 * turn or command before them.
 */
async function addCheckpoints(
  view: SessionView,
  places: Map<number, ShownPlace>,
  { withPrompt, labels }: Known,
): Promise<void> {
  const { outline } = view;
  const rows = outline.ofKind("checkpoint").filter(({ seq }) => !withPrompt.has(seq));
  const commands = rows.flatMap((row) => {
    const start = commandOf(outline, row);
    return start === undefined ? [] : [{ row, on: "command" as const, textLine: start.seq }];
  });
  const texts = new Map<Seq, string>();
  await readTexts(view, commands, texts);
  for (const { row, textLine } of commands) {
    // The row is at the command's start, and not at its checkpoint, because a rewind to that checkpoint leaves the
    // command on another branch.
    places.set(textLine, { what: { kind: "command", text: texts.get(textLine) ?? "!" }, checkpoint: row });
  }
  const withCommand = new Set<number>(commands.map(({ row }) => row.seq));
  const others = rows.filter(({ seq }) => !withCommand.has(seq));
  const told = await new SnapshotsTold().of(view, new Set(others.map(({ number }) => number)));
  for (const row of others) {
    if (!labels.has(row.id) && isUnasked(view, told.get(row.number))) continue;
    places.set(row.seq, { what: { kind: "checkpoint" }, checkpoint: row });
  }
}

async function addCompactions(view: SessionView, places: Map<number, ShownPlace>): Promise<void> {
  for (const entry of await view.storedEntries(view.outline.linesOf("compaction"))) {
    if (entry.kind !== "compaction") continue;
    const { reason, tokensBefore: before } = entry;
    const after = contextTokens(view.outline, view.outline.at(entry.seq), entry.seq);
    places.set(entry.seq, { what: { kind: "compaction", reason, before, after } });
  }
}

function journeyOf(entry: JourneyEntry): TreePlace {
  switch (entry.kind) {
    case "rewind":
      return { kind: "rewind", to: entry.to, scope: entry.scope };
    case "redo":
      return { kind: "redo", scope: entry.scope };
    case "backtrack":
      return { kind: "backtrack", to: entry.to, note: [...plainNote(entry.note)].slice(0, LONGEST).join("") };
    default:
      return entry satisfies never;
  }
}

/** Returns the text of a Markdown note on a single line, without the markup for bold, code and headings. */
export function plainNote(note: string): string {
  return note
    .replace(/^\s{0,3}#{1,6}\s+/gmu, "")
    .replace(/\*\*|__|`+/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}
