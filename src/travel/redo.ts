import type { EntryOf, Scope } from "../record/entry.ts";
import { WorldlineError } from "../record/error.ts";
import type { EntryId } from "../record/ids.ts";
import type { Outline } from "../timeline/outline.ts";
import type { RowKind } from "../timeline/row.ts";
import { type Journey, leftOf, type Present, requireHead } from "./rewind.ts";

export type JourneyEntry = EntryOf<"backtrack"> | EntryOf<"rewind"> | EntryOf<"redo">;

export interface JourneyState {
  readonly entry: JourneyEntry;
  /** "open": the journey is in effect. "undone": a later redo undid it. */
  readonly state: "open" | "undone";
}

/** All journeys of the session, oldest first, and whether each one is still in effect. */
export function journeyStates(journeys: readonly JourneyEntry[]): JourneyState[] {
  const undone = new Set<EntryId>();
  // A redo that was itself undone leaves its journey in effect, so the journeys are processed from newest to oldest.
  for (const journey of journeys.toReversed()) {
    if (journey.kind === "redo" && !undone.has(journey.id)) undone.add(journey.journey);
  }
  return journeys.map((entry) => ({ entry, state: undone.has(entry.id) ? "undone" : "open" }));
}

/**
 * The kinds of entries that count as new work, which a redo would remove from the branch. Labels, titles, notices, and
 * entries about files do not count. Kinds from newer versions count, too, because they might be work.
 */
const WORK: readonly RowKind[] = [
  "prompt",
  "step",
  "reply",
  "tool-start",
  "checkpoint",
  "compaction",
  "saved",
  "foreign",
];

/**
 * Finds the journey that a redo without a target undoes, which is the latest journey, unless new work followed it. If
 * the latest journey is a redo, the search continues before the journey that this redo undid. For example, after two
 * rewinds, two redos undo both of them, and a third redo finds nothing to undo.
 */
export function redoableJourney(
  outline: Outline,
  journeys: readonly JourneyEntry[],
): JourneyEntry | undefined {
  return redoableBefore(outline, journeys, outline.nextSeq);
}

function redoableBefore(
  outline: Outline,
  journeys: readonly JourneyEntry[],
  line: number,
): JourneyEntry | undefined {
  let before = line;
  for (;;) {
    const latest = journeys.findLast(({ seq }) => seq < before);
    if (latest === undefined || hasWorkBetween(outline, latest.seq, before)) return undefined;
    if (latest.kind !== "redo") return latest;
    const undone = journeys.find(({ id }) => id === latest.journey);
    // A fork may contain a copy of a redo without the journey that the redo undid.
    if (undone === undefined || undone.seq >= before) return undefined;
    before = undone.seq;
  }
}

/** The number of redos without a target that are possible in a row. */
export function redoableCount(outline: Outline, journeys: readonly JourneyEntry[]): number {
  let count = 0;
  let before = outline.nextSeq as number;
  for (;;) {
    const next = redoableBefore(outline, journeys, before);
    if (next === undefined) return count;
    count += 1;
    before = next.seq;
  }
}

/** Checks whether new work followed a journey's line. Undoing the journey would remove that work from the branch. */
export function hasWorkSince(outline: Outline, line: number): boolean {
  return hasWorkBetween(outline, line, outline.nextSeq);
}

/**
 * Checks whether there was new work between two lines. Lines that cannot be read count, because they may have been
 * work.
 */
function hasWorkBetween(outline: Outline, after: number, before: number): boolean {
  const isIn = (lines: readonly number[]): boolean => (lines.findLast((line) => line < before) ?? 0) > after;
  return WORK.some((kind) => isIn(outline.linesOf(kind))) || isIn(outline.gapsFrom(after));
}

export interface RedoRequest {
  readonly journeys: readonly JourneyEntry[];
  /** The journey to undo; by default, the journey that `redoableJourney` finds. */
  readonly wanted?: EntryId;
  /** What to restore; by default, whatever the journey moved. */
  readonly scope?: Scope;
  /** The files and folders that the redo is limited to, encoded by `limitTexts`. */
  readonly only?: readonly string[];
}

/**
 * Plans a redo, which returns to the place that a journey left. If `wanted` is absent, the latest journey is used,
 * unless new work followed it.
 */
export function planRedo(outline: Outline, request: RedoRequest, present: Present): Journey {
  const journey = chooseJourney(outline, request);
  const head = requireHead(outline);
  const scope = redoScope(journey, request.scope);
  const place = scope === "files" ? head : outline.byId(journey.from);
  if (place === undefined) throw placeUnknown(outline, journey);
  const revokes = journey.kind === "backtrack" ? "note" : "nothing";
  const body = {
    kind: "redo",
    journey: journey.id,
    from: head.id,
    scope,
    revokes,
    ...leftOf(present),
    ...(request.only === undefined || scope === "conversation" ? {} : { only: request.only }),
  } as const;
  return { reason: "redo", moves: [{ do: "append", parent: place.id, body }] };
}

/**
 * The error for a journey whose starting point is unknown. Worldline does not guess it, because the line before a lost
 * line may be on another branch.
 */
function placeUnknown(outline: Outline, journey: JourneyEntry): WorldlineError {
  // A journey starts from the line before its own line, unless it is a copy in a fork.
  const isLost = outline.at(journey.seq - 1) === undefined;
  return new WorldlineError(isLost ? "journey-start-damaged" : "journey-before-fork", {
    journey: journey.id,
  });
}

/** The scope of a redo: the requested scope or, by default, the scope of the journey that it undoes. */
export function redoScope(journey: JourneyEntry, wanted: RedoRequest["scope"]): Scope {
  const scope = scopeOf(journey);
  if (wanted === undefined) return scope;
  if (scope !== "files" || wanted === "files") return wanted;
  if (wanted === "both") return scope;
  throw new WorldlineError("journey-of-files", { journey: journey.id });
}

/**
 * The scope of a journey. A backtrack always moves the conversation, but moves the files only if the agent requested
 * it.
 */
function scopeOf(journey: JourneyEntry): Scope {
  if (journey.kind !== "backtrack") return journey.scope;
  return journey.files === "restore" ? "both" : "conversation";
}

export function chooseJourney(
  outline: Outline,
  { journeys, wanted }: Pick<RedoRequest, "journeys" | "wanted">,
): JourneyEntry {
  if (wanted !== undefined) return requireJourney(journeys, wanted);
  const latest = redoableJourney(outline, journeys);
  if (latest !== undefined) return latest;
  throw new WorldlineError("nothing-to-redo", { left: journeys.length > 0 ? "some" : "none" });
}

function requireJourney(journeys: readonly JourneyEntry[], wanted: EntryId): JourneyEntry {
  const known = journeyStates(journeys).find(({ entry }) => entry.id === wanted);
  if (known === undefined) throw new WorldlineError("journey-unknown", { journey: wanted });
  if (known.state === "undone") throw new WorldlineError("journey-undone", { journey: wanted });
  return known.entry;
}
