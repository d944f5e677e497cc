import type { Clock } from "../../ports/clock.ts";
import type { Draft, Entry, Origin } from "../../record/entry.ts";
import { type EntryId, newEntryId, type Seq, toSeq } from "../../record/ids.ts";
import type { Framing } from "../../timeline/context/foreign-text.ts";
import type { Outline } from "../../timeline/outline.ts";
import { isJourney, type Row } from "../../timeline/row.ts";
import { weigh } from "../../timeline/tokens/weigh.ts";

export interface Placed {
  readonly draft: Draft;
  /** Below which entry; by default below the head. */
  readonly parent?: EntryId;
}

/** Gives a checked draft its place, time and weight, as the next line of the log. */
export function stamp(placed: Placed, outline: Outline, world: { clock: Clock; framing: Framing }): Entry {
  const { draft } = placed;
  const parent = placed.parent === undefined ? outline.head : outline.byId(placed.parent);
  const seq = outline.nextSeq;
  const estimate = weigh(draft, world.framing);
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
