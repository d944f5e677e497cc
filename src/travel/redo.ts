import type { EntryOf, Scope } from "../record/entry.ts";
import { WorldlineError } from "../record/error.ts";
import type { EntryId } from "../record/ids.ts";
import type { Outline } from "../timeline/outline.ts";
import { type Journey, leftOf, type Present } from "./journey.ts";
import { requireHead } from "./rewind.ts";

export type JourneyEntry = EntryOf<"backtrack"> | EntryOf<"rewind"> | EntryOf<"redo">;

export interface JourneyState {
  readonly entry: JourneyEntry;
  /** "open": in effect, and what redo would undo. "undone": taken back by a later redo. */
  readonly state: "open" | "undone";
}

/** Every journey of the session and whether it is still in effect; oldest first. */
export function journeyStates(journeys: readonly JourneyEntry[]): JourneyState[] {
  const undone = new Set<EntryId>();
  // Newest first: a redo that was itself undone leaves its journey in effect, however long the chain.
  for (const journey of journeys.toReversed()) {
    if (journey.kind === "redo" && !undone.has(journey.id)) undone.add(journey.journey);
  }
  return journeys.map((entry) => ({ entry, state: undone.has(entry.id) ? "undone" : "open" }));
}

export interface RedoRequest {
  readonly journeys: readonly JourneyEntry[];
  readonly wanted?: EntryId;
  /** To leave the files as they are, although the journey took them along. */
  readonly scope?: "conversation";
  /** The files and folders that it is limited to, as the log writes them: `limitTexts`. */
  readonly only?: readonly string[];
}

/** Decides a redo: back to where `wanted`, or the newest journey that is still in effect, left from. */
export function planRedo(outline: Outline, request: RedoRequest, present: Present): Journey {
  const journey = chooseJourney(request.journeys, request.wanted);
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

/** Refused and not guessed: the line before a lost one may be on another branch. */
function placeUnknown(outline: Outline, journey: JourneyEntry): WorldlineError {
  // The head that a journey leaves is the line before it, unless the journey is a fork's copy.
  const isLost = outline.at(journey.seq - 1) === undefined;
  const why = isLost ? "the line that it left from is damaged" : "it was made before this session was forked";
  const hint = isLost
    ? "Rewind to a checkpoint of the branch that it left: worldline tree"
    : "Redo it in the session that this one came from.";
  return new WorldlineError("JOURNEY_UNKNOWN", `Journey ${journey.id} cannot be redone: ${why}.`, { hint });
}

/** What a redo takes along: what its journey took, or the conversation alone where that is wanted. */
export function redoScope(journey: JourneyEntry, wanted: RedoRequest["scope"]): Scope {
  const scope = scopeOf(journey);
  if (wanted === undefined) return scope;
  if (scope !== "files") return wanted;
  throw new WorldlineError("NOTHING_TO_REDO", `Journey ${journey.id} took files along and nothing else.`, {
    hint: "Redo it with its files.",
  });
}

/** A backtrack moves the conversation, and the files only when the agent asked for it. */
function scopeOf(journey: JourneyEntry): Scope {
  if (journey.kind !== "backtrack") return journey.scope;
  return journey.files === "restore" ? "both" : "conversation";
}

export function chooseJourney(journeys: readonly JourneyEntry[], wanted: EntryId | undefined): JourneyEntry {
  if (wanted !== undefined) return requireJourney(journeys, wanted);
  const open = journeyStates(journeys).findLast(
    ({ entry, state }) => state === "open" && entry.kind !== "redo",
  );
  if (open === undefined) {
    throw new WorldlineError("NOTHING_TO_REDO", "Nothing to redo: no rewind or backtrack is in effect.", {
      hint: "See all journeys: worldline redo --list",
    });
  }
  return open.entry;
}

function requireJourney(journeys: readonly JourneyEntry[], wanted: EntryId): JourneyEntry {
  const known = journeyStates(journeys).find(({ entry }) => entry.id === wanted);
  if (known === undefined) {
    throw new WorldlineError("JOURNEY_UNKNOWN", `There is no journey ${wanted} in this session.`, {
      hint: "See all journeys: worldline redo --list",
    });
  }
  if (known.state === "undone") {
    throw new WorldlineError("NOTHING_TO_REDO", `Journey ${wanted} was undone already.`, {
      hint: "To take that back, redo the redo: worldline redo --list",
    });
  }
  return known.entry;
}
