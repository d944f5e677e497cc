import type { PathOutcome, UnfinishedRestore } from "../../ports/workspace-files.ts";
import { carryOut } from "./carry-out.ts";
import { type RestoreGround, removeIfPossible } from "./perform-restore.ts";

/**
 * Finishes a restore that was cut off, or forgets it because it never began. Can itself be cut off and run again:
 * the journal stays until all is done. One that is settled already has no outcomes.
 */
export async function settleRestore(
  { root, workspaceDisk: disk, content, journal, finished }: RestoreGround,
  { id }: Pick<UnfinishedRestore, "id">,
  how: "forward" | "discard",
): Promise<PathOutcome[]> {
  const restore = journal.read(id);
  if (restore === undefined) return [];
  if (how === "discard") {
    journal.remove(id);
    return [];
  }
  const { steps, token, closed } = restore;
  const outcomes = await carryOut({ root, disk, bytesOf: content, token, steps, closed, when: "again" });
  await finished?.(outcomes);
  removeIfPossible(journal, id);
  return outcomes;
}
