import { closeSync, fstatSync, openSync, realpathSync, type Stats, statSync } from "node:fs";

/**
 * "removed": nobody has begun another one, so what a connection has in it can still be put into the database. "renewed":
 * somebody did that already. "replaced": it is another one, and what is in the old one is nowhere else.
 */
export type BesideState = "same" | "removed" | "renewed" | "replaced";

/**
 * What a connection has open beside its database: the -wal, in which all that is newest stands, and the -shm, by which all
 * connections agree about it. SQLite goes on with files that were removed, and what it writes to them ends with it.
 */
export class Beside {
  readonly #path: string;
  /** Kept open, so that no other file gets its number. Nobody locks a -wal, so closing it takes no lock away. */
  readonly #wal: number;
  readonly #walInode: number;
  readonly #shmInode: number;

  private constructor(path: string, wal: number, shm: Stats) {
    this.#path = path;
    this.#wal = wal;
    this.#walInode = fstatSync(wal).ino;
    this.#shmInode = shm.ino;
  }

  /** Undefined where the two are not there: then they were removed, or the database needs none. */
  static of(path: string): Beside | undefined {
    try {
      const real = realpathSync(path);
      const shm = statSync(`${real}-shm`);
      return new Beside(real, openSync(`${real}-wal`, "r"), shm);
    } catch {
      return undefined;
    }
  }

  get state(): BesideState {
    const wal = statSync(`${this.#path}-wal`, { throwIfNoEntry: false });
    if (wal?.ino === this.#walInode) return "same";
    const shm = statSync(`${this.#path}-shm`, { throwIfNoEntry: false });
    const isAgreed = shm?.ino === this.#shmInode;
    if (wal === undefined) return isAgreed || shm === undefined ? "removed" : "replaced";
    if (!isAgreed) return "replaced";
    if (wal.size === 0) return "removed";
    return fstatSync(this.#wal).size === 0 ? "renewed" : "replaced";
  }

  close(): void {
    closeSync(this.#wal);
  }
}
