import { databaseBeside, holdsDatabases, isHeldDatabase } from "../../disk/own-database.ts";
import { BESIDE_DATABASE, type FolderState, type PathBytes } from "../../record/files.ts";
import { stateAt } from "../comparing/look-up.ts";
import type { FolderEdit } from "../comparing/update-folders.ts";
import { statOf } from "../finding/coverage.ts";
import type { FolderCache } from "../objects/folder-cache.ts";
import type { WorkspaceDisk } from "../workspace/workspace-disk.ts";

/**
 * Where a file turns out to be a database of ours that was captured like any other before, what SQLite keeps beside it was as
 * well, and may not have changed since.
 */
export function leaveOutBeside(
  edits: Map<PathBytes, FolderEdit>,
  folders: FolderCache,
  base: FolderState | undefined,
): void {
  if (base === undefined) return;
  for (const [path, edit] of [...edits]) {
    if (edit?.kind !== "left-out" || edit.why !== "own-store" || databaseBeside(path) !== undefined) continue;
    for (const beside of BESIDE_DATABASE.map((end) => `${path}${end}`)) {
      if (!edits.has(beside) && stateAt(folders, base, beside)?.kind === "file") edits.set(beside, edit);
    }
  }
}

/** Whether an absolute path is a database that this very process has open, or stands beside one: it must not be read. */
export function isOpenHere(disk: WorkspaceDisk, path: PathBytes, inode?: number): boolean {
  if (!holdsDatabases()) return false;
  const database = databaseBeside(path);
  if (database === undefined && inode !== undefined && !isHeldDatabase({ inode })) return false;
  const stat = statOf(disk, database ?? path);
  return stat !== undefined && isHeldDatabase(stat);
}
