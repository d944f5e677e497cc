import type { Draft, Entry } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
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
    if (draft.number <= highest) throw invalid(draft, `the number ${draft.number} was given before`);
    highest = draft.number;
  }
}

function requireShape(draft: Draft): void {
  if (typeof draft !== "object" || draft === null) {
    throw new WorldlineError("ENTRY_INVALID", "An entry must be an object.", {
      hint: "docs/format.md lists the fields of each kind.",
    });
  }
  if (!isKnownKind(draft.kind)) throw invalid(draft, "the kind is not known");
  if (draft.kind === "session" || draft.kind === "rotated") {
    throw invalid(draft, "it begins a log or a file, which the session does by itself");
  }
  if (ENVELOPE.some((field) => Object.hasOwn(draft, field))) throw invalid(draft, "it has a place already");
  const field = misshapenField(draft.kind, { estimate: 0, ...draft });
  if (field !== undefined) throw invalid(draft, `the field "${field}" is missing or wrong`);
}

/** A circle, a BigInt, or a nesting that is too deep passes for JSON until it is written. */
function requireWritable(draft: Draft): void {
  try {
    if (isPlain(draft)) return;
    JSON.stringify(spill(draft as unknown as Entry, Number.POSITIVE_INFINITY, noBlob));
  } catch (cause) {
    throw invalid(draft, "it cannot be written as JSON", cause);
  }
}

function noBlob(): never {
  throw new WorldlineError("ENTRY_INVALID", "No text is longer than infinity.");
}

/** What an entry speaks of must be there: a compaction from nowhere would hide the whole conversation. */
function requireKnown(draft: Draft, outline: Outline): void {
  const unknown = referencesOf(draft).find((id) => outline.byId(id) === undefined);
  if (unknown !== undefined) throw invalid(draft, `there is no entry ${unknown} in this session`);
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
    throw new WorldlineError("ENTRY_UNKNOWN", `There is no entry ${parent} in this session.`);
  }
  if (!isJourney(draft.kind) && parent !== outline.head?.id) {
    throw invalid(draft, "only a journey may stand elsewhere than behind the last entry");
  }
}

function invalid(draft: Draft, why: string, cause?: unknown): WorldlineError {
  return new WorldlineError("ENTRY_INVALID", `This ${draft.kind} entry cannot be written: ${why}.`, {
    hint: "docs/format.md says what each kind holds.",
    cause,
  });
}
