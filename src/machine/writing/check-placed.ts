import type { Draft, Entry } from "../../record/entry.ts";
import { type ErrorParams, WorldlineError } from "../../record/error.ts";
import type { EntryId } from "../../record/ids.ts";
import { isKnownKind, misshapenField } from "../../record/shape.ts";
import { spill } from "../../record/spill.ts";
import type { Outline } from "../../timeline/outline.ts";
import { isJourney } from "../../timeline/row.ts";
import { isPlain } from "./plain.ts";
import type { Placed } from "./stamp.ts";

const ENVELOPE = ["seq", "id", "parent", "at", "origin", "forgotten"];

/**
 * Throws when any of these cannot be written. Programs hand us entries too, and all of them are
 * checked before the first is given a place: bad input changes nothing, and what cannot be
 * written down would block the log for everything behind it.
 */
export function checkPlaced(placed: readonly Placed[], outline: Outline): void {
  let highest = outline.highestNumber;
  for (const { draft, parent } of placed) {
    requireShape(draft);
    requireWritable(draft);
    requireKnown(draft, outline);
    if (parent !== undefined) requirePlace(draft, parent, outline);
    if (draft.kind !== "checkpoint" && draft.kind !== "step") continue;
    if (draft.number <= highest) throw invalid(draft, { why: "number", number: draft.number });
    highest = draft.number;
  }
}

function requireShape(draft: Draft): void {
  if (typeof draft !== "object" || draft === null) {
    throw new WorldlineError("entry-not-an-object", {});
  }
  if (!isKnownKind(draft.kind)) throw invalid(draft, { why: "kind-unknown" });
  if (draft.kind === "session" || draft.kind === "rotated") {
    throw invalid(draft, { why: "begins-a-log" });
  }
  if (ENVELOPE.some((field) => Object.hasOwn(draft, field))) throw invalid(draft, { why: "placed" });
  const field = misshapenField(draft.kind, { estimate: 0, ...draft });
  if (field !== undefined) throw invalid(draft, { why: "field", field });
}

/** A circle, a BigInt, or a nesting that is too deep passes for JSON until it is written. */
function requireWritable(draft: Draft): void {
  try {
    if (isPlain(draft)) return;
    JSON.stringify(spill(draft as unknown as Entry, Number.POSITIVE_INFINITY, noBlob));
  } catch (cause) {
    throw invalid(draft, { why: "not-json" }, cause);
  }
}

function noBlob(): never {
  throw new WorldlineError("text-not-spilled", {});
}

/** What an entry speaks of must be there: a compaction from nowhere would hide the whole conversation. */
function requireKnown(draft: Draft, outline: Outline): void {
  const unknown = referencesOf(draft).find((id) => outline.byId(id) === undefined);
  if (unknown !== undefined) throw invalid(draft, { why: "entry-unknown", id: unknown });
}

function referencesOf(draft: Draft): readonly EntryId[] {
  switch (draft.kind) {
    case "backtrack":
    case "rewind":
      return [draft.from];
    case "redo":
      return [draft.from, draft.journey];
    case "compaction":
      return [draft.firstKept, ...draft.pinned];
    case "label":
      return [draft.target];
    case "restored":
      return [draft.journey];
    case "notice":
      return draft.owner === undefined ? [] : [draft.owner];
    default:
      return [];
  }
}

/** Only a journey leaves the branch: whatever else stood elsewhere could not be undone. */
function requirePlace(draft: Draft, parent: EntryId, outline: Outline): void {
  if (outline.byId(parent) === undefined) {
    throw new WorldlineError("entry-unknown", { entry: parent });
  }
  if (!isJourney(draft.kind) && parent !== outline.head?.id) {
    throw invalid(draft, { why: "elsewhere" });
  }
}

function invalid(
  draft: Draft,
  fault: ErrorParams<"entry-invalid">["fault"],
  cause?: unknown,
): WorldlineError {
  return new WorldlineError("entry-invalid", { kind: draft.kind, fault }, { cause });
}
