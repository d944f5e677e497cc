import type { Entry, EntryOf } from "../../record/entry.ts";
import type { Seq } from "../../record/ids.ts";
import { isPersonCall } from "../../timeline/person-command.ts";
import type { Row } from "../../timeline/row.ts";

/** A model call of a turn, and what came of it. */
export interface WalkedStep {
  readonly row: Row;
  /** Its place in the turn, from 0. One that is tried again has the place of the first try. */
  readonly index: number;
  reply: EntryOf<"reply"> | undefined;
  readonly starts: EntryOf<"tool-start">[];
  readonly ends: EntryOf<"tool-end">[];
  /** What stopped the turn there, and has not been got over since. */
  stopped: EntryOf<"interrupt"> | EntryOf<"error"> | undefined;
}

/** How far the turn had come at a row. */
interface Spot {
  readonly step: WalkedStep | undefined;
  readonly done: number;
}

/** The model calls of one turn on all its branches, oldest first, from its rows and their entries. */
export function walkTurn(rows: readonly Row[], entries: ReadonlyMap<Seq, Entry>): readonly WalkedStep[] {
  const steps: WalkedStep[] = [];
  const spots = new Map<number, Spot>();
  for (const row of rows) {
    const above = spots.get(row.parent) ?? { step: undefined, done: 0 };
    const spot = spotOf(row, above, entries.get(row.seq));
    if (row.kind === "step" && spot.step !== undefined) steps.push(spot.step);
    spots.set(row.seq, spot);
  }
  return steps;
}

function spotOf(row: Row, above: Spot, entry: Entry | undefined): Spot {
  switch (row.kind) {
    case "step":
      return { step: newStep(row, above.done), done: above.done };
    // Behind these the model is asked anew, and what happens until then is not the step's.
    case "backtrack":
    case "rewind":
    case "checkpoint":
      return { step: undefined, done: above.done };
    default:
      return entry === undefined || above.step === undefined ? above : noted(above.step, above.done, entry);
  }
}

function newStep(row: Row, index: number): WalkedStep {
  return { row, index, reply: undefined, starts: [], ends: [], stopped: undefined };
}

function noted(step: WalkedStep, done: number, entry: Entry): Spot {
  switch (entry.kind) {
    case "reply":
      step.reply = entry;
      step.stopped = undefined;
      return { step, done: entry.end === "interrupted" ? done : step.index + 1 };
    case "tool-start":
      if (!isPersonCall(entry.call)) step.starts.push(entry);
      break;
    case "tool-end":
      if (!isPersonCall(entry.call)) step.ends.push(entry);
      break;
    case "interrupt":
    case "error":
      step.stopped = entry;
      break;
    default:
  }
  return { step, done };
}
