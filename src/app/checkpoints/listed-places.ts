import { startOfPrompt } from "../../machine/checkpoint-list.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Entry } from "../../record/entry.ts";
import type { Seq } from "../../record/ids.ts";
import { typedFor } from "../../timeline/calls.ts";
import { commandOf, promptOf } from "../../timeline/checkpoints.ts";
import type { Outline } from "../../timeline/outline.ts";
import { askedBefore, nearest } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import { aboutCall } from "../../timeline/turn-state.ts";
import type { CheckpointRow } from "../journeys/journey-types.ts";

/** A checkpoint, and the line whose text it is known by. */
export interface ListedPlace {
  readonly row: Row;
  readonly on: CheckpointRow["on"];
  /** Of its prompt, or of the start of its command; of one that was made behind them, of theirs. */
  readonly textLine?: Seq;
}

const LONGEST = 80;

/** All checkpoints of a session, oldest first, or those without steps. Looks at rows alone. */
export function placesIn(outline: Outline, steps: "with-steps" | "without-steps"): ListedPlace[] {
  const checkpoints = outline.ofKind("checkpoint").map((row) => placeOfCheckpoint(outline, row));
  if (steps === "without-steps") return checkpoints;
  const above = new Map<number, Seq | undefined>();
  const stepPlaces = outline.ofKind("step").map((row) => placeOfStep(outline, row, above));
  return [...checkpoints, ...stepPlaces].sort((a, b) => a.row.seq - b.row.seq);
}

export function placeOf(outline: Outline, row: Row): ListedPlace {
  return row.kind === "step" ? placeOfStep(outline, row, new Map()) : placeOfCheckpoint(outline, row);
}

function placeOfCheckpoint(outline: Outline, row: Row): ListedPlace {
  const prompt = promptOf(outline, row);
  if (prompt !== undefined) return { row, on: "prompt", textLine: prompt.seq };
  const command = commandOf(outline, row);
  return command === undefined ? { row, on: "manual" } : { row, on: "command", textLine: command.seq };
}

/** A checkpoint that nobody asked for, as it belongs to the turn or the command that it was made behind. */
export function placeAfter(outline: Outline, place: ListedPlace): ListedPlace {
  const above = nearest(outline, outline.at(place.row.parent), ({ kind }) => BEGINS.has(kind));
  if (above === undefined) return place;
  const line = above.kind === "prompt" ? above : commandOf(outline, above);
  return line === undefined ? place : { row: place.row, on: "after", textLine: line.seq };
}

const BEGINS: ReadonlySet<string> = new Set(["prompt", "checkpoint"]);

/** `above` remembers what was found for earlier steps: a turn of 10,000 steps is walked over once. */
function placeOfStep(outline: Outline, step: Row, above: Map<number, Seq | undefined>): ListedPlace {
  let row: Row | undefined = step;
  while (row !== undefined && row.kind !== "prompt" && !above.has(row.seq)) row = askedBefore(outline, row);
  const prompt = row?.kind === "prompt" ? row.seq : row === undefined ? undefined : above.get(row.seq);
  above.set(step.seq, prompt);
  return { row: step, on: "step", ...(prompt === undefined ? {} : { textLine: prompt }) };
}

/** The texts of these lines that are not in `known` yet, put there. */
export async function readTexts(
  view: SessionView,
  places: readonly ListedPlace[],
  known: Map<Seq, string>,
): Promise<void> {
  const lines = new Set(places.flatMap(({ textLine }) => textLine ?? []).filter((line) => !known.has(line)));
  const entries = await view.storedEntries([...lines].sort((a, b) => a - b));
  for (const entry of entries) known.set(entry.seq, textIn(entry));
}

function textIn(entry: Entry): string {
  if (entry.kind !== "tool-start") return startOfPrompt(entry);
  return typedFor(entry.name, [...aboutCall(entry.input)].slice(0, LONGEST).join(""));
}
