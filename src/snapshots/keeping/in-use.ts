import { join } from "node:path";
import { namesIn, readWhole } from "../../disk/durable-files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import { rootOfManifest } from "../capturing/manifest.ts";
import type { SnapshotGround } from "../ground.ts";
import { RestoreJournal } from "../restoring/journal.ts";

/** What is needed although no reference says so: what the next capture builds on, and what a restore has yet to write. */
export function inUse({ disk, places }: SnapshotGround): {
  readonly folders: readonly ObjectHash[];
  readonly contents: readonly ObjectHash[];
} {
  const folders: ObjectHash[] = [];
  const contents: ObjectHash[] = [];
  for (const name of namesIn(disk, places.workspaces)) {
    const manifest = join(places.workspaces, name, "manifest");
    if (disk.stat(manifest) !== undefined) {
      const root = rootOfManifest(readWhole(disk, manifest));
      if (root !== undefined) folders.push(root);
    }
    const journal = new RestoreJournal(disk, join(places.workspaces, name, "journal"));
    for (const { after } of journal.list().flatMap(({ steps }) => steps)) {
      if (after?.kind === "file") contents.push(after.hash);
    }
  }
  return { folders, contents };
}
