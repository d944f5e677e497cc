import type { SessionView } from "../../machine/view.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import {
  type CheckpointNumber,
  isSessionId,
  type Seq,
  type SessionId,
  toCheckpointNumber,
} from "../../record/ids.ts";
import { commandOf, promptOf } from "../../timeline/checkpoints.ts";
import type { Outline } from "../../timeline/outline.ts";
import { branchSince } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import type { TurnData } from "./turn-steps.ts";

/** Identifies a turn by its session and by the checkpoint before its prompt or before the user's command. */
export interface TurnId {
  readonly session: SessionId;
  readonly number: CheckpointNumber;
}

const TURN = /^turn-([^-]+)-(\d{1,15})$/u;

/** The execution id of a turn: `turn-<session>-<checkpoint>`. */
export function turnName({ session, number }: TurnId): string {
  return `turn-${session}-${number}`;
}

/**
 * Parses a turn's name. Returns undefined if the name does not have that form. Does not check whether the turn exists,
 * because only the session shows that.
 */
export function parseTurnName(name: string): TurnId | undefined {
  const [, session, number] = TURN.exec(name) ?? [];
  return isSessionId(session) ? { session, number: toCheckpointNumber(Number(number)) } : undefined;
}

/** Where a turn starts in the log: its checkpoint, and the prompt or the user's command after that checkpoint. */
export interface TurnPlace {
  readonly checkpoint: Row;
  readonly start: Row;
  readonly by: "prompt" | "command";
}

/** Undefined if neither a prompt nor a command follows the checkpoint. */
export function turnAt(outline: Outline, checkpoint: Row): TurnPlace | undefined {
  if (checkpoint.kind !== "checkpoint") return undefined;
  const prompt = promptOf(outline, checkpoint);
  if (prompt !== undefined) return { checkpoint, start: prompt, by: "prompt" };
  const command = commandOf(outline, checkpoint);
  return command === undefined ? undefined : { checkpoint, start: command, by: "command" };
}

/** A session's turns, newest first, generated lazily so that a page can stop early. */
export function* turnPlaces(outline: Outline): Generator<TurnPlace> {
  const lines = outline.linesOf("checkpoint");
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const row = outline.at(lines[at] ?? 0);
    const place = row === undefined ? undefined : turnAt(outline, row);
    if (place !== undefined) yield place;
  }
}

/** Kinds of entries that are read to show a turn. */
const READ_KINDS: ReadonlySet<string> = new Set([
  "prompt",
  "step",
  "reply",
  "tool-start",
  "tool-end",
  "interrupt",
  "error",
]);

function isRead({ kind }: Row): boolean {
  return READ_KINDS.has(kind);
}

/**
 * Returns all rows of each of these turns, on every branch. The rows are found in one pass from the oldest turn to the
 * end of the log, because a user may go back into a turn much later and continue from there.
 */
function rowsOfTurns(outline: Outline, places: readonly TurnPlace[]): ReadonlyMap<TurnPlace, readonly Row[]> {
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

/**
 * The rows for a user's command: its start and, if it has ended, its end. All later entries belong to the turn in which
 * the command was run.
 */
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

/** "starts": reads only the beginnings of tool results, which is enough for a list. */
type Depth = "whole" | "starts";

/**
 * Reads, all at once, everything that is needed to show these turns. Returns the data in the same order as the turns.
 */
export async function readTurns(
  view: SessionView,
  places: readonly TurnPlace[],
  depth: Depth,
): Promise<readonly TurnData[]> {
  if (places.length === 0) return [];
  const rows = rowsOfTurns(view.outline, places);
  const entries = await entriesOf(view, [...rows.values()].flat().filter(isRead), depth);
  const first = places.reduce(
    (least, { checkpoint }) => Math.min(least, checkpoint.seq),
    Number.POSITIVE_INFINITY,
  );
  const files = await filesSince(view, first);
  const here = new Set<number>(branchSince(view.outline, first).map(({ seq }) => seq));
  return places.map((place) => ({
    id: { session: view.id, number: toCheckpointNumber(place.checkpoint.number) },
    place,
    rows: rows.get(place) ?? [],
    entries,
    filesOf: (checkpoint) => files.get(checkpoint) ?? "none",
    isHere: ({ seq }) => here.has(seq),
  }));
}

async function entriesOf(
  view: SessionView,
  rows: readonly Row[],
  depth: Depth,
): Promise<ReadonlyMap<Seq, Entry>> {
  const lines = (wanted: (row: Row) => boolean): Seq[] =>
    rows
      .filter(wanted)
      .map(({ seq }) => seq)
      .sort((a, b) => a - b);
  const isShort = ({ kind }: Row): boolean => depth === "starts" && kind === "tool-end";
  const short = await view.storedEntries(lines(isShort));
  const whole = await view.entries(lines((row) => !isShort(row)));
  return new Map([...short, ...whole].map((entry) => [entry.seq, entry]));
}

/** Returns the latest recorded state of each checkpoint's files, starting at line `first`. */
async function filesSince(
  view: SessionView,
  first: number,
): Promise<ReadonlyMap<number, EntryOf<"snapshot">["state"]>> {
  const lines = view.outline.linesOf("snapshot");
  const from = lines.findLastIndex((line) => line < first) + 1;
  const entries = await view.storedEntries(lines.slice(from));
  return new Map(
    entries.flatMap((entry) =>
      entry.kind === "snapshot" ? [[entry.checkpoint as number, entry.state] as const] : [],
    ),
  );
}
