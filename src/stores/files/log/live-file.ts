import type { Disk } from "../../../disk/disk.ts";
import { writeAll } from "../../../disk/durable-files.ts";
import { isWorldlineError } from "../../../record/error.ts";

export interface KnownFile {
  /** Behind the last whole line. */
  readonly end: number;
  readonly size: number;
  readonly identity: string;
}

/**
 * The file that a session's lines are added to, and how far it is acknowledged.
 *
 * An append that fails leaves no trace: the file is cut back to the acknowledged end. When
 * even that fails, or a sync did (after which the kernel may have dropped the bytes and
 * forgotten that it did), the file is closed, and the next append begins by opening it anew,
 * cutting it back, and writing all of its own bytes.
 */
export class LiveFile {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #identity: string;
  readonly #fence: () => void;
  #end: number;
  /** More than `#end` only until torn bytes behind it have been set aside. */
  #size: number;
  #file: number | undefined;
  #isSound = true;

  /** `fence` throws if the right to write is another's by now. */
  constructor(disk: Disk, path: string, known: KnownFile, fence: () => void = () => undefined) {
    this.#disk = disk;
    this.#path = path;
    this.#end = known.end;
    this.#size = known.size;
    this.#identity = known.identity;
    this.#fence = fence;
  }

  /** Where the next line will stand. */
  get end(): number {
    return this.#end;
  }

  get identity(): string {
    return this.#identity;
  }

  /** False when a failed append may have left something. */
  get isSound(): boolean {
    return this.#isSound;
  }

  /** Whether someone else wrote to the file, or put another in its place. */
  isChanged(): boolean {
    const stat = this.#disk.stat(this.#path);
    if (stat?.identity !== this.#identity) return true;
    // After a failure of our own, a longer file is our own remains.
    return this.#isSound ? stat.size !== this.#size : stat.size < this.#end;
  }

  /**
   * Returns when the bytes are durable; throws when they are not, and then none of them is acknowledged. Whether the right to write is
   * still ours is asked with the file open, and again when it is written: whoever takes it over from a living owner first puts
   * another file in the place of this one.
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

  /** Removes what a failed append may have left; nothing to do after one that did not fail. */
  settle(): void {
    this.#open();
  }

  /** Whether this is more than a note of where the file ends: it is written to, or must be cut back. */
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

  /** Throws if the right to write was lost meanwhile. Then the file is no longer ours to cut back; after any other error it is. */
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
      // The next append cuts it back: `#isSound` says so. The first error is the one to report.
    }
  }
}
