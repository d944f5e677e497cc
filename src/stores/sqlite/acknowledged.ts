import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { readError } from "../../disk/disk.ts";
import type { Clock } from "../../ports/clock.ts";
import { isMissing } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const NAME_LENGTH = 32;
const NEXT_DIGITS = 16;
const SUM_DIGITS = 8;
const RECORD = /^([0-9a-z]{10}) (\d{16}) (\S{24}) ([0-9a-f]{8})$/;

export interface AcknowledgedOptions {
  /** The path of the database. */
  readonly path: string;
  /**
   * The folder that contains the notes. It is separate from the database, so that removing the database or replacing it
   * with an older copy does not affect the notes, and vice versa.
   */
  readonly folder: string;
  readonly clock: Clock;
}

/** The acknowledged entries of a session. */
export interface Acknowledged {
  /** The number of the line after the last acknowledged line. */
  readonly next: number;
  /** The time when the last line was acknowledged, in ISO 8601 format and UTC. */
  readonly at: string;
}

interface Note extends Acknowledged {
  readonly session: SessionId;
  readonly position: number;
}

/**
 * A file that records how many entries of each session in a database were acknowledged. A record is written after its
 * transaction is durable, so it never claims more entries than the database contained at that time. The file is not
 * synced, because a power loss can remove only a note, not an entry. A failure to write a note does not make an append
 * fail. Any number of processes may write to the file. If a session has several records, the highest number counts.
 */
export class AcknowledgedFile {
  readonly #options: AcknowledgedOptions;
  readonly #positions = new Map<SessionId, number>();
  /**
   * A descriptor for writing at any position in the file. It is not used for appending, because on Linux, a descriptor
   * that is opened for appending ignores the position.
   */
  #file: number | undefined;

  constructor(options: AcknowledgedOptions) {
    this.#options = options;
  }

  /**
   * Reads all notes. Throws STORE_UNREADABLE if reading fails, because unreadable notes must not be treated as if there
   * were none.
   */
  all(): ReadonlyMap<SessionId, Acknowledged> {
    const found = new Map<SessionId, Acknowledged>();
    for (const { session, next, at } of this.#read()) {
      if (next > (found.get(session)?.next ?? 0)) found.set(session, { next, at });
    }
    return found;
  }

  note(session: SessionId, next: number): void {
    try {
      this.#write(session, next);
    } catch {
      // The error is ignored, because the entries are in the database even if the disk is full or the home folder is
      // not writable.
      this.close();
    }
  }

  /** Removes the note for a session that was removed or was re-created with the same id. */
  drop(session: SessionId): void {
    try {
      for (const note of this.#read()) {
        if (note.session === session) this.#replace(note.position, this.#recordOf(session, 0));
      }
    } catch {
      this.close();
    }
  }

  /**
   * Starts over with the current state. Keeps the old notes under another name, because they contain all that is known
   * about the missing entries.
   */
  reset(now: ReadonlyMap<SessionId, number>): void {
    this.close();
    if (existsSync(this.#path)) renameSync(this.#path, `${this.#path}.accepted-${this.#options.clock.now()}`);
    for (const [session, next] of now) this.note(session, next);
  }

  close(): void {
    this.#positions.clear();
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
  }

  #write(session: SessionId, next: number): void {
    const record = this.#recordOf(session, next);
    if (!this.#positions.has(session)) {
      const known = this.#read().find((note) => note.session === session);
      if (known === undefined) {
        this.#add(record);
        return;
      }
      this.#positions.set(session, known.position);
    }
    this.#replace(this.#positions.get(session) ?? 0, record);
  }

  #replace(position: number, record: Buffer): void {
    this.#file ??= openSync(this.#path, "r+");
    writeSync(this.#file, record, 0, record.length, position);
  }

  /**
   * Appends a record. Another process may append at the same time, so the next write looks up the record's position
   * again.
   */
  #add(record: Buffer): void {
    mkdirSync(this.#options.folder, { recursive: true, mode: FOLDER_MODE });
    const file = openSync(this.#path, "a", FILE_MODE);
    try {
      // The record begins with a newline, because the previous line may be incomplete.
      writeSync(file, Buffer.concat([Buffer.from("\n"), record]));
    } finally {
      closeSync(file);
    }
  }

  #recordOf(session: SessionId, next: number): Buffer {
    const at = new Date(this.#options.clock.now()).toISOString();
    const body = `${session} ${String(next).padStart(NEXT_DIGITS, "0")} ${at}`;
    return Buffer.from(`${body} ${sumOf(body)}\n`, "latin1");
  }

  #read(): Note[] {
    let text: string;
    try {
      text = readFileSync(this.#path, "latin1");
    } catch (error) {
      if (isMissing(error)) return [];
      throw readError(error, { what: "database-notes", of: this.#options.path });
    }
    const notes: Note[] = [];
    let position = 0;
    for (const line of text.split("\n")) {
      const [, session, next, at = "", sum] = RECORD.exec(line) ?? [];
      if (sum !== undefined && sum === sumOf(line.slice(0, -SUM_DIGITS - 1))) {
        notes.push({ session: session as SessionId, next: Number(next), at, position });
      }
      position += line.length + 1;
    }
    return notes;
  }

  get #path(): string {
    const name = createHash("sha256").update(realPathOf(this.#options.path)).digest("hex");
    return join(this.#options.folder, name.slice(0, NAME_LENGTH));
  }
}

/**
 * Returns the real path of a database, so that each database has a single path regardless of the links that lead to it.
 * Works even if the database does not exist yet.
 */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    try {
      return join(realpathSync(dirname(path)), basename(path));
    } catch {
      return path;
    }
  }
}

function sumOf(text: string): string {
  return crc32(Buffer.from(text, "latin1")).toString(16).padStart(SUM_DIGITS, "0");
}
