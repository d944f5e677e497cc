import { join } from "node:path";
import { type Disk, readError } from "../../disk/disk.ts";
import type { DurableFolders } from "../../disk/durable-files.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LineFault } from "../../record/codec.ts";
import { isMissing } from "../../record/error.ts";
import { isSessionId, type Seq, type SessionId, toSeq } from "../../record/ids.ts";
import { sessionUnknown } from "../all-stores.ts";

/** The home folder, and the disk and clock needed to work with its session files. */
export interface Home {
  readonly disk: Disk;
  readonly root: string;
  readonly clock: Clock;
  readonly folders: DurableFolders;
}

/** The paths of one session's files and folders. */
export interface SessionPlaces {
  readonly session: SessionId;
  readonly folder: string;
  /** The live file, which contains the newest lines. */
  readonly log: string;
  /** A copy of the first line, for use if that line is damaged. */
  readonly header: string;
  readonly index: string;
  readonly lock: string;
  readonly blobs: string;
  readonly checkpoints: string;
  /** The folder for command output that was too long for the model. The log does not refer to this folder. */
  readonly outputs: string;
}

export const LOG_NAME = "log.jsonl";
export const HEADER_NAME = "session.json";
/** File name of the list of checkpoints in the session's `checkpoints` folder. */
export const METADATA_NAME = "metadata.json";

export function sessionsFolder(root: string): string {
  return join(root, "sessions");
}

export function trashFolder(root: string): string {
  return join(root, "trash");
}

/**
 * Returns a session's paths. Checks the id before it becomes part of a path, so that `../../evil` is reported as an
 * unknown session and never used as a path.
 */
export function placesOf(root: string, session: SessionId): SessionPlaces {
  if (!isSessionId(session)) throw sessionUnknown(session);
  return placesIn(join(sessionsFolder(root), session), session);
}

export function placesIn(folder: string, session: SessionId): SessionPlaces {
  return {
    session,
    folder,
    log: join(folder, LOG_NAME),
    header: join(folder, HEADER_NAME),
    index: join(folder, "index"),
    lock: join(folder, "lock"),
    blobs: join(folder, "blobs"),
    checkpoints: join(folder, "checkpoints"),
    outputs: join(folder, "outputs"),
  };
}

/** One of a log's files. A file's number does not change when the file is rotated. */
export interface LogFile {
  readonly number: number;
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly identity: string;
}

export interface LogFiles {
  /** The files in the order of their lines. The live file, if it exists, comes last. */
  readonly files: readonly LogFile[];
  /** The names of files that must have existed but are missing. */
  readonly missing: readonly string[];
  /** The path of a second name for the live file, left behind by an incomplete rotation. */
  readonly leftover: string | undefined;
  /** The number that the live file has, or would have if it existed. */
  readonly liveNumber: number;
}

const ROTATED_NAME = /^log\.jsonl\.([1-9]\d{0,4})$/;

export function rotatedPath(places: SessionPlaces, number: number): string {
  return `${places.log}.${number}`;
}

/**
 * Finds a log's files. A second name for the live file is not treated as a separate file, because it refers to the same
 * bytes.
 */
export function listLogFiles(disk: Disk, places: SessionPlaces): LogFiles {
  const live = disk.stat(places.log);
  const all = rotatedNumbers(disk, places).flatMap((number) => {
    const path = rotatedPath(places, number);
    const stat = disk.stat(path);
    const name = `${LOG_NAME}.${number}`;
    return stat === undefined ? [] : [{ number, name, path, size: stat.size, identity: stat.identity }];
  });
  const leftover = all.find((file) => file.identity === live?.identity);
  const rotated = all.filter((file) => file !== leftover);
  const liveNumber = (rotated.at(-1)?.number ?? 0) + 1;
  const missing = missingNumbers(rotated).map((number) => `${LOG_NAME}.${number}`);
  const files: LogFile[] = [...rotated];
  if (live === undefined) missing.push(LOG_NAME);
  else {
    const { size, identity } = live;
    files.push({ number: liveNumber, name: LOG_NAME, path: places.log, size, identity });
  }
  return { files, missing, leftover: leftover?.path, liveNumber };
}

