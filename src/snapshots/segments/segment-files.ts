import type { Disk } from "../../disk/disk.ts";
import { readRange } from "../../disk/durable-files.ts";
import { segmentPlaces } from "./segment-places.ts";

/** So many files are kept open, those used last. A restore reads thousands of objects out of a few segments. */
const MOST_OPEN = 16;

/** The segments of a folder, open to read. */
export class SegmentFiles {
  readonly #disk: Disk;
  readonly #folder: string;
  /** The one used last is the last. */
  readonly #open = new Map<string, number>();

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
  }

  read(id: string, position: number, length: number): Buffer {
    return readRange(this.#disk, this.#file(id), { position, length });
  }

  close(id: string): void {
    const file = this.#open.get(id);
    if (file === undefined) return;
    this.#open.delete(id);
    this.#disk.close(file);
  }

  closeAll(): void {
    for (const id of [...this.#open.keys()]) this.close(id);
  }

  #file(id: string): number {
    const known = this.#open.get(id);
    const file = known ?? this.#disk.open(segmentPlaces(this.#folder, id).segment, "read");
    if (known !== undefined) this.#open.delete(id);
    this.#open.set(id, file);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_OPEN && oldest !== undefined) this.close(oldest);
    return file;
  }
}
