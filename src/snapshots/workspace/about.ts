import { writeError } from "../../disk/disk.ts";
import { replaceFile } from "../../disk/durable-files.ts";
import type { SnapshotGround } from "../ground.ts";
import type { WorkspacePlaces } from "../places.ts";

/** Says which workspace a folder of the store belongs to: its name is a hash. Gc needs it to know what is left over. */
export function introduceWorkspace(ground: SnapshotGround, places: WorkspacePlaces, folder: string): void {
  if (ground.disk.stat(places.about) !== undefined) return;
  const bytes = Buffer.from(`${JSON.stringify({ folder })}\n`);
  try {
    ground.durable.make(places.folder);
    replaceFile(ground, { path: places.about, bytes, content: "synced" });
  } catch (error) {
    throw writeError(error, { what: "workspace-notes" });
  }
}
