import { constants, lstatSync, type Stats, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { heldFolders, inHeldFolder } from "../../../disk/held-folder.ts";
import { errnoOf, isMissing } from "../../../record/error.ts";
import { pathOfText } from "../../../record/files.ts";

/** What is at a real path, to which no link leads. Only a file is ever opened: a FIFO or a device could block for ever, or act. */
export type Look =
  | { readonly kind: "file"; readonly stats: Stats }
  | { readonly kind: "folder" }
  | { readonly kind: "missing" }
  | { readonly kind: "unusable"; readonly why: string };

const CIRCLE = "its symbolic links lead in a circle";
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

export async function lookAt(place: string): Promise<Look> {
  try {
    return heldFolders.look(pathOfText(place), (at) => {
      const stats = lstatSync(at);
      return stats.isSymbolicLink() ? { kind: "unusable", why: whyLink(at) } : kindOf(stats);
    });
  } catch (error) {
    return isMissing(error) ? { kind: "missing" } : { kind: "unusable", why: faultText(error) };
  }
}

/** A real place is no link, unless it leads in a circle. */
function whyLink(at: string | Buffer): string {
  try {
    statSync(at);
  } catch (error) {
    if (errnoOf(error) === "ELOOP") return CIRCLE;
  }
  return "a symbolic link has just taken its place";
}

function kindOf(stats: Stats): Look {
  if (stats.isFile()) return { kind: "file", stats };
  if (stats.isDirectory()) return { kind: "folder" };
  if (stats.isFIFO()) return { kind: "unusable", why: "it is a FIFO, which is never opened" };
  if (stats.isSocket()) return { kind: "unusable", why: "it is a socket, which is never opened" };
  return { kind: "unusable", why: "it is a device, which is never opened" };
}

/** Does `work` in a folder, and throws where another folder or a link has taken its place meanwhile: then what was found may be of that. */
export async function whileInPlace<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  return inHeldFolder(pathOfText(folder), async (held) => {
    const result = await work();
    held.requireStill();
    return result;
  });
}

/** Opens a file for reading; never waits or follows a link, should something else have taken its place meanwhile. */
export async function openFile(place: string): Promise<FileHandle> {
  const name = pathOfText(basename(place));
  const file = await inHeldFolder(pathOfText(dirname(place)), async (held) => open(held.at(name), READ));
  try {
    if ((await file.stat()).isFile()) return file;
    throw new Error("it is no file any more");
  } catch (error) {
    await file.close();
    throw error;
  }
}

const faults: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EBUSY: "it is in use",
  EDQUOT: "the disk quota is used up",
  EEXIST: "something with that name is in the way",
  EISDIR: "it is a folder",
  ELOOP: CIRCLE,
  ENAMETOOLONG: "the name is too long",
  ENOENT: "it is not there",
  ENOSPC: "the disk is full",
  ENOTDIR: "a folder of its path is a file",
  EPERM: "operation not permitted",
  EMFILE: "too many files are open; a higher limit helps (ulimit -n)",
  EROFS: "the file system is read-only",
  PARENT_CHANGED: "a folder on the way to it was replaced by a link",
};

/** What went wrong, as half a sentence. */
export function faultText(error: unknown): string {
  const errno = errnoOf(error);
  return faults[errno ?? ""] ?? (error instanceof Error ? error.message : String(error));
}
