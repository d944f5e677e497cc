import { makeCheckpoint } from "../../../src/app/checkpoints/make-checkpoint.ts";
import type { AppContext } from "../../../src/app/context.ts";
import { realDisk } from "../../../src/disk/disk.ts";
import { openWorkspaceFiles } from "../../../src/open-files.ts";
import type { EntryId, SnapshotId } from "../../../src/record/ids.ts";
import { snapshotPlaces, workspacePlaces } from "../../../src/snapshots/context.ts";
import { newRestoreId, RestoreJournal } from "../../../src/snapshots/restoring/restore.ts";
import type { Workshop } from "../../cli/support/workshop.ts";

/**
 * Makes two checkpoints of `a.txt`, and leaves a restore of the first one as a kill right after its beginning would:
 * its journal exists, but no file has been restored, and its journey was never recorded.
 */
export async function cutOffRestore({ home, workspace, put }: Workshop, context: AppContext) {
  const snapshotOf = async (): Promise<SnapshotId> => {
    const { captured } = await makeCheckpoint(context, undefined, "test");
    if (captured.state === "none") throw new Error(captured.why);
    return captured.snapshot;
  };
  put("a.txt", "one\n");
  const first = await snapshotOf();
  put("a.txt", "two\n");
  const { session } = await makeCheckpoint(context, undefined, "test");
  const left = await snapshotOf();
  const files = await openWorkspaceFiles({ workspace, home });
  const steps = await files.compare(left, first);
  await files.close();
  const { journal } = workspacePlaces(snapshotPlaces(home), workspace);
  new RestoreJournal(realDisk, journal).write({
    id: newRestoreId(1, "token"),
    session,
    journey: { from: "nowhere" as EntryId, left },
    steps,
    token: "token",
    closed: [],
  });
  return { session, journal };
}
