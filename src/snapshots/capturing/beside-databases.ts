import { databaseBeside } from "../../disk/own-database.ts";
import { BESIDE_DATABASE, type FolderState, type PathBytes } from "../../record/files.ts";
import { stateAt } from "../comparing/look-up.ts";
import type { FolderEdit } from "../comparing/update-folders.ts";
import type { FolderCache } from "../objects/folder-cache.ts";

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
