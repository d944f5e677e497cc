import { dirname } from "node:path";
import { type Disk, errnoOf } from "./disk.ts";

/**
 * Folders whose names survive the loss of power. That a folder is there does not say that
 * its name is durable: the call that made it may have failed right after. So each is synced
 * once by each store that uses it; those above `root` only where we made them.
 */
export class DurableFolders {
  readonly #disk: Disk;
  readonly #root: string;
  readonly #durable = new Set<string>();
  readonly #made = new Set<string>();

  constructor(disk: Disk, root: string) {
    this.#disk = disk;
    this.#root = root;
  }

  /** Makes the folder and those above it, as far as they are not there. */
  make(path: string): void {
    const isThere = this.#disk.stat(path) !== undefined;
    const isOurs = path.startsWith(this.#root) || this.#made.has(path);
    if (isThere && (this.#durable.has(path) || !isOurs)) return;
    const above = dirname(path);
    this.make(above);
    if (!isThere) this.#makeOne(path);
    this.#disk.syncFolder(above);
    this.#durable.add(path);
  }

  #makeOne(path: string): void {
    this.#made.add(path);
    try {
      this.#disk.makeFolder(path);
    } catch (error) {
      // Another process was quicker.
      if (errnoOf(error) !== "EEXIST") throw error;
    }
  }
}
