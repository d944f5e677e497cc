import type { SessionView } from "../../machine/view.ts";
import type { EntryId } from "../../record/ids.ts";
import { nearest } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import { type TreeLine, treeOf } from "../../timeline/tree.ts";
import { Destinations } from "../../travel/destination.ts";
import type { TreeRow } from "./query-types.ts";
import { endOf } from "./tree/branch-end.ts";
import { type ShownPlace, shownPlaces } from "./tree/shown-places.ts";

/**
 * The whole tree as people know it: what they asked and ran, the places they named, the journeys between them, and the ends of
 * the branches that were left.
 */
export async function treeRows(view: SessionView): Promise<readonly TreeRow[]> {
  const { outline } = view;
  const labels = await view.labels();
  const places = await shownPlaces(view, labels);
  const journeys = (await view.journeys()).map(({ entry }) => entry);
  const destinations = new Destinations(outline, journeys);
  const ends = new Map<number, ShownPlace & Pick<TreeRow, "go">>();
  for (const end of destinations.ends()) {
    const place = endOf(outline, end, places);
    if (place !== undefined) ends.set(end.row.seq, { ...place, go: { by: "redo", journey: end.journey.id } });
  }
  const isShown = ({ seq }: { readonly seq: number }): boolean => places.has(seq) || ends.has(seq);
  const head = nearest(outline, outline.head, isShown);
  return treeOf(outline, isShown).flatMap((line) => {
    const place = places.get(line.row.seq);
    const end = ends.get(line.row.seq);
    // A prompt that nothing came of is both: the row that leads to before it, and the end of its branch.
    return [
      ...(place === undefined
        ? []
        : [rowOf(line, { ...place, go: goTo(place, destinations.of(line.row)) }, { labels, head })]),
      ...(end === undefined ? [] : [rowOf(place === undefined ? line : below(line), end, { labels })]),
    ];
  });
}

/** A prompt and a command lead to the checkpoint before them; everything else to itself. */
function goTo({ checkpoint }: ShownPlace, own: TreeRow["go"]): TreeRow["go"] {
  return checkpoint === undefined ? own : { by: "rewind", to: checkpoint.number };
}

function rowOf(
  { row, rails, hang, branch }: TreeLine,
  { what, checkpoint, go }: ShownPlace & { readonly go?: TreeRow["go"] },
  { labels, head }: { readonly labels: ReadonlyMap<EntryId, string>; readonly head?: Row | undefined },
): TreeRow {
  const label = checkpoint === undefined || what.kind === "end" ? undefined : labels.get(checkpoint.id);
  return {
    entry: row.id,
    what,
    ...(checkpoint === undefined ? {} : { number: checkpoint.number }),
    at: row.at,
    ...(label === undefined ? {} : { label }),
    rails,
    hang,
    branch,
    isHead: row.seq === head?.seq,
    ...(go === undefined ? {} : { go }),
  };
}

/** The line that goes on from one that has nothing below it. */
function below(line: TreeLine): TreeLine {
  if (line.hang === "along") return line;
  const rail = line.hang === "last" ? ("closed" as const) : ("open" as const);
  return { ...line, rails: [...line.rails, rail], hang: "along" };
}
