import { mkdir, readdir, realpath, rmdir } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { WorldlineError } from "../../record/error.ts";
import type { AppContext } from "../context.ts";
import { systemCode } from "../places/system-error.ts";
import { currentFolder } from "../places/workspace.ts";

/** Where an export goes: a folder that is not there yet, or has nothing in it. */
export interface ExportTarget {
  readonly folder: string;
  readonly state: "new" | "empty";
}

/** Looks, and makes nothing: whatever can be refused is refused before the work. */
export async function checkExportTarget(context: AppContext, given: string): Promise<ExportTarget> {
  if (given.trim() === "") throw new WorldlineError("export-folder-unnamed", {});
  const wanted = resolve(currentFolder(context.surroundings.cwd), given);
  const above = await realpath(dirname(wanted)).catch((cause: unknown) => {
    throw new WorldlineError("export-folder-without-parent", { folder: dirname(wanted) }, { cause });
  });
  const folder = join(above, basename(wanted));
  const home = await realpath(context.home).catch(() => context.home);
  const fromHome = relative(home, folder);
  if (fromHome === "" || !(fromHome.startsWith("..") || isAbsolute(fromHome)))
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

/** Makes the folder where it is new. */
export async function makeTarget({ folder, state }: ExportTarget): Promise<void> {
  if (state === "empty") return;
  try {
    await mkdir(folder);
  } catch (cause) {
    throw new WorldlineError("export-folder-not-made", { folder, why: String(cause) }, { cause });
  }
}

/** After a failure, when what was written is gone again. */
export async function unmakeTarget({ folder, state }: ExportTarget): Promise<void> {
  if (state === "new") await rmdir(folder).catch(() => undefined);
}
