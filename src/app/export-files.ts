import { snapshotOf } from "./checkpoints/checkpoint-list.ts";
import { type FoundCheckpoint, findCheckpoint } from "./checkpoints/find-checkpoint.ts";
import type { AppContext } from "./context.ts";
import { checkExportTarget, type Selection, selectFiles, writeExport } from "./files/export.ts";
import { requireFiles, withFiles } from "./files/files.ts";
import { openStore } from "./sessions/store.ts";

export interface ExportedFiles extends Selection {
  readonly checkpoint: FoundCheckpoint;
  readonly folder: string;
}

interface ExportRequest {
  /** The checkpoint as the user typed it. */
  readonly checkpoint: string;
  readonly folder: string;
  readonly ignored: "include" | "leave-out";
  /** If true, nothing is written. */
  readonly dryRun: boolean;
}

/** Writes the files of a checkpoint to a new or empty folder. */
export async function exportFiles(context: AppContext, request: ExportRequest): Promise<ExportedFiles> {
  const checkpoint = await findCheckpoint(context, openStore(context), request.checkpoint);
  const target = await checkExportTarget(context, request.folder);
  return withFiles(context, checkpoint.view.header.workspace, async (workspaceFiles) => {
    const files = requireFiles(workspaceFiles);
    const { snapshot } = await snapshotOf(checkpoint, files);
    const selection = await selectFiles(files, snapshot, request.ignored);
    if (!request.dryRun) await writeExport(context, { files, states: selection.states, target });
    return { ...selection, checkpoint, folder: target.folder };
  });
}
