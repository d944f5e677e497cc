import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeTree } from "../../disk/remove-tree.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { type FileState, type PathBytes, pathOfText } from "../../record/files.ts";
import { makeTemporaryFolder } from "../scratch/temporary-folder.ts";
import type { Overlay } from "../scratch/wanted.ts";

/** Stores files that no snapshot holds yet, so that they can be restored: a folder with just these is captured. */
export async function storeWritten(
  overlay: Overlay,
  openFiles: (folder: string) => Promise<WorkspaceFiles>,
): Promise<ReadonlyMap<PathBytes, FileState>> {
  const stored = new Map<PathBytes, FileState>();
  const written = [...overlay].flatMap(([path, wanted]) =>
    wanted?.kind === "written" ? [{ path, ...wanted }] : [],
  );
  if (written.length === 0) return stored;
  const folder = makeTemporaryFolder();
  try {
    for (const [index, { bytes }] of written.entries()) writeFileSync(join(folder, `${index}`), bytes);
    for (const [index, { mode }] of written.entries()) chmodSync(join(folder, `${index}`), mode | 0o400);
    const files = await openFiles(folder);
    try {
      const { snapshot } = await files.capture({ look: "everything" });
      for (const [index, { path, mode }] of written.entries()) {
        const state = await files.stateAt(snapshot, `${index}`);
        if (state?.kind !== "file") throw new Error("A file of the change could not be stored.");
        stored.set(path, { ...state, mode });
      }
    } finally {
      await files.close();
    }
  } finally {
    removeTree(pathOfText(folder));
  }
  return stored;
}
