import { join } from "node:path";
import type { Disk } from "../../disk/disk.ts";
import { besideOf, removeFile, writeAll, writeNew } from "../../disk/durable-files.ts";
import type { Recovery } from "../../ports/log-store.ts";
import type { EncodedEntries } from "../../record/codec.ts";
import type { Entry } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import { type EntryId, type Seq, toSeq } from "../../record/ids.ts";
import { isJourney, legOf, rowOf } from "../../timeline/row.ts";
import { extendIndex } from "./index-file.ts";
import type { IndexDraft } from "./index-records.ts";
import type { LoadedLog } from "./load-log.ts";
import {
  LOG_NAME,
  namesInSession,
  type Place,
  type Positions,
  rotatedPath,
  type SessionPlaces,
} from "./places.ts";

interface LogContext {
  readonly disk: Disk;
  readonly places: SessionPlaces;
  /** Throws if another owner has acquired the right to write. */
  readonly fence: () => void;
}

/**
 * What this process has recorded about a log: its content when it was last loaded, and what has been appended since
 * then.
 */
export class WrittenLog {
  readonly positions: Positions;
  readonly #disk: Disk;
  readonly #places: SessionPlaces;
  readonly #fence: () => void;
  readonly #draft: IndexDraft;
  #live: LiveFile;
  #liveNumber: number;
  #indexBytes: number;
  #head: { readonly id: EntryId; readonly seq: Seq } | undefined;
  /** Whether the live file ends with a complete line. */
  readonly endsClean: boolean;
  #isOurs = false;

  constructor({ disk, places, fence }: LogContext, loaded: LoadedLog) {
    const live = loaded.files.files.find((file) => file.number === loaded.files.liveNumber);
    this.positions = loaded.reading.positions;
    this.#disk = disk;
    this.#places = places;
    this.#fence = fence;
    this.#draft = loaded.reading.draft;
    const { end, tail } = loaded.live;
    const identity = live?.identity ?? "";
    this.#live = new LiveFile(disk, places.log, { end, size: end + tail.length, identity }, fence);
    this.#liveNumber = loaded.files.liveNumber;
    this.#indexBytes = loaded.indexBytes;
    this.#head = loaded.reading.outline.head;
    this.endsClean = loaded.tailIs === "empty";
  }

  /** Whether this process is the writer of the session. Only the writer writes the session's index. */
  get isOurs(): boolean {
    return this.#isOurs;
  }

