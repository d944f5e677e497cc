import type { Disk } from "../../../disk/disk.ts";
import { writeAll } from "../../../disk/durable-files.ts";
import { SEGMENT_MAGIC } from "../format/segment-record.ts";
import type { Segment } from "../segment.ts";
import type { SegmentLock } from "./segment-lock.ts";

export interface LiveOptions {
  readonly disk: Disk;
  readonly segment: Segment;
  readonly lock: SegmentLock;
  /** Behind the last record that was acknowledged. */
  readonly end: number;
  /** Makes the segment's name durable. */
  readonly syncName: () => void;
  readonly name: "durable" | "new";
}

/**
 * The segment that a store adds to, and how far it is acknowledged.
 *
 * A batch that fails leaves no trace: the file is cut back to the acknowledged end. When even that fails, or a
 * sync did (after which the kernel may have dropped the bytes and forgotten that it did), the file is opened
 * anew and cut back before anything else is written.
 */
export class LiveSegment {
  readonly segment: Segment;
  readonly #disk: Disk;
  readonly #lock: SegmentLock;
  readonly #syncName: () => void;
  #end: number;
  #file: number | undefined;
  /** Whether bytes of a failed batch may stand behind the end. */
  #state: "sound" | "to-cut-back" = "sound";
  #isNameDurable: boolean;

  constructor({ disk, segment, lock, end, syncName, name }: LiveOptions) {
    this.#disk = disk;
    this.segment = segment;
    this.#lock = lock;
    this.#end = end;
    this.#syncName = syncName;
    this.#isNameDurable = name === "durable";
  }

  get end(): number {
    return this.#end;
  }

  /** One write and one sync. Returns where the first of the bytes stands; throws when they are not durable. */
  append(bytes: Buffer): number {
    if (!this.#isNameDurable) {
      this.#syncName();
      this.#isNameDurable = true;
    }
    const file = this.#open();
    const start = this.#end === 0 ? SEGMENT_MAGIC.length : this.#end;
    try {
      writeAll(this.#disk, file, this.#end === 0 ? Buffer.concat([SEGMENT_MAGIC, bytes]) : bytes);
      this.#disk.sync(file);
    } catch (error) {
      this.#cutBack(file);
      throw error;
    }
    this.#end = start + bytes.length;
    return start;
  }

  /** Lets others go on from here. What a failed batch left is removed first. May be called again when it throws. */
  release(): void {
    if (this.#state === "to-cut-back") this.#open();
    this.#close();
    this.#lock.release();
    this.segment.disown();
  }

  #open(): number {
    if (this.#file !== undefined) return this.#file;
    const file = this.#disk.open(this.segment.places.segment, "append");
    try {
      if (this.#state === "to-cut-back") {
        this.#disk.truncate(file, this.#end);
        this.#disk.sync(file);
      }
    } catch (error) {
      this.#disk.close(file);
      throw error;
    }
    this.#state = "sound";
    this.#file = file;
    return file;
  }

  #close(): void {
    if (this.#file === undefined) return;
    const file = this.#file;
    this.#file = undefined;
    this.#disk.close(file);
  }

  #cutBack(file: number): void {
    this.#state = "to-cut-back";
    this.#file = undefined;
    try {
      try {
        this.#disk.truncate(file, this.#end);
      } finally {
        this.#disk.close(file);
      }
    } catch {
      // The next batch begins by cutting back. The first error is the one to report.
    }
  }
}
