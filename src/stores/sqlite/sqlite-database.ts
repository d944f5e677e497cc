import { statSync } from "node:fs";
import { errnoOf } from "../../disk/disk.ts";
import { readError, writeError } from "../../disk/disk-error.ts";
import type { Clock } from "../../ports/clock.ts";
import { WorldlineError } from "../../record/error.ts";
import type { Database, Transaction } from "../sql/database.ts";
import { Connection, makeFile } from "./connection.ts";
import { type Attempted, beingRead, isBusy, sqliteError, stayedBusy } from "./sqlite-error.ts";

export interface SqliteDatabaseOptions {
  /** Absolute: a relative one could be taken for an address. */
  readonly path: string;
  readonly clock: Clock;
  /** How long to wait for others who write. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 10_000;
/** Others read for moments, or as long as they are open: then waiting is of no use. */
const SCRUB_PATIENCE_MS = 2_000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 100;

type Work<Result> = (transaction: Transaction) => Promise<Result>;

/**
 * A file as a database. SQLite itself never waits for others: it would stop the whole process meanwhile, and the
 * other one may be in this very process.
 */
export class SqliteDatabase implements Database {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #patienceMs: number;
  #connection: Connection | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ path, clock, patienceMs = PATIENCE_MS }: SqliteDatabaseOptions) {
    this.#path = path;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  async exists(): Promise<boolean> {
    return kindOf(this.#path) === "file";
  }

  async read<Result>(work: Work<Result>): Promise<Result> {
    return this.#inTurn(async () => this.#patiently("reading", async () => this.#run("BEGIN", work)));
  }

  async write<Result>(work: Work<Result>): Promise<Result> {
    return this.#inTurn(async () =>
      this.#patiently("writing", async () => {
        (await this.#connect("writing")).prepareForWriting();
        return this.#run("BEGIN IMMEDIATE", work);
      }),
    );
  }

  async scrub(): Promise<void> {
    await this.#inTurn(async () =>
      this.#patiently(
        "writing",
        async () => {
          if ((await this.#connect("writing")).checkpoint() === "busy") throw beingRead();
        },
        Math.min(SCRUB_PATIENCE_MS, this.#patienceMs),
      ),
    );
  }

  /** Everyone who has the file open is on this machine. */
  async now(): Promise<number> {
    return this.#clock.now();
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => {
      try {
        this.#connection?.close();
      } catch {
        // What is durable stays durable: the next one who opens the file puts it in order.
      }
      this.#connection = undefined;
    });
  }

  /** One after the other: there is one connection, and a transaction is the connection's. */
  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #patiently<Result>(
    doing: Attempted["doing"],
    work: () => Promise<Result>,
    patienceMs = this.#patienceMs,
  ): Promise<Result> {
    const attempted = { path: this.#path, doing };
    const deadline = this.#clock.now() + patienceMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error)) throw sqliteError(error, attempted);
        if (this.#clock.now() >= deadline) throw stayedBusy(attempted, patienceMs, error);
        await this.#clock.wait(pause);
      }
    }
  }

  async #run<Result>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: Work<Result>): Promise<Result> {
    const connection = await this.#connect("reading");
    connection.control(begin);
    try {
      const result = await work({
        all: async (text, values) => connection.all(text, values),
        run: async (text, values) => connection.run(text, values),
      });
      connection.control("COMMIT");
      return result;
    } catch (error) {
      // A full disk has rolled back by itself.
      if (connection.isInTransaction) connection.control("ROLLBACK");
      throw error;
    }
  }

  async #connect(doing: Attempted["doing"]): Promise<Connection> {
    if (this.#connection?.isCurrent === true) return this.#connection;
    const wasOpen = this.#connection !== undefined;
    this.#connection = undefined;
    const kind = kindOf(this.#path);
    if (kind === "none" && (wasOpen || doing === "reading")) throw gone(this.#path, doing);
    if (kind === "none") this.#make();
    this.#connection = await Connection.open(this.#path);
    return this.#connection;
  }

  #make(): void {
    try {
      makeFile(this.#path);
    } catch (error) {
      throw writeError(error, `The database ${this.#path}`);
    }
  }
}

function kindOf(path: string): "file" | "none" {
  let stats: ReturnType<typeof statSync>;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === "ENOTDIR") return "none";
    throw readError(error, `The database ${path}`);
  }
  if (stats === undefined) return "none";
  if (stats.isFile()) return "file";
  throw new WorldlineError(
    "STORE_UNREADABLE",
    `${path} is ${stats.isDirectory() ? "a folder" : "no file"}.`,
    {
      hint: "A SQLite store is one file: name one, such as sqlite:sessions.db",
    },
  );
}

function gone(path: string, doing: Attempted["doing"]): WorldlineError {
  const code = doing === "writing" ? "STORE_UNWRITABLE" : "STORE_UNREADABLE";
  return new WorldlineError(code, `The database ${path} is not there any more.`, {
    hint: "Put the file back where it was, with its -wal file if there is one; it is not begun anew by itself.",
  });
}