function rotatedNumbers(disk: Disk, places: SessionPlaces): number[] {
  return namesInSession(disk, places)
    .flatMap((name) => {
      const number = ROTATED_NAME.exec(name)?.[1];
      return number === undefined ? [] : [Number(number)];
    })
    .sort((a, b) => a - b);
}

export function namesInSession(disk: Disk, places: SessionPlaces): string[] {
  try {
    return disk.list(places.folder);
  } catch (error) {
    throw isMissing(error)
      ? sessionUnknown(places.session)
      : readError(error, { what: "session-folder", of: places.session });
  }
}

/** Returns the path of the file with this number, whether it is still live or has been rotated. */
export function pathOfFile(disk: Disk, places: SessionPlaces, number: number): string {
  if (number === 0) return places.header;
  const rotated = join(places.folder, `${LOG_NAME}.${number}`);
  return disk.stat(rotated) === undefined ? places.log : rotated;
}

function missingNumbers(rotated: readonly LogFile[]): number[] {
  const there = new Set(rotated.map((file) => file.number));
  const highest = rotated.at(-1)?.number ?? 0;
  return Array.from({ length: highest }, (_, index) => index + 1).filter((number) => !there.has(number));
}

/** The position of a line's bytes. File 0 is the copy of the header. The log's own files are numbered from 1. */
export interface Place {
  readonly file: number;
  readonly offset: number;
  /** The length of the line without its newline. */
  readonly length: number;
}

const FIRST_ROOM = 1024;

/**
 * The position of every line in a log, by `seq`. Positions are kept in typed arrays, because 200,000 objects would take
 * more memory than the outline.
 */
export class Positions {
  #files = new Uint16Array(FIRST_ROOM);
  #offsets = new Float64Array(FIRST_ROOM);
  #lengths = new Uint32Array(FIRST_ROOM);
  #count = 0;

  get length(): number {
    return this.#count;
  }

  add(place: Place): void {
    if (this.#count === this.#files.length) this.reserve(this.#count * 2);
    this.#files[this.#count] = place.file;
    this.#offsets[this.#count] = place.offset;
    this.#lengths[this.#count] = place.length;
    this.#count += 1;
  }

  /** Adds a line that cannot be read, so that it keeps its number. */
  addGap(): void {
    this.add({ file: 0, offset: 0, length: 0 });
  }

  at(seq: number): Place | undefined {
    const length = this.#lengths[seq - 1] ?? 0;
    if (seq > this.#count || length === 0) return undefined;
    return { file: this.#files[seq - 1] ?? 0, offset: this.#offsets[seq - 1] ?? 0, length };
  }

  /** Returns the lines from `from` to `to` that have a position. */
  between(from: number, to: number): Placed[] {
    const found: Placed[] = [];
    for (let seq = Math.max(1, from); seq <= Math.min(to, this.#count); seq += 1) {
      const length = this.#lengths[seq - 1] ?? 0;
      if (length === 0) continue;
      const file = this.#files[seq - 1] ?? 0;
      found.push({ seq: toSeq(seq), file, offset: this.#offsets[seq - 1] ?? 0, length });
    }
    return found;
  }

  /** Reserves space for a known number of lines. */
  reserve(room: number): void {
    if (room <= this.#files.length) return;
    const files = new Uint16Array(room);
    files.set(this.#files);
    this.#files = files;
    const offsets = new Float64Array(room);
    offsets.set(this.#offsets);
    this.#offsets = offsets;
    const lengths = new Uint32Array(room);
    lengths.set(this.#lengths);
    this.#lengths = lengths;
  }
}

export interface Placed extends Place {
  readonly seq: Seq;
}

/** A fault at one position in the log. It becomes a `Damage` once its line number is known. */
export interface Fault extends Place {
  readonly why: FaultReason;
  /** Number of missing lines. Used only for "missing" and "cut-off". */
  readonly lines: number;
}

/** Reasons for faults. The order is part of the index's layout, so new reasons must be added at the end. */
export const FAULT_REASONS = [
  "checksum",
  "not-json",
  "not-utf8",
  "shape",
  "missing",
  "repeated",
  "header",
  "torn-tail",
  "displaced",
  "cut-off",
] as const;
export type FaultReason = LineFault | (typeof FAULT_REASONS)[number];
