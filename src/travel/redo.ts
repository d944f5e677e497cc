import type { EntryOf, Scope } from "../record/entry.ts";
import { WorldlineError } from "../record/error.ts";
import type { EntryId } from "../record/ids.ts";
import type { Outline } from "../timeline/outline.ts";
import type { RowKind } from "../timeline/row.ts";
import { type Journey, leftOf, type Present, requireHead } from "./rewind.ts";

export type JourneyEntry = EntryOf<"backtrack"> | EntryOf<"rewind"> | EntryOf<"redo">;

export interface JourneyState {
  readonly entry: JourneyEntry;
  /** "open": in effect. "undone": undone by a later redo. */
  readonly state: "open" | "undone";
}

/** All journeys of the session, oldest first, each with whether it is still in effect. */
export function journeyStates(journeys: readonly JourneyEntry[]): JourneyState[] {
  const undone = new Set<EntryId>();
  // Newest first: a redo that was itself undone leaves its journey in effect, however long the chain.
  for (const journey of journeys.toReversed()) {
    if (journey.kind === "redo" && !undone.has(journey.id)) undone.add(journey.journey);
  }
  return journeys.map((entry) => ({ entry, state: undone.has(entry.id) ? "undone" : "open" }));
}

/**
 * Kinds that count as new work, which a redo would remove from the branch. Labels, titles, notices and entries about files do
 * not count. A kind that this version does not know might be work, so it counts.
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
 * The journey that a redo without a target undoes: the latest one, as long as no new work came after it. A redo leads back to
 * the moment before the journey that it undid, so after a redo the search continues from that moment: two redos walk two
 * rewinds forward again, and a third finds nothing.
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
    // A fork may have a redo without the journey that it undid.
    if (undone === undefined || undone.seq >= before) return undefined;
    before = undone.seq;
  }
}

/** How many redos without a target are possible in a row. */
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

/** Whether there was new work after the line of a journey, so that undoing the journey would leave that work behind. */
export function hasWorkSince(outline: Outline, line: number): boolean {
  return hasWorkBetween(outline, line, outline.nextSeq);
}

/** A line that cannot be read may have been work. */
function hasWorkBetween(outline: Outline, after: number, before: number): boolean {
  const isIn = (lines: readonly number[]): boolean => (lines.findLast((line) => line < before) ?? 0) > after;
  return WORK.some((kind) => isIn(outline.linesOf(kind))) || isIn(outline.gapsFrom(after));
}

export interface RedoRequest {
  readonly journeys: readonly JourneyEntry[];
  /** The journey to undo. Absent: the one that `redoableJourney` finds. */
  readonly wanted?: EntryId;
  /** What to restore, if it differs from what the journey took along. */
  readonly scope?: Scope;
  /** The files and folders that the redo is limited to, as `limitTexts` writes them. */
  readonly only?: readonly string[];
}

/**
 * Decides a redo: back to where the journey left from. The journey is `wanted` or, as long as no new work came after it, the
 * latest one.
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

/** The redo is refused rather than guessed: the line before a lost one may be on another branch. */
function placeUnknown(outline: Outline, journey: JourneyEntry): WorldlineError {
  // The head that a journey left is on the line before it, unless the journey is a fork's copy.
  const isLost = outline.at(journey.seq - 1) === undefined;
  return new WorldlineError(isLost ? "journey-start-damaged" : "journey-before-fork", {
    journey: journey.id,
  });
}

/** The scope of a redo: that of its journey, unless another one was requested. */
export function redoScope(journey: JourneyEntry, wanted: RedoRequest["scope"]): Scope {
  const scope = scopeOf(journey);
  if (wanted === undefined) return scope;
  if (scope !== "files" || wanted === "files") return wanted;
  if (wanted === "both") return scope;
  throw new WorldlineError("journey-of-files", { journey: journey.id });
}

/** A backtrack moves the conversation, and the files only if the agent asked for it. */
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
