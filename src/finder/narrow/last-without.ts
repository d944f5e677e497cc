import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { byPath } from "./overlay.ts";
import { takeBack } from "./take-back.ts";
import type { Unit } from "./unit.ts";

export interface Behind {
  readonly files: Pick<WorkspaceFiles, "content" | "stateAt">;
  readonly snapshots: readonly SnapshotId[];
  /** Only behind this one, and before the last. */
  readonly after: number;
}

/** The newest snapshot in which some units are not there as they were made; undefined where they stand in all. */
export async function lastWithout(
  units: readonly Unit[],
  { files, snapshots, after }: Behind,
): Promise<number | undefined> {
  const paths = [...byPath(units).keys()];
  // Most states have nothing to do with these paths, and look like the one before.
  const known = new Set<string>();
  for (let at = snapshots.length - 2; at > after; at -= 1) {
    const snapshot = snapshots[at];
    if (snapshot === undefined) continue;
    const look = JSON.stringify(await Promise.all(paths.map((path) => files.stateAt(snapshot, path))));
    if (known.has(look)) continue;
    const taken = await takeBack(units, { files, snapshot });
    if (taken.state === "changed-since" || taken.overlay.size === 0) return at;
    known.add(look);
  }
  return undefined;
}
