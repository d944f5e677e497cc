import type { SessionView } from "../../../machine/view.ts";
import type { TreePlace, TreeRow } from "../../../ports/station/looking.ts";
import { nearest } from "../../../timeline/branch.ts";
import { treeOf } from "../../../timeline/tree.ts";
import { shownPlaces } from "./tree/shown-places.ts";

/** The whole tree as people know it: what they asked and ran, the places they named, and the journeys between them. */
export async function treeRows(view: SessionView): Promise<readonly TreeRow[]> {
  const { outline } = view;
  const labels = await view.labels();
  const places = await shownPlaces(view, labels);
  const isShown = ({ seq }: { readonly seq: number }): boolean => places.has(seq);
  const head = nearest(outline, outline.head, isShown);
  return treeOf(outline, isShown).map(({ row, rails, hang, branch }) => {
    const { what, checkpoint } = places.get(row.seq) ?? BEGINNING;
    const label = checkpoint === undefined ? undefined : labels.get(checkpoint.id);
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
    };
  });
}

const BEGINNING: { readonly what: TreePlace; readonly checkpoint?: undefined } = {
  what: { kind: "beginning" },
};
