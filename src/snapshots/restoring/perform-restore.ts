import type { Clock } from "../../ports/clock.ts";
import type { PathOutcome, RestoreRequest } from "../../ports/workspace-files.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { PathBytes } from "../../record/files.ts";
import type { WorkspaceDisk } from "../workspace/workspace-disk.ts";
import { carryOut } from "./carry-out.ts";
import { closedPaths } from "./changing/folder-modes.ts";
import { isOurs, PathLooker } from "./changing/path-looker.ts";
import { type JournaledRestore, newRestoreId, type RestoreJournal } from "./journal.ts";
import { NeededContents, type ReadContent } from "./needed-contents.ts";

/** What restores of one workspace work with. Whoever calls holds the workspace alone. */
export interface RestoreGround {
  /** The real path of the workspace. */
  readonly root: PathBytes;
  readonly workspaceDisk: WorkspaceDisk;
  /** Throws SNAPSHOT_MISSING or SNAPSHOT_DAMAGED. */
  readonly content: ReadContent;
  readonly journal: RestoreJournal;
  readonly clock: Pick<Clock, "now" | "random">;
  /** Called when everything is written and before the journal goes. */
  readonly finished?: ((outcomes: readonly PathOutcome[]) => Promise<void>) | undefined;
}

const TOKEN_BYTES = 8;

/**
 * Restores paths. The journal is durable before the log is written, and the log before anything is touched: whatever
 * a crash cuts off can be finished, and what it cut off before that never began. The journal goes when the log knows the
 * end: else nobody would write it after a crash, and what was restored would pass for somebody else's. A journal that
 * is damaged ends this before it begins, once.
 */
export async function performRestore(ground: RestoreGround, request: RestoreRequest): Promise<PathOutcome[]> {
  const { root, workspaceDisk: disk, journal } = ground;
  journal.reportDamaged();
  const contents = new NeededContents(ground.content);
  const refused = contents.missing(request.steps);
  const restore = newJournal(ground, request);
  journal.write(restore);
  try {
    await request.commit();
  } catch (error) {
    removeIfPossible(journal, restore.id);
    throw error;
  }
  const { steps, token, closed } = restore;
  const outcomes = await carryOut({
    root,
    disk,
    bytesOf: (hash) => contents.bytesOf(hash),
    token,
    steps,
    closed,
    refused,
    when: "first",
    onProgress: request.onProgress,
  });
  await ground.finished?.(outcomes);
  removeIfPossible(journal, restore.id);
  return outcomes;
}

/**
 * A journal that cannot be removed is found by the next one, which sees that nothing is left to do. What
 * became of the files is more important to tell.
 */
export function removeIfPossible(journal: RestoreJournal, id: string): void {
  try {
    journal.remove(id);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
  }
}

function newJournal(
  { root, workspaceDisk: disk, clock }: RestoreGround,
  request: RestoreRequest,
): JournaledRestore {
  const { session, journey, steps } = request;
  const token = Buffer.from(clock.random(TOKEN_BYTES)).toString("hex");
  const looker = new PathLooker({ root, disk, ownModes: new Map() });
  const paths = steps.map(({ path }) => path).filter((path) => isOurs(path));
  const closed = closedPaths(paths, looker, disk);
  return { id: newRestoreId(clock.now(), token), session, journey, steps, token, closed };
}
