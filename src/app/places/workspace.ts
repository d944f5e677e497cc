import { opendir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { WorldlineError } from "../../record/error.ts";
import { holdsEverything } from "../../snapshots/workspace/workspace-folder.ts";
import type { WhyNoFolder } from "../../strings/en/errors/files.ts";
import { systemCode } from "./home.ts";

export interface WorkspaceSearch {
  /** `--workspace`. */
  readonly given?: string;
  /** Throws if the current folder was removed. */
  readonly cwd: () => string;
  /**
   * Returns the folders that have a session. Called only if nothing else decides, because the store may be slow to
   * reach.
   */
  readonly known: (folders: readonly string[]) => Promise<readonly string[]>;
  /** The user's home folder; a test can pass another one. */
  readonly userHome?: string;
}

/**
 * The real path of the workspace: the given one; otherwise the nearest folder, from the current one up, that has a
 * session or a `.git` folder or file (git itself is not run); otherwise the current folder. The home folder and its
 * parents count only if they are the current folder: otherwise one session in the home folder would make it the
 * workspace of every folder below.
 */
export async function findWorkspace(search: WorkspaceSearch): Promise<string> {
  const cwd = currentFolder(search.cwd);
  if (search.given !== undefined) return usableFolder(resolve(cwd, search.given));
  const here = await usableFolder(cwd);
  if (await hasRepository(here)) return here;
  const folders = foldersAbove(here).filter(
    (folder) => folder === here || !holdsEverything(folder, search.userHome),
  );
  const known = new Set(await search.known(folders));
  for (const folder of folders) {
    if (known.has(folder) || (await hasRepository(folder))) return folder;
  }
  return here;
}

/** The current folder; throws our own error if it was removed. */
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

/** Lists and enters the folder. `access` would check the permissions of a different user under sudo. */
async function lookInto(folder: string): Promise<void> {
  await (await opendir(folder)).close();
  await stat(`${folder}${sep}.`);
}

/** The folder itself and all of its parents, nearest first. */
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
