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

/** Bytes of the blocks that these folders take on the disk, as `du` counts them; a folder that is not there takes none. */
export function blocksOf(folders) {
  // Blocks are given out when a file reaches the disk.
  execFileSync("sync");
  const isThere = (folder) => lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  return folders.filter(isThere).reduce((sum, folder) => sum + blocksBelow(folder) * 512, 0);
}
