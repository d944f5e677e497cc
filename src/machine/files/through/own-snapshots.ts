import { isWorldlineError, problemOf, WorldlineError } from "../../../record/error.ts";
import { filesAt } from "../files-at.ts";
import type { PreviewGround } from "../look.ts";

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
    const own = await ownSnapshot({ view, files }, to);
    throw new WorldlineError(
      "host-rewind-failed",
      { code: error.code, problem: problemOf(error), checkpoint: to, own },
      { cause: error },
    );
  }
}

async function ownSnapshot({ view, files }: PreviewGround, to: number): Promise<"off" | "has" | "has-not"> {
  if (files === undefined) return "off";
  const { state } = await filesAt(view, files, to);
  return state === "complete" || state === "partial" ? "has" : "has-not";
}
