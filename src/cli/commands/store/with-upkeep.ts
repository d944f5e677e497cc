import { existsSync } from "node:fs";
import { openSnapshotUpkeep } from "../../../open-files.ts";
import { snapshotPlaces } from "../../../snapshots/context.ts";
import type { SnapshotUpkeep } from "../../../snapshots/snapshot-upkeep.ts";
import type { Frame } from "../../command/frame.ts";

/** Does `work` with the store, where there is one; undefined where nothing was ever stored. */
export async function withUpkeep<Result>(
  frame: Frame,
  name: string,
  work: (upkeep: SnapshotUpkeep) => Promise<Result>,
): Promise<Result | undefined> {
  if (!existsSync(snapshotPlaces(frame.home).root)) return undefined;
  const { values } = await frame.settings();
  const { takeOver } = frame.common;
  const upkeep = openSnapshotUpkeep({ home: frame.home, name, waitMs: values["lock.waitMs"], takeOver });
  try {
    return await work(upkeep);
  } finally {
    upkeep.close();
  }
}
