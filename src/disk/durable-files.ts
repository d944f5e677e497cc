import { join } from "node:path";
import { type Disk, errnoOf, isMissing } from "./disk.ts";

const PIECE_BYTES = 4_096;

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

/** Where the successor of a file is written. Only the session's one writer does so, hence the fixed name. */
export function besideOf(path: string): string {
  return `${path}.new`;
}

export function readWhole(disk: Disk, path: string): Buffer {
  const file = disk.open(path, "read");
  try {
    // The size is a guess: since the file was opened, another one may have got its name. A byte more shows its end.
    const guess = (disk.stat(path)?.size ?? 0) + 1;
    const pieces: Buffer[] = [];
    let position = 0;
    for (let length = guess; ; length = Math.max(guess, PIECE_BYTES)) {
      const piece = readRange(disk, file, { position, length });
      pieces.push(piece);
      position += piece.length;
      if (piece.length < length) return pieces.length === 1 ? piece : Buffer.concat(pieces);
    }
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

export function removeFile(disk: Disk, path: string): void {
  try {
    disk.unlink(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** For what is only in the way: whoever comes by later removes it, and no work fails on its account. */
export function tryToRemove(disk: Disk, path: string): void {
  try {
    removeTree(disk, path);
  } catch {
    // Swept up by the next lock, recovery or emptying of the trash.
  }
}

/** Two may do this at once: what the other one has removed is gone, which is all that is wanted. */
export function removeTree(disk: Disk, path: string): void {
  const stat = disk.stat(path);
  if (stat === undefined) return;
  if (stat.kind !== "folder") {
    removeFile(disk, path);
    return;
  }
  for (const name of namesIn(disk, path)) removeTree(disk, join(path, name));
  try {
    disk.removeFolder(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** The names in a folder; none when it is not there. */
export function namesIn(disk: Disk, folder: string): string[] {
  try {
    return namesInOwn(disk, folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/**
 * As `namesIn`, for a folder that nobody but us may have made. Where something else has its name, or that of
 * one above it, what it held is out of sight, which is not the same as nothing.
 */
export function namesInOwn(disk: Disk, folder: string): string[] {
  try {
    return disk.list(folder).sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}
