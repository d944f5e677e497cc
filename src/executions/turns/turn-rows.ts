import { commandOf, promptOf } from "../../timeline/checkpoints.ts";
import type { Outline } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";

/** Where a turn stands: its checkpoint, and the prompt or the person's command behind it. */
export interface TurnPlace {
  readonly checkpoint: Row;
  readonly start: Row;
  readonly by: "prompt" | "command";
}

/** Undefined where nothing was asked or run at that checkpoint. */
export function turnBehind(outline: Outline, checkpoint: Row): TurnPlace | undefined {
  if (checkpoint.kind !== "checkpoint") return undefined;
  const prompt = promptOf(outline, checkpoint);
  if (prompt !== undefined) return { checkpoint, start: prompt, by: "prompt" };
  const command = commandOf(outline, checkpoint);
  return command === undefined ? undefined : { checkpoint, start: command, by: "command" };
}

/** The turns of a session, newest first, one after the other: whoever wants a page stops there. */
export function* turnPlaces(outline: Outline): Generator<TurnPlace> {
  const lines = outline.linesOf("checkpoint");
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const row = outline.at(lines[at] ?? 0);
    const place = row === undefined ? undefined : turnBehind(outline, row);
    if (place !== undefined) yield place;
  }
}

/** Nothing else is read of a turn. */
const TOLD: ReadonlySet<string> = new Set([
  "prompt",
  "step",
  "reply",
  "tool-start",
  "tool-end",
  "interrupt",
  "error",
]);

/** Whether what stands there says something of a turn. */
export function isTold({ kind }: Row): boolean {
  return TOLD.has(kind);
}

/**
 * All rows of each of these turns, on whichever branch, in one walk from the oldest of them to the end: somebody may have
 * gone back into a turn long after it, and gone on from there.
 */
export function rowsOfTurns(
  outline: Outline,
  places: readonly TurnPlace[],
): ReadonlyMap<TurnPlace, readonly Row[]> {
  const rows = new Map<TurnPlace, Row[]>(places.map((place) => [place, []]));
  const prompts = new Map(places.filter(({ by }) => by === "prompt").map((each) => [each.start.seq, each]));
  const owners = new Map<number, TurnPlace>();
  const first = Math.min(...[...prompts.keys()], outline.length + 1);
  for (let seq = first; seq <= outline.length; seq += 1) {
    const row = outline.at(seq);
    if (row === undefined) continue;
    const owner = row.kind === "prompt" ? prompts.get(row.seq) : owners.get(row.parent);
    if (owner === undefined) continue;
    owners.set(seq, owner);
    rows.get(owner)?.push(row);
  }
  for (const place of places) {
    if (place.by === "command") rows.get(place)?.push(...rowsOfCommand(outline, place.start));
  }
  return rows;
}

const ENDS_COMMAND: ReadonlySet<string> = new Set(["checkpoint", "step", "prompt"]);

/** A command has an end and nothing more; what comes behind it belongs to the turn that it was run in. */
function rowsOfCommand(outline: Outline, start: Row): Row[] {
  const rows = [start];
  for (let seq = start.seq + 1; seq <= outline.length; seq += 1) {
    const row = outline.at(seq);
    if (row === undefined) continue;
    if (ENDS_COMMAND.has(row.kind)) break;
    if (row.kind === "tool-end") return [...rows, row];
  }
  return rows;
}
