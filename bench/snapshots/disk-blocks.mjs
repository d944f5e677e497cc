import { execFileSync } from "node:child_process";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

function blocksBelow(folder) {
  let blocks = lstatSync(folder).blocks;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    blocks += entry.isDirectory() ? blocksBelow(path) : lstatSync(path).blocks;
  }
  return blocks;
}

/** The bytes of the disk blocks that these folders use, as `du` counts them; 0 for a missing folder. */
export function blocksOf(folders) {
  // File systems allocate blocks only when data reaches the disk.
  execFileSync("sync");
  const isThere = (folder) => lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  return folders.filter(isThere).reduce((sum, folder) => sum + blocksBelow(folder) * 512, 0);
}
