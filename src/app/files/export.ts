import { mkdirSync, symlinkSync } from "node:fs";
import { mkdir, readdir, realpath, rmdir } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { heldFolders, nodePath, writeNewHeld } from "../../disk/held-folder.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import type { PathState, WorkspaceFiles } from "../../ports/workspace-files.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import { type FileState, type PathBytes, pathIn, pathOfText } from "../../record/files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { type AppContext, heard } from "../context.ts";
import { systemCode } from "../places/home.ts";
import { currentFolder } from "../places/workspace.ts";

interface Export {
  readonly files: Pick<WorkspaceFiles, "content">;
  /** The paths to write. Each folder comes before its contents. */
  readonly states: readonly PathState[];
  readonly target: ExportTarget;
}

/** While a folder is being filled, it must be writable, no matter what its final mode is. */
const WHILE_WRITING = 0o700;

/** Writes everything. If writing fails, leaves the folder as it was before: nonexistent or empty. */
export async function writeExport(context: AppContext, wanted: Export): Promise<void> {
  const { states, target } = wanted;
  const made: PathBytes[] = [];
  await makeTarget(target);
  try {
    await heard(context, async (isCancelled) => {
      for (const [index, each] of states.entries()) {
        if (isCancelled()) throw new WorldlineError("cancelled", { left: "unexported" });
        context.listener.progress({ doing: "export", done: index, of: states.length });
        if (!each.path.includes("/") && each.path !== "") made.push(each.path);
        await write(wanted, each);
        // Gives Ctrl-C a chance to take effect between two files.
        await setImmediate();
      }
      closeFolders(wanted);
    });
  } catch (error) {
    for (const path of made) removeTree(placeOf(target, path));
    await unmakeTarget(target);
    throw isWorldlineError(error) ? error : unwritable(target.folder, error);
  } finally {
    context.listener.progress("done");
  }
}

async function write({ files, target }: Export, { path, state }: PathState): Promise<void> {
  const place = placeOf(target, path);
  switch (state.kind) {
    case "file": {
      const bytes = await files.content(state.hash);
      heldFolders.change(place, (at) => writeNewHeld(at, bytes, state.mode));
      return;
    }
    case "link":
      heldFolders.change(place, (at) => symlinkSync(nodePath(state.target), at));
      return;
    case "folder":
      if (path !== "") heldFolders.change(place, (at) => mkdirSync(at, WHILE_WRITING));
      return;
    case "left-out":
      return;
    default:
      state satisfies never;
  }
}

/**
 * Sets the final modes, deepest folders first. A folder's final mode may make it inaccessible, so its subfolders must
 * be finished first.
 */
function closeFolders({ states, target }: Export): void {
  for (const { path, state } of states.toReversed()) {
    if (isNamedFolder(path, state))
      heldFolders.within(placeOf(target, path), "list", (held) => held.setMode(state.mode));
  }
}

function isNamedFolder(path: PathBytes, state: FileState): state is FileState & { kind: "folder" } {
  return state.kind === "folder" && path !== "";
}

function placeOf({ folder }: ExportTarget, path: PathBytes): PathBytes {
  return pathIn(pathOfText(folder), path);
}

function unwritable(folder: string, cause: unknown): WorldlineError {
  const isFull = ["ENOSPC", "EDQUOT"].includes(systemCode(cause) ?? "");
  const why = cause instanceof Error ? cause.message : String(cause);
  return new WorldlineError(isFull ? "no-room-for-export" : "export-not-written", { folder, why }, { cause });
}

/** The target folder of an export: a folder that does not exist yet or is empty. */
interface ExportTarget {
  readonly folder: string;
  readonly state: "new" | "empty";
}

/** Checks the folder without creating it, so that an unusable folder is refused before any work is done. */
export async function checkExportTarget(context: AppContext, given: string): Promise<ExportTarget> {
  if (given.trim() === "") throw new WorldlineError("export-folder-unnamed", {});
  const wanted = resolve(currentFolder(context.surroundings.cwd), given);
  const above = await realpath(dirname(wanted)).catch((cause: unknown) => {
    throw new WorldlineError("export-folder-without-parent", { folder: dirname(wanted) }, { cause });
  });
  const folder = join(above, basename(wanted));
  const home = await realpath(context.home).catch(() => context.home);
  const fromHome = relative(home, folder);
  if (!(fromHome.startsWith("..") || isAbsolute(fromHome)))
    throw new WorldlineError("target-inside-home", { path: folder });
  return { folder, state: await stateOf(folder) };
}

async function stateOf(folder: string): Promise<ExportTarget["state"]> {
  try {
    const names = await readdir(folder);
    if (names.length === 0) return "empty";
  } catch (cause) {
    if (systemCode(cause) === "ENOENT") return "new";
    throw new WorldlineError("export-folder-unusable", { folder }, { cause });
  }
  throw new WorldlineError("export-folder-not-empty", { folder });
}

/** Creates the folder if it does not exist. */
async function makeTarget({ folder, state }: ExportTarget): Promise<void> {
  if (state === "empty") return;
  try {
    await mkdir(folder);
  } catch (cause) {
    throw new WorldlineError("export-folder-not-made", { folder, why: String(cause) }, { cause });
  }
}

/** Removes the folder after a failure if this export created it. The caller must already have removed its contents. */
async function unmakeTarget({ folder, state }: ExportTarget): Promise<void> {
  if (state === "new") await rmdir(folder).catch(() => undefined);
}

export interface Selection {
  /** The paths to export; each folder comes before its contents. */
  readonly states: readonly PathState[];
  readonly ignored: readonly PathState[];
  /** Paths that the snapshot does not contain. */
  readonly leftOut: readonly PathState[];
}

/** Selects the paths to export. Ignored files may contain secrets, so they are exported only on request. */
export async function selectFiles(
  files: WorkspaceFiles,
  snapshot: SnapshotId,
  wanted: "include" | "leave-out",
): Promise<Selection> {
  const all = await files.list(snapshot);
  const leftOut = all.filter(({ state }) => state.kind === "left-out");
  const there = all.filter(({ state }) => state.kind !== "left-out");
  if (wanted === "include") return { states: there, ignored: [], leftOut };
  const ignoredPaths = await files.ignoredIn(
    snapshot,
    there.map(({ path }) => path),
  );
  return {
    states: there.filter(({ path }) => !ignoredPaths.has(path)),
    ignored: there.filter(({ path }) => ignoredPaths.has(path)),
    leftOut,
  };
}
