import { existsSync } from "node:fs";
import { openSnapshotUpkeep } from "../../open-files.ts";
import { snapshotPlaces } from "../../snapshots/context.ts";
import type { SnapshotUpkeep } from "../../snapshots/snapshot-upkeep.ts";
import type { AppContext } from "../context.ts";

/** Does `work` with the store, where there is one; undefined where nothing was ever stored. */
export async function withUpkeep<Result>(
  context: AppContext,
  name: string,
  work: (upkeep: SnapshotUpkeep) => Promise<Result>,
): Promise<Result | undefined> {
  if (!existsSync(snapshotPlaces(context.home).root)) return undefined;
  const { values } = await context.settings();
  const { takeOver } = context.common;
  const upkeep = openSnapshotUpkeep({ home: context.home, name, waitMs: values["lock.waitMs"], takeOver });
  try {
    return await work(upkeep);
  } finally {
    upkeep.close();
  }
}
