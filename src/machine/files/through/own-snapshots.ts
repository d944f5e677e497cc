import { isWorldlineError, WorldlineError } from "../../../record/error.ts";
import { filesAt } from "../files-at.ts";
import type { PreviewGround } from "../look.ts";

/** How the files of a checkpoint go back by our snapshots, where the other agent's checkpoints do not suffice. */
export const USE_OWN = "worldline config set snapshots.engine worldline";

/** The same failure, with whether our own snapshots could do it: who is stuck has to know. */
export async function withOwnSnapshots<Result>(
  { view, files }: PreviewGround,
  to: number,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isWorldlineError(error) || error.code === "CANCELLED") throw error;
    const own = await ownSnapshotText({ view, files }, to);
    const hint = error.hint === undefined ? own : `${error.hint} ${own}`;
    throw new WorldlineError(error.code, error.message, { hint, cause: error });
  }
}

async function ownSnapshotText({ view, files }: PreviewGround, to: number): Promise<string> {
  if (files === undefined) return "Worldline's own snapshots are off, so it cannot do it either.";
  const { state } = await filesAt(view, files, to);
  return state === "complete" || state === "partial"
    ? `Worldline has a snapshot of checkpoint ${to} itself; to use its own: ${USE_OWN}`
    : `Worldline has no snapshot of checkpoint ${to} itself.`;
}
