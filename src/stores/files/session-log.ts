import { crc32 } from "node:zlib";
import { type Disk, readError, writeError } from "../../disk/disk.ts";
import { readRange } from "../../disk/durable-files.ts";
import type { OpenedLog, Recovery } from "../../ports/log-store.ts";
import { decodeLine, type EncodedEntries, encodeEntries, isReadable, NEWLINE } from "../../record/codec.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import type { Seq } from "../../record/ids.ts";
import type { Stored } from "../../strings/errors/facts.ts";
import { type LoadedLog, loadLog } from "./load-log.ts";
import { type Placed, pathOfFile, type SessionPlaces } from "./places.ts";
import { type Rotation, recoverTail, rotateFile, undoRotation, WrittenLog } from "./written-log.ts";

interface SessionLogSettings {
  readonly disk: Disk;
  readonly places: SessionPlaces;
  readonly rotateBytes: number;
  /** Throws if another owner has acquired the right to write. */
  readonly fence?: () => void;
}

/** Reads and writes the log of one session, and remembers what this process has read and appended. */
export class SessionLog {
  readonly #disk: Disk;
  readonly #places: SessionPlaces;
  readonly #rotateBytes: number;
  readonly #fence: () => void;
  #log: WrittenLog | undefined;
  /**
   * The most recently loaded log, kept until a caller receives its outline. Reading a long log twice each time it is
   * opened would take seconds.
   */
  #fresh: LoadedLog | undefined;
  #use: "index" | "log alone" = "index";
  /** A rotation that failed and has not been undone yet. */
  #unfinished: Rotation | undefined;

  constructor(settings: SessionLogSettings) {
    this.#disk = settings.disk;
    this.#places = settings.places;
    this.#rotateBytes = settings.rotateBytes;
    this.#fence = settings.fence ?? (() => undefined);
  }

