import type { Disk } from "../../../disk/disk.ts";
import { writeAll } from "../../../disk/durable-files.ts";

/** Lines are gathered to about this size before they are written. */
const WRITE_BYTES = 1024 * 1024;

/** Writes many lines to one file with few calls. */
export class LineWriter {
  readonly #disk: Disk;
  readonly #file: number;
  #lines: Uint8Array[] = [];
  #size = 0;

  constructor(disk: Disk, file: number) {
    this.#disk = disk;
    this.#file = file;
  }

  add(line: Uint8Array): void {
    this.#lines.push(line);
    this.#size += line.length;
    if (this.#size >= WRITE_BYTES) this.flush();
  }

  flush(): void {
    writeAll(this.#disk, this.#file, Buffer.concat(this.#lines));
    this.#lines = [];
    this.#size = 0;
  }
}
