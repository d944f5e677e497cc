import { realpathSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { readError, writeError } from "../../disk/disk.ts";
import { SerialQueue } from "../../disk/lock.ts";
import type { Clock } from "../../ports/clock.ts";
import { errnoOf, WorldlineError } from "../../record/error.ts";
import type { Database, Transaction } from "../sql/database.ts";
import { Connection, makeFile } from "./connection.ts";
import {
  type Attempted,
  BesideLost,
  beingRead,
  besideReplaced,
  isBusy,
  isShutOut,
  mayBeBesideLost,
  sqliteError,
  toBeTriedAgain,
} from "./sqlite-error.ts";

interface SqliteDatabaseOptions {
  /** The path of the file. It must be absolute, because a relative path could be mistaken for an address. */
  readonly path: string;
  readonly clock: Clock;
  /** Maximum time to wait for other writers. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 10_000;
/**
 * Maximum time to wait for readers. Readers either finish within moments, or keep the file open, in which case waiting
 * does not help.
 */
const SCRUB_PATIENCE_MS = 2_000;
const FIRST_PAUSE_MS = 1;
const MAX_PAUSE_MS = 100;

type Work<Result> = (transaction: Transaction) => Promise<Result>;

/**
 * Uses a SQLite file as a database. SQLite itself never waits for other connections, because that would block the whole
 * process, and the other connection may be in the same process.
 */
export class SqliteDatabase implements Database {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #patienceMs: number;
  #connection: Connection | undefined;
  /**
   * Whether this object has ever opened the file. If the file is later missing, it was removed and must not be created
   * again.
   */
  #wasOpen = false;
  /** The copy that was saved after the -wal with the newest data had been replaced. */
  #copy: string | undefined;
  /** Queues transactions so that they run one at a time on the single connection. */
  readonly #queue = new SerialQueue();

  constructor({ path, clock, patienceMs = PATIENCE_MS }: SqliteDatabaseOptions) {
    this.#path = path;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  async exists(): Promise<boolean> {
    return kindOf(this.#path) === "file";
  }

  async read<Result>(work: Work<Result>): Promise<Result> {
    return this.#queue.run(async () =>
      this.#patiently("reading", async () => this.#besideItsOwn(async () => this.#read(work))),
    );
  }

  async write<Result>(work: Work<Result>): Promise<Result> {
    return this.#queue.run(async () =>
      this.#patiently("writing", async () => this.#besideItsOwn(async () => this.#write(work))),
    );
  }

  async scrub(): Promise<void> {
    await this.#queue.run(async () =>
      this.#patiently(
        "writing",
        async () => {
          const connection = await this.#connect("writing");
          this.#putInOrder(connection);
          if (connection !== this.#connection) return;
          connection.prepareForWriting();
          connection.rebuild();
          if (connection.checkpoint() === "busy") throw beingRead();
        },
        Math.min(SCRUB_PATIENCE_MS, this.#patienceMs),
      ),
    );
  }

  /** Uses this machine's clock, because all programs that use the file run on this machine. */
  async now(): Promise<number> {
    return this.#clock.now();
  }

  async close(): Promise<void> {
    await this.#queue.run(async () => {
      try {
        this.#end();
      } catch {
        // The error is ignored, because a failed checkpoint does not lose data, and the next program that opens the
        // file runs the checkpoint again.
      }
      this.#connection = undefined;
    });
  }

  #end(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    // Closing the connection would make SQLite remove the -wal of another connection.
    if (connection.beside === "replaced") this.#saved(connection);
    else if (connection.isCurrent) connection.close();
    else connection.abandon();
  }

  async #patiently<Result>(
    doing: Attempted["doing"],
    work: () => Promise<Result>,
    patienceMs = this.#patienceMs,
  ): Promise<Result> {
    const attempted = { path: this.#path, doing };
    const deadline = this.#clock.now() + patienceMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 2)) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error)) throw sqliteError(error, attempted);
        if (this.#clock.now() >= deadline) {
          const seconds = Math.round(patienceMs / 1000);
          throw new WorldlineError("database-busy", { path: this.#path, seconds }, { cause: error });
        }
        await this.#clock.wait(pause);
      }
    }
  }

  /** Runs the work. If the -wal or -shm that was open no longer exists, recovers the data and runs the work again. */
  async #besideItsOwn<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const connection = this.#connection;
      const isLost = connection !== undefined && mayBeBesideLost(error) && connection.beside !== "same";
      if (!isLost) throw error;
      this.#putInOrder(connection);
    }
    return work();
  }

  async #read<Result>(work: Work<Result>): Promise<Result> {
    try {
      return await run(await this.#connect("reading"), "BEGIN", work);
    } catch (error) {
      if (!isShutOut(error)) throw error;
      return readStill({ path: this.#path, cause: error }, async (still) => run(still, "BEGIN", work));
    }
  }

  async #write<Result>(work: Work<Result>): Promise<Result> {
    const connection = await this.#connect("writing");
    connection.prepareForWriting();
    return run(connection, "BEGIN IMMEDIATE", work);
  }

  /**
   * Saves the data in a -wal that was removed or replaced. All of the data still exists as long as the connection is
   * open.
   */
  #putInOrder(connection: Connection): void {
    const state = connection.beside;
    if (state === "same") return;
    if (state === "replaced") throw besideReplaced(this.#path, this.#saved(connection));
    if (state === "removed" && connection.checkpoint() === "busy") throw beingRead();
    connection.abandon();
    this.#connection = undefined;
  }

  #saved(connection: Connection): string | undefined {
    if (this.#copy !== undefined) return this.#copy;
    const copy = `${this.#path}.saved-${this.#clock.now()}`;
    try {
      connection.copyTo(copy);
      this.#copy = copy;
    } catch {
      // Nothing can be saved, because the data can no longer be read.
      rmSync(copy, { force: true });
    }
    return this.#copy;
  }

  async #connect(doing: Attempted["doing"]): Promise<Connection> {
    if (this.#connection?.isCurrent === true) return this.#connection;
    this.#connection?.abandon();
    this.#connection = undefined;
    const kind = kindOf(this.#path);
    if (kind === "none" && (this.#wasOpen || doing === "reading")) throw gone(this.#path, doing);
    if (kind === "none") this.#make();
    this.#connection = await Connection.open(this.#path);
    this.#wasOpen = true;
    return this.#connection;
  }

  #make(): void {
    try {
      makeFile(this.#path);
    } catch (error) {
      throw writeError(error, { what: "database", of: this.#path });
    }
  }
}

async function run<Result>(
  connection: Connection,
  begin: "BEGIN" | "BEGIN IMMEDIATE",
  work: Work<Result>,
): Promise<Result> {
  connection.control(begin);
  try {
    if (begin === "BEGIN IMMEDIATE") {
      connection.noticeBeside();
      if (connection.beside !== "same") throw new BesideLost();
    }
    const result = await work({
      all: async (text, values) => connection.all(text, values),
      run: async (text, values) => connection.run(text, values),
    });
    connection.noticeBeside();
    connection.control("COMMIT");
    return result;
  } catch (error) {
    // If the disk is full, SQLite has already rolled back.
    if (connection.isInTransaction) connection.control("ROLLBACK");
    throw error;
  }
}

function kindOf(path: string): "file" | "none" {
  let stats: ReturnType<typeof statSync>;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === "ENOTDIR") return "none";
    throw readError(error, { what: "database", of: path });
  }
  if (stats === undefined) return "none";
  if (stats.isFile()) return "file";
  throw new WorldlineError("not-a-database-file", { path, kind: stats.isDirectory() ? "folder" : "other" });
}

function gone(path: string, doing: Attempted["doing"]): WorldlineError {
  return doing === "writing"
    ? new WorldlineError("database-gone-while-writing", { path })
    : new WorldlineError("database-gone-while-reading", { path });
}

/** A file that SQLite refused to read, with SQLite's error. */
interface ShutOut {
  readonly path: string;
  readonly cause: unknown;
}

/**
 * Reads a file in a folder that SQLite is not allowed to write to, such as another user's folder. Works only while no
 * program writes to the file, because otherwise, some of the data is not in the file itself. If the file changes while
 * it is being read, discards the result and throws an error that makes the caller try again.
 */
export async function readStill<Result>(
  { path, cause }: ShutOut,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const before = lookOf(path);
  if (before === undefined) throw cause;
  const connection = await Connection.openStill(path);
  try {
    const result = await work(connection);
    if (lookOf(path) !== before) throw toBeTriedAgain(cause);
    return result;
  } catch (error) {
    throw lookOf(path) === before ? error : toBeTriedAgain(error);
  } finally {
    connection.abandon();
  }
}

/**
 * Returns a string that identifies the state of the file. Returns undefined if there is a -wal with content, or if the
 * state cannot be determined.
 */
function lookOf(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    if ((statSync(`${real}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return undefined;
    const { ino, size, mtimeNs, ctimeNs } = statSync(real, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(".");
  } catch {
    return undefined;
  }
}

const MAX_FOUND = 5;

/**
 * Returns the first few faults that SQLite itself finds in the pages of a file, in SQLite's own words. Returns an empty
 * array if the file does not exist.
 */
export async function pageDamage(path: string, clock: Clock): Promise<readonly string[]> {
  const database = new SqliteDatabase({ path: resolve(path), clock });
  try {
    if (!(await database.exists())) return [];
    const rows = await database.read(async (transaction) =>
      transaction.all(`PRAGMA quick_check(${MAX_FOUND})`),
    );
    return rows
      .flatMap((row) => String(Object.values(row)[0]).split("\n"))
      .filter((line) => line !== "ok" && !/^\*\*\*/u.test(line))
      .slice(0, MAX_FOUND);
  } finally {
    await database.close();
  }
}
