import type { Entry } from "../../record/entry.ts";
import type { EntryId } from "../../record/ids.ts";
import { rowsLeftBy } from "../../timeline/branch.ts";
import type { SessionView } from "../view.ts";

/**
 * The entries that a backtrack or a redo left, oldest first, with all their texts. What is on the branch of the head is not left,
 * even if this journey once left it. Undefined where the log does not have them, such as in a fork.
 */
export async function leftPart(view: SessionView, journey: EntryId): Promise<readonly Entry[] | undefined> {
  const row = view.outline.byId(journey);
  const [entry] = row === undefined ? [] : await view.storedEntries([row.seq]);
  if (entry?.kind !== "backtrack" && entry?.kind !== "redo") return undefined;
  if (view.outline.byId(entry.from) === undefined) return undefined;
  return view.entries(rowsLeftBy(view.outline, entry).map(({ seq }) => seq));
}
