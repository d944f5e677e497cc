import type { Clock } from "../../ports/clock.ts";
import type { Draft, Entry, Origin } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import { type EntryId, newEntryId, type Seq, toSeq } from "../../record/ids.ts";
import { isKnownKind, misshapenField } from "../../record/shape.ts";
import { spill } from "../../record/spill.ts";
import type { Outline } from "../../timeline/outline.ts";
import { isJourney, type Row } from "../../timeline/row.ts";
import { weigh } from "../../timeline/tokens/weigh.ts";

export interface Placed {
  readonly draft: Draft;
  /** Below which entry; by default below the head. */
  readonly parent?: EntryId;
}

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
    if (parent !== undefined && outline.byId(parent) === undefined) {
      throw new WorldlineError("ENTRY_UNKNOWN", `There is no entry ${parent} in this session.`);
    }
    if (draft.kind !== "checkpoint" && draft.kind !== "step") continue;
    if (draft.number <= highest) throw invalid(draft, `the number ${draft.number} was given before`);
    highest = draft.number;
  }
}

/** Gives a checked draft its place, time and weight, as the next line of the log. */
export function stamp(placed: Placed, outline: Outline, world: { clock: Clock; tag: string }): Entry {
  const { draft } = placed;
  const parent = placed.parent === undefined ? outline.head : outline.byId(placed.parent);
  const seq = outline.nextSeq;
  const estimate = weigh(draft, world.tag);
  const origin = originFor({ seq, kind: draft.kind, parent, outline });
  return {
    seq,
    id: newEntryId((count) => world.clock.random(count)),
    parent: parent?.id ?? null,
    at: new Date(world.clock.now()).toISOString(),
    ...(origin === undefined ? {} : { origin }),
    ...draft,
    ...(estimate === undefined ? {} : { estimate }),
  } as Entry;
}

function requireShape(draft: Draft): void {
  if (!isKnownKind(draft.kind)) throw invalid(draft, "the kind is not known");
  const field = misshapenField(draft.kind, { estimate: 0, ...draft });
  if (field !== undefined) throw invalid(draft, `the field "${field}" is missing or wrong`);
}

/** A circle, a BigInt, or a nesting that is too deep passes for JSON until it is written. */
function requireWritable(draft: Draft): void {
  try {
    JSON.stringify(spill(draft as unknown as Entry, Number.POSITIVE_INFINITY, noBlob));
  } catch (cause) {
    throw invalid(draft, "it cannot be written as JSON", cause);
  }
}

function noBlob(): never {
  throw new WorldlineError("ENTRY_INVALID", "No text is longer than infinity.");
}

function invalid(draft: Draft, why: string, cause?: unknown): WorldlineError {
  return new WorldlineError("ENTRY_INVALID", `This ${draft.kind} entry cannot be written: ${why}.`, {
    hint: "docs/format.md says what each kind holds.",
    cause,
  });
}

interface Placing {
  readonly seq: Seq;
  readonly kind: Entry["kind"];
  readonly parent: Row | undefined;
  readonly outline: Outline;
}

/** Where the last journey landed, for an entry of this kind below `parent`. */
export function originFor({ seq, kind, parent, outline }: Placing): Origin | undefined {
  if (parent === undefined) return undefined;
  if (isJourney(kind)) return [parent.seq, seq];
  if (parent.leg === 0) return undefined;
  const landing = outline.landingOf(parent.leg);
  if (landing === undefined) return undefined;
  return [landing.seq, toSeq(parent.leg)];
}
