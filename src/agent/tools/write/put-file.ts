import { createHash, randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errnoOf, isMissing } from "../../../disk/disk.ts";
import { moveToNew } from "../../../machine/files/outside/move-to-new.ts";

/** Captures pass over names that begin like this, so none of them holds half a file. */
const BESIDE = ".worldline-restore-";
const NEW_FILE_MODE = 0o666;
const PERMISSION_BITS = 0o7777;
/** The folder takes no new names, or the file is mounted where it is: then only its content can be replaced. */
const ONLY_IN_PLACE = new Set(["EACCES", "EBUSY", "EPERM", "EXDEV"]);

export interface FileToPut {
  readonly place: string;
  readonly bytes: Uint8Array;
  /** Of the file that it takes the place of. Absent: nothing may be there. */
  readonly replaces?: Stats;
  /** What that file held when it was read: a write through a mapping need not move its times. */
  readonly holding?: Buffer;
}

/** "changed": it was another file by the time that it would have been replaced, and was left alone. */
export type Put = "put" | "changed";

/**
 * Puts bytes in the place of a file or where none is, and makes the folders above. Mode and owner stay. Whoever reads finds
 * all of it or what was there before; only where the folder takes no second file is the content replaced in place, and then
 * whoever reads at that moment, or after a crash in it, may find a part. Throws system errors, and then leaves nothing beside.
 */
export async function putFile(file: FileToPut): Promise<Put> {
  const { place, bytes, replaces, holding } = file;
  await makeFolders(dirname(place));
  const beside = `${besideOf(place)}${randomBytes(4).toString("hex")}`;
  try {
    await writeBeside(beside, bytes, replaces);
    if (replaces === undefined) {
      await moveToNew(beside, place);
      return "put";
    }
    // Writing takes its time, in which somebody may have saved theirs.
    if (!(await isStill(place, replaces, holding))) return "changed";
    await rename(beside, place);
    return "put";
  } catch (error) {
    if (replaces === undefined || !ONLY_IN_PLACE.has(errnoOf(error) ?? "")) throw error;
    return await putInPlace({ ...file, replaces });
  } finally {
    await rm(beside, { force: true });
  }
}

async function putInPlace(file: FileToPut & { readonly replaces: Stats }): Promise<Put> {
  const { place, bytes, replaces, holding } = file;
  if (!(await isStill(place, replaces, holding))) return "changed";
  await writeFile(place, bytes, { flag: constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW });
  return "put";
}

/** Whether the file is the one that was read, and untouched since. */
async function isStill(place: string, stats: Stats, holding: Buffer | undefined): Promise<boolean> {
  const { ino, size, mtimeMs, ctimeMs } = stats;
  try {
    const now = await lstat(place);
    if (now.ino !== ino || now.size !== size || now.mtimeMs !== mtimeMs || now.ctimeMs !== ctimeMs)
      return false;
    return holding === undefined || holding.equals(await readFile(place));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Removes what a write to this place left beside it when it was killed. */
export async function sweepBeside(place: string): Promise<void> {
  const start = basename(besideOf(place));
  const folder = dirname(place);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(start)))
    await rm(join(folder, name), { force: true });
}

/** How the names of all that is written for this place begin. */
function besideOf(place: string): string {
  const mark = createHash("sha256").update(place).digest("hex").slice(0, 16);
  return join(dirname(place), `${BESIDE}${mark}`);
}

async function makeFolders(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw errnoOf(error) === "EEXIST" ? new Error("a folder of its path is a file", { cause: error }) : error;
  }
}

async function writeBeside(beside: string, bytes: Uint8Array, like: Stats | undefined): Promise<void> {
  const file = await open(beside, "wx", NEW_FILE_MODE);
  try {
    await file.writeFile(bytes);
    if (like !== undefined) await makeLike(file, like);
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function makeLike(file: FileHandle, like: Stats): Promise<void> {
  const own = await file.stat();
  // Before the mode: a change of owner takes some bits of it away.
  if (own.uid !== like.uid || own.gid !== like.gid) await file.chown(like.uid, like.gid);
  await file.chmod(like.mode & PERMISSION_BITS);
}