  open(): OpenedLog {
    const loaded = this.#current();
    // If this process writes to the log, it remembers what it has appended, which is more recent than what it has read.
    if (this.#log === undefined || !this.#log.live.isInUse) this.#know(loaded);
    this.#fresh = undefined;
    return { outline: loaded.reading.outline, damage: loaded.damage };
  }

  recover(): Recovery {
    try {
      this.#fence();
      this.#takeBackRotation();
      const { recovery, log } = this.#recover();
      log.claim();
      return recovery;
    } catch (error) {
      throw writeError(error, this.#what);
    }
  }

  append(expectedSeq: Seq, entries: readonly Entry[]): void {
    if (entries.length === 0) return;
    const encoded = encode(entries);
    try {
      const log = this.#toWrite(expectedSeq, entries);
      log.append(entries, encoded);
    } catch (error) {
      throw writeError(error, this.#what);
    }
  }

  /** Returns the number of the next file, or undefined if the live file has not reached its size limit. */
  rotationDue(): number | undefined {
    const log = this.#known();
    return log.live.end >= this.#rotateBytes ? log.liveNumber + 1 : undefined;
  }

  rotate(entry: EntryOf<"rotated">): void {
    const { bytes } = encode([entry]);
    try {
      const log = this.#toWrite(entry.seq, [entry]);
      if (entry.file !== log.liveNumber + 1) {
        const { file } = entry;
        throw new WorldlineError("log-file-misnumbered", { next: log.liveNumber + 1, file });
      }
      log.live.settle();
      log.live.close();
      this.#unfinished = { number: log.liveNumber, identity: log.live.identity };
      rotateFile(this.#disk, this.#places, { ...this.#unfinished, bytes });
      this.#unfinished = undefined;
      log.beginFile(entry, bytes);
    } catch (error) {
      this.#tryToTakeBackRotation();
      throw writeError(error, this.#what);
    }
  }

  read(from: Seq, to: Seq): readonly Entry[] {
    try {
      if (to === 1 && this.#log === undefined) {
        const first = readFirst(this.#disk, this.#places);
        if (first !== undefined) return from <= 1 ? [first] : [];
      }
      const log = this.#known();
      if (to > log.positions.length && log.live.isChanged()) this.#know(this.#load());
      return this.#readChecked(from, to);
    } catch (error) {
      throw readError(error, this.#what);
    }
  }

  /** Closes the files. If this process is the writer, first adds missing records to the index. */
  close(): void {
    this.#log?.close();
    this.#log = undefined;
    this.#fresh = undefined;
  }

  /** Whether this log can be dropped from memory without any loss. */
  get isIdle(): boolean {
    return this.#unfinished === undefined && this.#log?.isOurs !== true;
  }

  /** Stops using the index after damage that the index may not reflect. The writer then creates a new index. */
  distrustIndex(): void {
    this.#use = "log alone";
    this.#fresh = undefined;
  }

  get #what(): Stored {
    return { what: "session-log", of: this.#places.session };
  }

  #load(): LoadedLog {
    try {
      return loadLog(this.#disk, this.#places, this.#use);
    } catch (error) {
      throw readError(error, this.#what);
    }
  }

  /**
   * Reads entries. If a line is not where it was expected, loads the log again without its index. This happens if
   * another process replaced the files or if the line was damaged after the index was written.
   */
  #readChecked(from: Seq, to: Seq): readonly Entry[] {
    for (;;) {
      const log = this.#known();
      const read = readEntries(this.#disk, this.#places, log.positions.between(from, to));
      // Bytes that were left by a failed append must not be read as part of the log. The next append removes these
      // bytes.
      if (read.isComplete || !log.live.isSound) return read.entries;
      if (this.#use === "log alone") {
        this.#know(this.#load());
        return readEntries(this.#disk, this.#places, this.#known().positions.between(from, to)).entries;
      }
      this.distrustIndex();
      this.#know(this.#load());
    }
  }

  #current(): LoadedLog {
    if (this.#fresh !== undefined && this.#log?.live.isChanged() === false) return this.#fresh;
    return this.#load();
  }

  #known(): WrittenLog {
    return this.#log ?? this.#know(this.#load());
  }

  #know(loaded: LoadedLog): WrittenLog {
    const isOurs = this.#log?.isOurs ?? false;
    this.#log?.live.close();
    this.#fresh = loaded;
    this.#log = new WrittenLog({ disk: this.#disk, places: this.#places, fence: this.#fence }, loaded);
    if (isOurs) this.#log.claim();
    return this.#log;
  }

  #recover(): { recovery: Recovery; log: WrittenLog } {
    const loaded = this.#current();
    const recovery = recoverTail(this.#disk, this.#places, loaded);
    if (loaded.tailIs === "empty") return { recovery, log: this.#know(loaded) };
    return { recovery, log: this.#know(this.#load()) };
  }

  /** Opens the log for appending `entries`. Throws if `entries` are not the next lines of the log. */
  #toWrite(expectedSeq: Seq, entries: readonly Entry[]): WrittenLog {
    this.#fence();
    this.#takeBackRotation();
    let log = this.#known();
    if (log.live.isChanged()) {
      log = this.#know(this.#load());
      if (this.#disk.stat(this.#places.log) === undefined)
        throw new WorldlineError("log-gone", { session: this.#places.session });
    }
    if (!log.endsClean) log = this.#recover().log;
    if (expectedSeq !== log.nextSeq)
      throw new WorldlineError("line-taken", { next: log.nextSeq, expected: expectedSeq });
    for (const [at, entry] of entries.entries()) {
      if (entry.seq !== expectedSeq + at) throw outOfOrder(entry, expectedSeq + at);
    }
    log.claim();
    this.#fresh = undefined;
    return log;
  }

  #takeBackRotation(): void {
    if (this.#unfinished === undefined) return;
    undoRotation(this.#disk, this.#places, this.#unfinished);
    this.#unfinished = undefined;
  }

  #tryToTakeBackRotation(): void {
    try {
      this.#takeBackRotation();
    } catch {
      // The rotation is recorded in `#unfinished`, and the next append first undoes it. The caller receives the first
      // error.
    }
  }
}

/**
 * Checks entries that will become the lines of a new log. Each entry must be readable, and its `seq` must match its
 * line number.
 */
export function requireReadable(entries: readonly Entry[]): void {
  for (const [at, entry] of entries.entries()) {
    if (!isReadable(entry)) throw unreadable(entry);
    if (entry.seq !== at + 1) throw outOfOrder(entry, at + 1);
  }
}

/**
 * Encodes entries as lines, and throws if a line could not be read back. The caller must write the result before it
 * encodes anything else.
 */
function encode(entries: readonly Entry[]): EncodedEntries {
  for (const entry of entries) if (!isReadable(entry)) throw unreadable(entry);
  return encodeEntries(entries, crc32);
}

export function unreadable({ seq, kind }: Entry): WorldlineError {
  return new WorldlineError("entry-malformed-for-log", { seq, kind });
}

function outOfOrder({ seq }: Entry, line: number): WorldlineError {
  return new WorldlineError("entry-misplaced", { line, seq });
}

/** Maximum number of bytes in neighboring lines that are read together. */
const MAX_BYTES = 1024 * 1024;
/**
 * Buffer that is reused for every read that fits, because allocating new memory each time costs as much as the read
 * itself.
 */
const block = Buffer.allocUnsafe(MAX_BYTES);
/**
 * Maximum size of an unneeded stretch between two lines that are read together. Reading the stretch is cheaper than a
 * second call.
 */
const MAX_BETWEEN = 4096;
const FIRST_BYTES = 16 * 1024;

interface ReadEntries {
  readonly entries: Entry[];
  /** False if a line was not at its position, either because the line was damaged or because the file was rewritten. */
  readonly isComplete: boolean;
}

/** Reads the entries at the given positions, and checks each of them again. */
function readEntries(disk: Disk, places: SessionPlaces, wanted: readonly Placed[]): ReadEntries {
  const entries: Entry[] = [];
  for (const run of runsOf(wanted)) {
    const first = run[0];
    const last = run.at(-1);
    if (first === undefined || last === undefined) continue;
    const length = last.offset + last.length - first.offset;
    const range = { position: first.offset, length };
    // Decoding copies the data, so nothing refers to the block afterward.
    const bytes = readFrom(disk, pathOfFile(disk, places, first.file), range);
    for (const line of run) {
      const start = line.offset - first.offset;
      const decoded = decodeLine(bytes.subarray(start, start + line.length), crc32);
      if (decoded.ok && decoded.entry.seq === line.seq) entries.push(decoded.entry);
    }
  }
  return { entries, isComplete: entries.length === wanted.length };
}

/**
 * Reads only the first entry of a log, which is all that a list of sessions needs. Returns undefined if the entry
 * cannot be read without loading the log.
 */
export function readFirst(disk: Disk, places: SessionPlaces): Entry | undefined {
  const path = pathOfFile(disk, places, 1);
  for (let length = FIRST_BYTES; ; length *= 8) {
    if (disk.stat(path) === undefined) return undefined;
    const bytes = readFrom(disk, path, { position: 0, length });
    const end = bytes.indexOf(NEWLINE);
    if (end === -1 && bytes.length === length) continue;
    const decoded = decodeLine(bytes.subarray(0, Math.max(0, end)), crc32);
    return decoded.ok && decoded.entry.seq === 1 ? decoded.entry : undefined;
  }
}

function readFrom(disk: Disk, path: string, range: { position: number; length: number }): Buffer {
  const file = disk.open(path, "read");
  try {
    return range.length > block.length ? readRange(disk, file, range) : readBlock(disk, file, range);
  } finally {
    disk.close(file);
  }
}

/** Like `readRange`, but reads into the shared block. The result is valid until the next read. */
function readBlock(disk: Disk, file: number, range: { position: number; length: number }): Buffer {
  let done = 0;
  while (done < range.length) {
    const count = disk.read(file, block.subarray(done, range.length), range.position + done);
    if (count === 0) break;
    done += count;
  }
  return block.subarray(0, done);
}

function runsOf(wanted: readonly Placed[]): Placed[][] {
  const runs: Placed[][] = [];
  for (const line of wanted) {
    const run = runs.at(-1);
    if (run !== undefined && continues(run, line)) run.push(line);
    else runs.push([line]);
  }
  return runs;
}

function continues(run: readonly Placed[], line: Placed): boolean {
  const first = run[0];
  const last = run.at(-1);
  if (first === undefined || last === undefined || last.file !== line.file) return false;
  const between = line.offset - (last.offset + last.length);
  return between >= 0 && between <= MAX_BETWEEN && line.offset + line.length - first.offset <= MAX_BYTES;
}
