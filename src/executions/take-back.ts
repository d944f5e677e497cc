import type { RewindWish } from "../machine/files/requests.ts";
import type { Session } from "../machine/session.ts";
import { isWorldlineError, problemOf, WorldlineError } from "../record/error.ts";
import { countsIn, outcomeCounts } from "../travel/files/outcome-lines.ts";
import { isAlreadyThere, requireCheckpoint } from "../travel/rewind.ts";
import { requireRestore } from "./check-calls.ts";
import type { RolledBack, StepCheckpoint } from "./execution.ts";

/** Puts a program's own state back. */
export type Restore<Output> = (checkpoint: StepCheckpoint) => Output | Promise<Output>;

/** The program's own state first: where that cannot be restored, the session stays where it is. */
export async function takeBack<Output>(
  session: Session,
  to: number,
  {
    checkpoint,
    restore,
  }: { readonly checkpoint: StepCheckpoint; readonly restore: Restore<Output> | undefined },
): Promise<Output> {
  const output = restore === undefined ? checkpoint : await restored(checkpoint, restore);
  const target = requireCheckpoint(session.outline, to);
  if (!isAlreadyThere(session.outline, target)) await session.rewind(to);
  return output as Output;
}

async function restored<Output>(checkpoint: StepCheckpoint, restore: Restore<Output>): Promise<Output> {
  requireRestore(restore);
  try {
    return await restore(checkpoint);
  } catch (cause) {
    throw new WorldlineError(
      "checkpoint-not-restored",
      { checkpoint: checkpoint.id, problem: problemOf(cause) },
      { cause },
    );
  }
}

const NOTHING_TO_DO = outcomeCounts([]);

/** Takes the head and the files back. */
export async function takeFilesBack(
  session: Session,
  wish: Pick<RewindWish, "to" | "author">,
): Promise<NonNullable<RolledBack["files"]>> {
  const { to } = wish;
  const isThere = isAlreadyThere(session.outline, requireCheckpoint(session.outline, to));
  try {
    const { files } = await session.rewind({ ...wish, scope: "both" });
    return countsIn(files);
  } catch (error) {
    // The head and all files may be there already, which is what was wanted.
    const preview =
      isThere && isWorldlineError(error, "REWIND_REFUSED") ? await session.previewFiles({ to }) : undefined;
    if (preview === undefined || preview.changes.length > 0) throw error;
    return NOTHING_TO_DO;
  }
}
