import { dirname, join } from "node:path";
import { type Disk, errnoOf, isMissing } from "./disk.ts";

/** Writes all of `bytes`: one call may take only a part of them. */
export function writeAll(disk: Disk, file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += disk.write(file, bytes.subarray(done));
}

/** Makes a new file whose content survives the loss of power. Its name does so after `syncFolder`. */
export function writeNew(disk: Disk, path: string, bytes: Uint8Array): void {
  const file = disk.open(path, "create");
  try {
    writeAll(disk, file, bytes);
    disk.sync(file);
  } finally {
    disk.close(file);
  }
}

/** Puts a file in the place of another, or of none: at every instant one of them is there, whole. */
export function replaceFile(disk: Disk, path: string, bytes: Uint8Array): void {
  const beside = besideOf(path);
  removeFile(disk, beside);
  writeNew(disk, beside, bytes);
  disk.rename(beside, path);
}

/** Where the successor of a file is written. Only the session's one writer does so, hence the fixed name. */
export function besideOf(path: string): string {
  return `${path}.new`;
}

export function readWhole(disk: Disk, path: string): Buffer {
  const size = disk.stat(path)?.size ?? 0;
  const file = disk.open(path, "read");
  try {
    return readRange(disk, file, { position: 0, length: size });
  } finally {
    disk.close(file);
  }
}

/** The bytes of a range; fewer where the file ends before. */
export function readRange(
  disk: Disk,
  file: number,
  range: { readonly position: number; readonly length: number },
): Buffer {
  const bytes = Buffer.allocUnsafe(range.length);
  let done = 0;
  while (done < range.length) {
    const count = disk.read(file, bytes.subarray(done), range.position + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

/** Makes the folder and those above it; the names of all survive the loss of power. */
export function makeFolders(disk: Disk, path: string): void {
  if (disk.stat(path) !== undefined) return;
  const above = dirname(path);
  if (above !== path) makeFolders(disk, above);
  try {
    disk.makeFolder(path);
  } catch (error) {
    // Another process was quicker; its name must be durable all the same.
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  disk.syncFolder(above);
}

export function removeFile(disk: Disk, path: string): void {
  try {
    disk.unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

export function removeTree(disk: Disk, path: string): void {
  const stat = disk.stat(path);
  if (stat === undefined) return;
  if (stat.kind !== "folder") {
    removeFile(disk, path);
    return;
  }
  for (const name of disk.list(path)) removeTree(disk, join(path, name));
  disk.removeFolder(path);
}

/** The names in a folder; none when it is not there. */
export function namesIn(disk: Disk, folder: string): string[] {
  try {
    return disk.list(folder).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
