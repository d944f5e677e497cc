import type { Clock } from "../ports/clock.ts";
import type { Draft, Entry, Origin } from "../record/entry.ts";
import { WorldlineError } from "../record/error.ts";
import { type EntryId, newEntryId, type Seq, toSeq } from "../record/ids.ts";
import { misshapenField } from "../record/shape.ts";
import { isJourney, type Outline, type Row } from "../timeline/outline.ts";
import { weigh } from "../timeline/tokens/weigh.ts";

export interface Placed {
  readonly draft: Draft;
  /** Below which entry; by default below the head. */
  readonly parent?: EntryId;
}

/** Gives a draft its place, time and weight, as the next line of the log. */
export function stamp(placed: Placed, outline: Outline, world: { clock: Clock; tag: string }): Entry {
  const { draft } = placed;
  const parent = placed.parent === undefined ? outline.head : outline.byId(placed.parent);
  if (placed.parent !== undefined && parent === undefined) {
    throw new WorldlineError("ENTRY_UNKNOWN", `There is no entry ${placed.parent} in this session.`);
  }
  const seq = outline.nextSeq;
  const estimate = weigh(draft, world.tag);
  const body = { ...draft, ...(estimate === undefined ? {} : { estimate }) };
  requireShape(body);
  const origin = originFor({ seq, kind: draft.kind, parent, outline });
  return {
    seq,
    id: newEntryId((count) => world.clock.random(count)),
    parent: parent?.id ?? null,
    at: new Date(world.clock.now()).toISOString(),
    ...(origin === undefined ? {} : { origin }),
    ...body,
  } as Entry;
}

/** Programs hand us entries too; what has the wrong shape must not reach the log. */
function requireShape(body: Draft): void {
  const field = misshapenField(body.kind, body as unknown as Readonly<Record<string, unknown>>);
  if (field === undefined) return;
  throw new WorldlineError("ENTRY_INVALID", `The field "${field}" of this ${body.kind} entry is missing or wrong.`, {
    hint: "docs/format.md says what each kind holds.",
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
  if (isJourney(kind)) return { place: parent.id, placeSeq: parent.seq, journey: seq };
  if (parent.leg === 0) return undefined;
  const landing = outline.at(outline.at(parent.leg)?.parent ?? 0);
  if (landing === undefined) return undefined;
  return { place: landing.id, placeSeq: landing.seq, journey: toSeq(parent.leg) };
}
