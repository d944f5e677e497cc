import type { Clock } from "../ports/clock.ts";
import type { Disk } from "./disk.ts";
import { tryToRemove, writeAll, writeNew } from "./durable-files.ts";

const TOKEN_BYTES = 8;

export interface Replacement {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** "unsynced": a cache, whose loss with the power costs only time. */
  readonly content: "synced" | "unsynced";
}

/**
 * Puts bytes in the place of a file, or where none is: whoever reads finds the old ones or the new ones. Any number of
 * processes may do so at once. Throws system errors, and then leaves nothing beside.
 */
export function replaceFile(
  { disk, clock }: { readonly disk: Disk; readonly clock: Clock },
  { path, bytes, content }: Replacement,
): void {
  const beside = `${path}.${Buffer.from(clock.random(TOKEN_BYTES)).toString("hex")}`;
  try {
    if (content === "synced") writeNew(disk, beside, bytes);
    else writeUnsynced(disk, beside, bytes);
    disk.rename(beside, path);
  } catch (error) {
    tryToRemove(disk, beside);
    throw error;
  }
}

function writeUnsynced(disk: Disk, path: string, bytes: Uint8Array): void {
  const file = disk.open(path, "create");
  try {
    writeAll(disk, file, bytes);
  } finally {
    disk.close(file);
  }
}
