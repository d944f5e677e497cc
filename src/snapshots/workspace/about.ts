import { writeError } from "../../disk/disk-error.ts";
import { tryToRemove, writeNew } from "../../disk/durable-files.ts";
import type { SnapshotGround } from "../ground.ts";
import type { WorkspacePlaces } from "../places.ts";

const TOKEN_BYTES = 8;

/** Says which workspace a folder of the store belongs to: its name is a hash. Gc needs it to know what is left over. */
export function introduceWorkspace(
  { disk, durable, clock }: SnapshotGround,
  places: WorkspacePlaces,
  folder: string,
): void {
  if (disk.stat(places.about) !== undefined) return;
  const beside = `${places.about}.${Buffer.from(clock.random(TOKEN_BYTES)).toString("hex")}`;
  try {
    durable.make(places.folder);
    writeNew(disk, beside, Buffer.from(`${JSON.stringify({ folder })}\n`));
    disk.rename(beside, places.about);
  } catch (error) {
    tryToRemove(disk, beside);
    throw writeError(error, "What is known of the workspace");
  }
}
