import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { errnoOf, isMissing } from "../../../disk/disk.ts";

/** What stands at a place. Only a file is ever opened: a FIFO or a device could block for ever, or act. */
export type Look =
  | { readonly kind: "file"; readonly stats: Stats }
  | { readonly kind: "folder" }
  | { readonly kind: "missing" }
  | { readonly kind: "unusable"; readonly why: string };

export async function lookAt(place: string): Promise<Look> {
  try {
    return kindOf(await lstat(place));
  } catch (error) {
    return isMissing(error) ? { kind: "missing" } : { kind: "unusable", why: faultText(error) };
  }
}

function kindOf(stats: Stats): Look {
  if (stats.isFile()) return { kind: "file", stats };
  if (stats.isDirectory()) return { kind: "folder" };
  if (stats.isFIFO()) return { kind: "unusable", why: "it is a FIFO, which is never opened" };
  if (stats.isSocket()) return { kind: "unusable", why: "it is a socket, which is never opened" };
  if (stats.isSymbolicLink()) return { kind: "unusable", why: "its symbolic links lead in a circle" };
  return { kind: "unusable", why: "it is a device, which is never opened" };
}

/** Opens a file for reading; never waits, should something else have taken its place meanwhile. */
export async function openFile(place: string): Promise<FileHandle> {
  const file = await open(place, constants.O_RDONLY | constants.O_NONBLOCK);
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
  ELOOP: "its symbolic links lead in a circle",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "it is not there",
  ENOSPC: "the disk is full",
  ENOTDIR: "a folder of its path is a file",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
};

/** What went wrong, as half a sentence. */
export function faultText(error: unknown): string {
  const errno = errnoOf(error);
  return faults[errno ?? ""] ?? (error instanceof Error ? error.message : String(error));
}
