import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Disk } from "../../disk/disk.ts";
import { besideOf, LineWriter, namesIn, removeFile, writeNew } from "../../disk/durable-files.ts";
import { encodeEntry, isReadable, readTail, type Stretch } from "../../record/codec.ts";
import type { Entry } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import { blobsOf } from "../../record/shape.ts";
import { removeOtherBlobs } from "./blobs.ts";
import { readUnended, recallHeader, scanFile } from "./load-log.ts";
import { InOrder, orderOf } from "./log-reading.ts";
import { type LogFile, listLogFiles, METADATA_NAME, type SessionPlaces } from "./places.ts";
import { unreadable } from "./session-log.ts";
import { isLeftover } from "./written-log.ts";

type Replace = (entry: Entry) => Entry;

/** Line that replaces a damaged line. It is not an entry, so the gap remains and is reported as before. */
const DAMAGED_LINE = Buffer.from("?\n");

/**
 * Rewrites each file of a log with `replace(entry)` for each entry. Writes all new files before the first new file
 * replaces an old one, so that a full disk does not cause any changes. After a crash, each file is either old or new,
 * never a mixture, and calling this function again finishes the work. Does not carry over damaged lines, repeated
 * lines, or torn bytes that earlier recoveries set aside, because they may contain the very text to forget. For the
 * same reason, the published list of checkpoints and long outputs are removed. The list is created again from the log,
 * but the outputs are not.
 */
export function rewriteLog(disk: Disk, places: SessionPlaces, replace: Replace): void {
  const { files, leftover } = listLogFiles(disk, places);
  const paths = [places.header, ...files.map((file) => file.path)];
  const blobs = new Set<string>();
  try {
    writeSuccessors(disk, places, { files, replace: noteBlobs(blobs, replace) });
  } catch (error) {
    for (const path of paths) removeFile(disk, besideOf(path));
    throw error;
  }
  // A second name for the live file is removed, because it would keep the old content.
  if (leftover !== undefined) disk.unlink(leftover);
  // The positions in the index are about to change, so its removal must be durable first.
  removeFile(disk, places.index);
  disk.syncFolder(places.folder);
  for (const path of paths) disk.rename(besideOf(path), path);
  for (const name of namesIn(disk, places.folder).filter(isLeftover))
    removeFile(disk, join(places.folder, name));
  for (const name of [METADATA_NAME, besideOf(METADATA_NAME)])
    removeFile(disk, join(places.checkpoints, name));
  for (const name of namesIn(disk, places.outputs)) removeFile(disk, join(places.outputs, name));
  disk.syncFolder(places.folder);
  removeOtherBlobs(disk, places, blobs);
}

function writeSuccessors(
  disk: Disk,
  places: SessionPlaces,
  { files, replace }: { readonly files: readonly LogFile[]; readonly replace: Replace },
): void {
  const header = recallHeader(disk, places);
  const line = header === undefined ? DAMAGED_LINE : encodeEntry(replace(header.entry), crc32);
  removeFile(disk, besideOf(places.header));
  writeNew(disk, besideOf(places.header), line);
  const carrying = lineRewriter(replace);
  for (const file of files) writeSuccessor(disk, file, carrying);
}

interface LineRewriter {
  /** Returns the `seq` that the next line should have. */
  next(): number;
  /** Returns the line to write for a stretch. Undefined if an earlier line has a higher number. */
  carry(stretch: Stretch): Uint8Array | undefined;
}

/**
 * Creates a rewriter that recognizes the same entries as readers do. Other bytes were not searched, so they must not
 * count as entries.
 */
function lineRewriter(replace: Replace): LineRewriter {
  let next = 1;
  const carry: LineRewriter["carry"] = ({ entry }) => {
    const standing = entry === undefined ? "beyond" : orderOf(entry.seq, next);
    if (standing === "earlier") return undefined;
    if (entry === undefined || standing === "beyond") return DAMAGED_LINE;
    next = entry.seq + 1;
    return encodeEntry(replace(entry), crc32);
  };
  return { next: () => next, carry };
}

function writeSuccessor(disk: Disk, from: LogFile, carrying: LineRewriter): void {
  const beside = besideOf(from.path);
  removeFile(disk, beside);
  const file = disk.open(beside, "create");
  try {
    const lines = new LineWriter(disk, file);
    const inOrder = new InOrder<Stretch>({
      next: () => carrying.next(),
      take: (stretch) => {
        const line = carrying.carry(stretch);
        if (line !== undefined) lines.add(line);
      },
    });
    const take = (stretch: Stretch) => inOrder.take(stretch);
    const { tail } = scanFile(disk, { path: from.path, from: 0 }, take);
    // Torn bytes are not a line, but a complete entry without a newline is.
    if (readTail(tail, crc32) === "unended") for (const stretch of readUnended(tail)) take(stretch);
    inOrder.flush();
    lines.flush();
    disk.sync(file);
  } finally {
    disk.close(file);
  }
}

function noteBlobs(blobs: Set<string>, replace: Replace): Replace {
  return (entry) => {
    const replaced = replaceOne(entry, replace);
    for (const hash of blobsOf(replaced)) blobs.add(hash);
    return replaced;
  };
}

function replaceOne(entry: Entry, replace: Replace): Entry {
  const replaced = replace(entry);
  if (!isReadable(replaced)) throw unreadable(replaced);
  if (replaced.seq === entry.seq && replaced.id === entry.id) return replaced;
  throw new WorldlineError("entry-loses-place", { seq: entry.seq });
}