  /** Makes this process the writer. Immediately replaces an index that cannot be trusted, so that no reader uses it. */
  claim(): void {
    if (this.#isOurs) return;
    this.#isOurs = true;
    const isStale = this.#indexBytes === 0 && this.#disk.stat(this.#places.index) !== undefined;
    if (isStale || this.#draft.hasFullChunk) this.#extendIndex();
  }

  get live(): LiveFile {
    return this.#live;
  }

  get liveNumber(): number {
    return this.#liveNumber;
  }

  get nextSeq(): Seq {
    return toSeq(this.positions.length + 1);
  }

  /** Appends lines with one write and one sync. The lines are durable when this call returns. */
  append(entries: readonly Entry[], { bytes, lengths }: EncodedEntries): void {
    let offset = this.#live.end;
    this.#live.append(bytes);
    for (const [at, entry] of entries.entries()) {
      const length = lengths[at] ?? 0;
      this.#take(entry, { file: this.#liveNumber, offset, length: length - 1 });
      offset += length;
    }
    if (this.#draft.hasFullChunk) this.#extendIndex();
  }

  /** Records that a new live file, with `entry` as its first line, has replaced the old live file. */
  beginFile(entry: Entry, line: Uint8Array): void {
    const identity = this.#disk.stat(this.#places.log)?.identity ?? "";
    const { length } = line;
    const known = { end: length, size: length, identity };
    this.#live = new LiveFile(this.#disk, this.#places.log, known, this.#fence);
    this.#liveNumber += 1;
    this.#take(entry, { file: this.#liveNumber, offset: 0, length: length - 1 });
  }

  close(): void {
    if (this.#isOurs) this.#extendIndex();
    this.#live.close();
  }

  #take(entry: Entry, place: Place): void {
    this.positions.add(place);
    const parent = this.#parentOf(entry);
    if (parent === undefined) this.#draft.stop();
    else this.#draft.addRow(rowOf(entry, { parent, leg: legOf(entry) }), place);
    this.#head = entry;
  }

  /** Returns the line of the entry's parent if it can be found without the whole outline. */
  #parentOf(entry: Entry): number | undefined {
    if (entry.parent === null) return 0;
    if (entry.parent === this.#head?.id) return this.#head.seq;
    // Only a journey can have a parent other than the head, and the journey's origin contains the parent's line.
    const place = isJourney(entry.kind) ? entry.origin?.[0] : undefined;
    return place === undefined || this.positions.at(place) === undefined ? undefined : place;
  }

  #extendIndex(): void {
    const chunks = this.#draft.takeChunks();
    // If there is nothing to write, the old index is kept, because it still shows how many lines the log had.
    if (chunks.length === 0 && (this.#indexBytes > 0 || this.#draft.isStopped)) return;
    try {
      this.#fence();
      this.#indexBytes = extendIndex(this.#disk, this.#places, { sound: this.#indexBytes, chunks });
    } catch {
      // The index can always be re-created from the log, so a failure to write the index must not make an append fail.
      this.#draft.stop();
    }
  }
}

interface KnownFile {
  /** The position after the last complete line. */
  readonly end: number;
  readonly size: number;
  readonly identity: string;
}

/**
 * The file that a session's lines are appended to, with the position where acknowledged data ends. A failed append
 * leaves no trace, because the file is truncated to the acknowledged end. If truncating fails, the file is closed. It
 * is also closed if a sync fails, because the kernel may then have silently dropped the bytes. The next append then
 * opens the file again, truncates it, and writes all of its own bytes.
 */
class LiveFile {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #identity: string;
  readonly #fence: () => void;
  #end: number;
  /**
   * The size of the file. It is larger than `#end` only while the file contains torn bytes that have not been set
   * aside.
   */
  #size: number;
  #file: number | undefined;
  #isSound = true;

  /** Creates the object for a live file. `fence` must throw if another owner now has the right to write. */
  constructor(disk: Disk, path: string, known: KnownFile, fence: () => void = () => undefined) {
    this.#disk = disk;
    this.#path = path;
    this.#end = known.end;
    this.#size = known.size;
    this.#identity = known.identity;
    this.#fence = fence;
  }

  /** The position of the next line. */
  get end(): number {
    return this.#end;
  }

  get identity(): string {
    return this.#identity;
  }

  /** False if the file may contain bytes from a failed append. */
  get isSound(): boolean {
    return this.#isSound;
  }

  /** Checks whether another process wrote to the file or replaced it. */
  isChanged(): boolean {
    const stat = this.#disk.stat(this.#path);
    if (stat?.identity !== this.#identity) return true;
    // If an append by this process failed, any extra bytes at the end come from that append.
    return this.#isSound ? stat.size !== this.#size : stat.size < this.#end;
  }

  /**
   * Appends bytes and returns when they are durable. If this call throws, none of the bytes are acknowledged. Checks
   * that this process still has the right to write, once after opening the file and again after writing. A process that
   * takes over from a live owner replaces this file first.
   */
  append(bytes: Uint8Array): void {
    const file = this.#open();
    this.#fence();
    try {
      writeAll(this.#disk, file, bytes);
      this.#disk.sync(file);
    } catch (error) {
      this.#cutBack(file);
      throw error;
    }
    this.#confirm(file);
    this.#end += bytes.length;
    this.#size = this.#end;
  }

  /** Removes the bytes that a failed append may have left. Does nothing if the last append succeeded. */
  settle(): void {
    this.#open();
  }

  /**
   * Whether this object has state that must not be lost, because the file is open for writing or must be truncated.
   * Otherwise, the object only remembers where the file ends.
   */
  get isInUse(): boolean {
    return this.#file !== undefined || !this.#isSound;
  }

  close(): void {
    if (this.#file === undefined) return;
    const file = this.#file;
    this.#file = undefined;
    this.#disk.close(file);
  }

  #open(): number {
    if (this.#file !== undefined) return this.#file;
    const file = this.#disk.open(this.#path, "append");
    try {
      if (!this.#isSound) {
        this.#disk.truncate(file, this.#end);
        this.#disk.sync(file);
      }
    } catch (error) {
      this.#disk.close(file);
      throw error;
    }
    this.#isSound = true;
    this.#file = file;
    return file;
  }

  /**
   * Throws if the right to write was lost during the append. In that case, this process must not truncate the file,
   * although it must do so after any other error.
   */
  #confirm(file: number): void {
    try {
      this.#fence();
    } catch (error) {
      if (isWorldlineError(error, "SEQ_CONFLICT")) this.close();
      else this.#cutBack(file);
      throw error;
    }
  }

  #cutBack(file: number): void {
    this.#isSound = false;
    this.#file = undefined;
    try {
      try {
        this.#disk.truncate(file, this.#end);
      } finally {
        this.#disk.close(file);
      }
    } catch {
      // The next append truncates the file, because `#isSound` is false. The caller receives the first error.
    }
  }
}

/** The file to rotate, identified by its number and its identity on the disk. */
export interface Rotation {
  readonly number: number;
  readonly identity: string;
}

/**
 * Gives the live file a second name that contains its number, and then replaces the live file with a new file.
 * `log.jsonl` exists at all times. Until the last rename, `log.jsonl` is the old file, and its identity shows that the
 * second name refers to the same file.
 */
export function rotateFile(
  disk: Disk,
  places: SessionPlaces,
  next: Rotation & { readonly bytes: Uint8Array },
): void {
  const old = rotatedPath(places, next.number);
  const isLinked = disk.stat(old)?.identity === next.identity;
  if (!isLinked) disk.link(places.log, old);
  disk.syncFolder(places.folder);
  const beside = besideOf(places.log);
  removeFile(disk, beside);
  writeNew(disk, beside, next.bytes);
  disk.rename(beside, places.log);
  disk.syncFolder(places.folder);
}

/** Undoes an incomplete rotation, no matter which step it stopped at. */
export function undoRotation(disk: Disk, places: SessionPlaces, rotating: Rotation): void {
  const old = rotatedPath(places, rotating.number);
  const isLinked = disk.stat(old)?.identity === rotating.identity;
  const isReplaced = disk.stat(places.log)?.identity !== rotating.identity;
  // If both names refer to the same file, a rename silently does nothing, so this case is handled separately.
  if (isLinked && isReplaced) disk.rename(old, places.log);
  else if (isLinked) disk.unlink(old);
  removeFile(disk, besideOf(places.log));
  disk.syncFolder(places.folder);
}

const TORN_NAME = /^log\.jsonl\.torn-([1-9]\d*)$/;
const UNFINISHED_NAME = /^(?:log\.jsonl(?:\.\d+)?|session\.json)\.new$/;
const NEWLINE = Buffer.from("\n");

/**
 * Leaves only complete lines in the live file. Moves torn bytes to a separate file, so that nothing is discarded
 * silently.
 */
export function recoverTail(disk: Disk, places: SessionPlaces, loaded: LoadedLog): Recovery {
  removeLeftovers(disk, places, loaded.files.leftover);
  const { tail, end } = loaded.live;
  if (loaded.tailIs === "empty") return { setAside: [] };
  if (loaded.tailIs === "unended") {
    change(disk, places.log, (file) => writeAll(disk, file, NEWLINE));
    return { setAside: [] };
  }
  const name = nextTornName(disk, places);
  writeNew(disk, join(places.folder, name), tail);
  // The original bytes must not be removed until the copy is durable.
  disk.syncFolder(places.folder);
  change(disk, places.log, (file) => disk.truncate(file, end));
  return { setAside: [{ file: name, bytes: tail.length }] };
}

function tornNames(disk: Disk, places: SessionPlaces): string[] {
  return namesInSession(disk, places).filter((name) => TORN_NAME.test(name));
}

/**
 * Checks whether a file in the session's folder is a leftover that is not part of the log, such as torn bytes that were
 * set aside or an unfinished replacement.
 */
export function isLeftover(name: string): boolean {
  return TORN_NAME.test(name) || UNFINISHED_NAME.test(name);
}

/** Removes what is left of a rotation or a rewrite that a crash interrupted before its last step. */
function removeLeftovers(disk: Disk, places: SessionPlaces, secondName: string | undefined): void {
  if (secondName !== undefined) disk.unlink(secondName);
  for (const name of namesInSession(disk, places)) {
    if (UNFINISHED_NAME.test(name)) removeFile(disk, join(places.folder, name));
  }
}

function nextTornName(disk: Disk, places: SessionPlaces): string {
  const numbers = tornNames(disk, places).map((name) => Number(TORN_NAME.exec(name)?.[1] ?? 0));
  return `${LOG_NAME}.torn-${Math.max(0, ...numbers) + 1}`;
}

function change(disk: Disk, path: string, make: (file: number) => void): void {
  const file = disk.open(path, "append");
  try {
    make(file);
    disk.sync(file);
  } finally {
    disk.close(file);
  }
}
