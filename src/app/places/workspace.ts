import { opendir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { WorldlineError } from "../../record/error.ts";
import { holdsEverything } from "../../snapshots/workspace/workspace-folder.ts";
import type { WhyNoFolder } from "../../strings/en/errors/files.ts";
import { systemCode } from "./home.ts";

export interface WorkspaceSearch {
  /** The value of the option `--workspace`. */
  readonly given?: string;
  /** Returns the current folder. Throws if the folder was removed. */
  readonly cwd: () => string;
  /**
   * Returns the folders that have a session. Called only if the workspace cannot be determined otherwise, because the
   * store may be slow to reach.
   */
  readonly known: (folders: readonly string[]) => Promise<readonly string[]>;
  /** The user's home folder. Tests can pass another folder. */
  readonly userHome?: string;
}

/**
 * Finds the real path of the workspace. If a workspace was given, that workspace is used. Otherwise, the workspace is
 * the nearest folder, from the current one up, that has a session or a `.git` folder or file (git itself is not run).
 * If no folder has either, the current folder is used. The home folder and its parents count only if they are the
 * current folder. Otherwise, a single session in the home folder would make it the workspace for every folder below it.
 */
export async function findWorkspace(search: WorkspaceSearch): Promise<string> {
  const cwd = currentFolder(search.cwd);
  if (search.given !== undefined) return usableFolder(resolve(cwd, search.given));
  const here = await usableFolder(cwd);
  if (await hasRepository(here)) return here;
  const folders = foldersAbove(here).filter((folder) => !holdsEverything(folder, search.userHome));
  const known = new Set(await search.known(folders));
  for (const folder of folders) {
    if (known.has(folder) || (await hasRepository(folder))) return folder;
  }
  return here;
}

/** Returns the current folder. Throws a WorldlineError if the folder was removed. */
export function currentFolder(cwd: () => string): string {
  try {
    return cwd();
  } catch (cause) {
    throw new WorldlineError("current-folder-gone", {}, { cause });
  }
}

async function usableFolder(folder: string): Promise<string> {
  const real = await realpath(folder).catch((cause: unknown) => {
    throw new WorldlineError("workspace-not-found", { folder, why: whyOf(cause) }, { cause });
  });
  if (!(await stat(real)).isDirectory()) throw new WorldlineError("workspace-is-a-file", { folder });
  await lookInto(real).catch((cause: unknown) => {
    throw new WorldlineError("workspace-unreadable", { folder, why: whyOf(cause) }, { cause });
  });
  return real;
}

/**
 * Throws if the folder cannot be listed or entered. Under sudo, `access` would check the permissions of a different
 * user.
 */
async function lookInto(folder: string): Promise<void> {
  await (await opendir(folder)).close();
  await stat(`${folder}${sep}.`);
}

/** Returns the folder itself and all of its parents, nearest first. */
function foldersAbove(folder: string): string[] {
  const folders = [folder];
  for (let last = folder; dirname(last) !== last; last = dirname(last)) folders.push(dirname(last));
  return folders;
}

async function hasRepository(folder: string): Promise<boolean> {
  return stat(join(folder, ".git")).then(
    () => true,
    () => false,
  );
}

function whyOf(cause: unknown): WhyNoFolder {
  const code = systemCode(cause);
  if (code === "ENOENT") return "missing";
  if (code === "ENOTDIR") return "below-a-file";
  return code === "EACCES" ? "forbidden" : { system: String(cause) };
}
