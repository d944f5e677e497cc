import { lstatSync, readdirSync, rmdirSync, type Stats, unlinkSync } from "node:fs";
import { errnoOf, isMissing } from "../record/error.ts";
import { type PathBytes, pathIn } from "../record/files.ts";
import { heldFolders } from "./held-folder.ts";

const OPEN = 0o700;
/** Maximum number of times that a folder is listed if other processes add files while it is being emptied. */
const MAX_LISTINGS = 4;

/**
 * Removes everything at an absolute path, even if the permissions deny access to the owner. Unlike Node's `rm`, never
 * follows a link that replaces a folder during the removal, because that would remove the contents of the link's
 * target. Uses a loop instead of recursion, because folders may be deeply nested.
 */
export function removeTree(path: PathBytes): void {
  const waiting = [path];
  const listings = new Map<PathBytes, number>();
  for (let at = waiting.at(-1); at !== undefined; at = waiting.at(-1)) {
    if (tryToRemove(at)) {
      waiting.pop();
      continue;
    }
    const times = (listings.get(at) ?? 0) + 1;
    if (times > MAX_LISTINGS)
      throw Object.assign(new Error("other programs keep adding files to the folder"), { code: "ENOTEMPTY" });
    listings.set(at, times);
    for (const name of namesIn(at)) waiting.push(pathIn(at, name));
  }
}

/** Removes one path. Returns false if the path is a folder that is not empty. */
function tryToRemove(path: PathBytes): boolean {
  try {
    return removeOne(path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOTEMPTY" || errno === "EEXIST") return false;
    if (isMissing(error)) return true;
    if (errno !== "EACCES") throw error;
  }
  openFolder(path.slice(0, path.lastIndexOf("/")));
  return removeOne(path);
}

function removeOne(path: PathBytes): boolean {
  const stats: Stats | undefined = heldFolders.look(path, (at) => lstatSync(at, { throwIfNoEntry: false }));
  if (stats?.isDirectory() === true) heldFolders.change(path, (at) => rmdirSync(at));
  else if (stats !== undefined) heldFolders.change(path, (at) => unlinkSync(at));
  heldFolders.forget(path);
  return true;
}

function namesIn(folder: PathBytes): PathBytes[] {
  const list = (): PathBytes[] =>
    heldFolders.within(folder, "list", (held) => readdirSync(held.at(), { encoding: "latin1" }));
  try {
    return list();
  } catch (error) {
    if (isMissing(error)) return [];
    if (errnoOf(error) !== "EACCES") throw error;
  }
  openFolder(folder);
  return list();
}

function openFolder(folder: PathBytes): void {
  heldFolders.within(folder, "list", (held) => held.setMode(OPEN));
}
