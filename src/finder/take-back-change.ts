import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeTree } from "../disk/remove-tree.ts";
import { capturePresent, keepLeft } from "../machine/files/look.ts";
import { makeJourney } from "../machine/files/perform.ts";
import type { FilesOutcome, ProgressOptions } from "../machine/files/requests.ts";
import type { Session } from "../machine/session.ts";
import { appendsOf } from "../machine/writer.ts";
import type { WorkspaceFiles } from "../ports/workspace-files.ts";
import { WorldlineError } from "../record/error.ts";
import {
  type FileState,
  folderOf,
  isSameState,
  isWithin,
  type PathBytes,
  type PathChange,
  pathOfText,
  shownPath,
} from "../record/files.ts";
import type { EntryId, SnapshotId } from "../record/ids.ts";
import { limitTexts } from "../travel/logged-files.ts";
import { planRewind } from "../travel/rewind.ts";
import type { Overlay } from "./scratch/scratch.ts";
import { makeTemporaryFolder } from "./scratch/temporary-folder.ts";

interface TakeBackRequest extends ProgressOptions {
  readonly session: Session;
  readonly files: WorkspaceFiles;
  /** A checkpoint of the session before the change (`to`), and its files (`green`). */
  readonly to: number;
  readonly green: SnapshotId;
  /**
   * The present files that were tested (`tried`). The test passed with `overlay`, the states of the paths without the
   * change.
   */
  readonly tried: SnapshotId;
  readonly overlay: Overlay;
  /** Opens the files of another folder, with the same store. */
  readonly openFiles: (folder: string) => Promise<WorkspaceFiles>;
}

/**
 * Undoes a change and keeps everything else. Rewinds the files to their state before the change, with later changes
 * merged in. As a result, the log records the undo, the undo can be completed after a crash, and a redo restores the
 * change exactly.
 */
export async function takeBackChange(
  request: TakeBackRequest,
): Promise<{ readonly journey: EntryId; readonly files: FilesOutcome }> {
  const { session, files, to } = request;
  if ((await files.unfinished()).length > 0) throw new WorldlineError("restore-unfinished-here", {});
  const context = { view: session, files };
  const present = await capturePresent(context, request);
  await requireUntouched(request, present.snapshot);
  const steps = await stepsOf(request, present.snapshot);
  const only = limitTexts(steps.map(({ path }) => path));
  const write = async (): Promise<EntryId> => {
    const rewind = { to, scope: "files", only, choice: "merge" } as const;
    const [id] = await session.write(appendsOf(planRewind(session.outline, rewind, present)));
    return id as EntryId;
  };
  await keepLeft(context, present);
  return makeJourney(context, {
    ...request,
    present,
    plan: {
      changes: steps,
      steps,
      kept: [],
      conflicts: [],
      during: [],
      merges: [],
      merged: mergedIn(request),
    },
    // Undoing a change in the workspace does not affect files outside it.
    outside: { changes: [], kept: [], restore: async () => [] },
    write,
    told: `The user undid a change that made a test fail. The files are as they were at checkpoint ${to}, with later changes kept.`,
  });
}

/**
 * Throws if the files have changed since they were tested, because it would then be unknown whether the test passes
 * without the change.
 */
async function requireUntouched({ files, tried, overlay }: TakeBackRequest, now: SnapshotId): Promise<void> {
  const changed: PathBytes[] = [];
  for (const path of overlay.keys()) {
    const [before, after] = [await files.stateAt(tried, path), await files.stateAt(now, path)];
    if (!isSameState(before, after)) changed.push(path);
  }
  if (changed.length === 0) return;
  throw new WorldlineError("change-not-taken-back", { paths: changed.map(shownPath) });
}

async function stepsOf(request: TakeBackRequest, present: SnapshotId): Promise<readonly PathChange[]> {
  const { files, overlay, openFiles } = request;
  const written = await storeWritten(overlay, openFiles);
  const steps = [...(await foldersFor(request, present))];
  for (const [path, wanted] of overlay) {
    const before = await files.stateAt(present, path);
    const after = wanted?.kind === "written" ? written.get(path) : wanted;
    if (!isSameState(before, after)) steps.push({ path, before, after });
  }
  return steps.filter((step) => !isHolding(step, steps)).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the paths whose later changes were merged into the content from before the change. */
function mergedIn({ overlay }: TakeBackRequest): readonly PathBytes[] {
  return [...overlay].flatMap(([path, wanted]) => (wanted?.kind === "written" ? [path] : []));
}

/** Returns the folders that were deleted along with their contents, and must be created first. */
async function foldersFor(
  { files, overlay, green }: TakeBackRequest,
  present: SnapshotId,
): Promise<readonly PathChange[]> {
  const folders = new Map<PathBytes, PathChange>();
  for (const [path, wanted] of overlay) {
    if (wanted === undefined) continue;
    for (let above = folderOf(path); above !== ""; above = folderOf(above)) {
      const before = await files.stateAt(present, above);
      const after = await files.stateAt(green, above);
      if (before === undefined && after?.kind === "folder")
        folders.set(above, { path: above, before, after });
    }
  }
  return [...folders.values()].filter(({ path }) => !overlay.has(path));
}

/**
 * Checks whether a folder must be kept. This is the case if the undo would remove the folder but nothing inside it,
 * because the folder may then contain other files.
 */
function isHolding({ path, before, after }: PathChange, steps: readonly PathChange[]): boolean {
  if (before?.kind !== "folder" || after !== undefined) return false;
  return !steps.some((other) => other.path !== path && isWithin(other.path, path));
}

/**
 * Stores files that are not in any snapshot yet, so that they can be restored. To do this, captures a folder that
 * contains only these files.
 */
async function storeWritten(
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
        if (state?.kind !== "file") throw new Error("A file in the change could not be stored.");
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
