import type { Outline } from "../../../timeline/outline.ts";
import { nearest, wayLeft } from "../../../timeline/outline.ts";
import { isCheckpoint, isEntryToCount, isSamePlace, type Row } from "../../../timeline/row.ts";
import type { Destinations } from "../../../travel/destination.ts";
import { landedAt } from "../../checkpoints/journey-ends.ts";
import type { ShownPlace } from "./shown-places.ts";

/**
 * The row for the end of a branch that was left: the rows above it lead to before their prompts, and this one to after the last
 * of them. None where the last row is a journey or a compaction and nothing follows it: that row leads to the end itself.
 */
export function endOf(
  outline: Outline,
  { row: end, journey }: ReturnType<Destinations["ends"]>[number],
  shown: ReadonlyMap<number, ShownPlace>,
): ShownPlace | undefined {
  const landed = outline.at(outline.byId(journey.id)?.parent ?? 0);
  const way = wayLeft(outline, end, landed);
  const last = nearest(outline, end, ({ seq }) => shown.has(seq));
  const isLeadingThere =
    last !== undefined && isAtItself(shown.get(last.seq)) && !hasWork(outline, end, last);
  if (way.length === 0 || isLeadingThere) return undefined;
  const checkpoint = nearest(outline, end, isCheckpoint);
  const isOfWay = checkpoint !== undefined && checkpoint.seq >= (way.at(-1)?.seq ?? 0);
  const to = landedAt(outline, journey);
  return {
    what: {
      kind: "end",
      by: journey.kind,
      ...(to === undefined ? {} : { to }),
      entries: way.filter(isEntryToCount).length,
    },
    ...(isOfWay ? { checkpoint } : {}),
  };
}

/** Whether a row leads to its own place: a prompt or a command leads to the checkpoint before it. */
function isAtItself(place: ShownPlace | undefined): boolean {
  return place !== undefined && place.checkpoint === undefined;
}

function hasWork(outline: Outline, end: Row, above: Row): boolean {
  for (
    let row: Row | undefined = end;
    row !== undefined && row.seq > above.seq;
    row = outline.at(row.parent)
  ) {
    if (!isSamePlace(row)) return true;
  }
  return false;
}
