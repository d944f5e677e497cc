import type { Entry } from "../../record/entry.ts";
import type { EntryId, Seq } from "../../record/ids.ts";
import { rowsLeftBy } from "../../timeline/branch.ts";
import type { Outline } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import type { SessionView } from "../view.ts";

/**
 * The entries that a backtrack or a redo left, oldest first, with all their texts. What is on the branch of the head is not left,
 * even if this journey once left it, and what a journey before it on its branch left is shown there already. Undefined where the
 * log does not have them, such as in a fork.
 */
export async function leftPart(view: SessionView, journey: EntryId): Promise<readonly Entry[] | undefined> {
  const { outline } = view;
  const row = outline.byId(journey);
  const [entry] = row === undefined ? [] : await view.storedEntries([row.seq]);
  if (entry?.kind !== "backtrack" && entry?.kind !== "redo") return undefined;
  if (outline.byId(entry.from) === undefined) return undefined;
  const left = rowsLeftBy(outline, entry);
  const shown = new Set<number>();
  for (const before of await view.storedEntries(journeysBetween(outline, left[0], row))) {
    const leaves = before.kind === "backtrack" || (before.kind === "redo" && before.scope !== "files");
    if (leaves) for (const { seq } of rowsLeftBy(outline, before)) shown.add(seq);
  }
  return view.entries(left.map(({ seq }) => seq).filter((seq) => !shown.has(seq)));
}

/** The journeys on the way to `journey` that are newer than what it left: only they can have left that before. Oldest first. */
function journeysBetween(outline: Outline, left: Row | undefined, journey: Row | undefined): Seq[] {
  const lines: Seq[] = [];
  if (left === undefined || journey === undefined) return lines;
  for (
    let row = outline.at(journey.parent);
    row !== undefined && row.seq > left.seq;
    row = outline.at(row.parent)
  ) {
    if (row.kind === "backtrack" || row.kind === "redo") lines.push(row.seq);
  }
  return lines.reverse();
}
