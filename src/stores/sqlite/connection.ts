import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import type Libsql from "libsql";
import { APPLICATION_ID, holdDatabase } from "../../disk/own-database.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SqlRow, SqlValue } from "../sql/database.ts";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** The page size; docs/decisions/0015 explains the choice. The page size takes effect only in a new file. */
const PAGE_SIZE = 16_384;

type Statement = Libsql.Statement<unknown[]>;

/** A connection to a file, with its prepared statements. Each distinct statement is prepared only once. */
export class Connection {
  readonly #database: Libsql.Database;
  readonly #statements = new Map<string, Statement>();
  readonly #file: number;
  readonly #path: string;
  readonly #letGo: () => void;
  #isForWriting = false;
  #hasLog = false;
  #beside: Beside | undefined;

  private constructor(database: Libsql.Database, path: string) {
    this.#database = database;
    this.#path = path;
    const { ino, dev } = statSync(path);
    this.#file = ino;
    this.#letGo = holdDatabase({ inode: ino, device: dev });
  }

  static async open(path: string): Promise<Connection> {
    const Database = await loadLibsql();
    return new Connection(new Database(path), path);
  }

  /**
   * Opens a file that no program writes to, in a folder where SQLite cannot create a -wal and a -shm file. In this
   * mode, SQLite does not look for these files.
   */
  static async openStill(path: string): Promise<Connection> {
    const Database = await loadLibsql();
    return new Connection(new Database(`${pathToFileURL(path).href}?immutable=1`), path);
  }

  /** False if the file was moved or removed, in which case everything that is written to it would be silently lost. */
  get isCurrent(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#file;
  }

  /**
   * Sets up the file for writing. Must not be called for reading, because read-only operations must never change the
   * file.
   */
  prepareForWriting(): void {
    if (this.#isForWriting) return;
    this.#refuseForeign();
    this.all(`PRAGMA page_size = ${PAGE_SIZE}`);
    this.#sign();
    this.#hasLog = this.all("PRAGMA journal_mode = WAL")[0]?.["journal_mode"] === "wal";
    this.all("PRAGMA synchronous = FULL");
    // With this setting, SQLite overwrites deleted data instead of only unlinking it.
    this.all("PRAGMA secure_delete = ON");
    this.#isForWriting = true;
  }

  /**
   * Remembers the files next to the database. Must be called within a transaction, because SQLite may not have opened
   * the -wal before the transaction began.
   */
  noticeBeside(): void {
    this.#beside ??= Beside.of(this.#path);
  }

  /**
   * The state of the open -wal. It shows whether other connections will see what is written through this connection.
   */
  get beside(): BesideState {
    return this.#beside?.state ?? (this.#hasLog ? "removed" : "same");
  }

  all(text: string, values: readonly SqlValue[] = []): readonly SqlRow[] {
    // The values are always passed as an array, because libsql crashes the process if it is passed bytes directly.
    return this.#prepared(text)
      .all([...values])
      .map(plainRow);
  }

  run(text: string, values: readonly SqlValue[] = []): number {
    return this.#prepared(text).run([...values]).changes;
  }

  /**
   * Begins or ends a transaction. Does not prepare the statement, because if a prepared BEGIN is rejected, libsql
   * leaves it half done, and no later COMMIT succeeds.
   */
  control(text: "BEGIN" | "BEGIN IMMEDIATE" | "COMMIT" | "ROLLBACK" | "VACUUM"): void {
    this.#database.exec(text);
  }

  get isInTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** Moves the content of the -wal into the file. Returns "busy" if another connection is reading and prevents this. */
  checkpoint(): "done" | "busy" {
    return this.all("PRAGMA wal_checkpoint(TRUNCATE)")[0]?.["busy"] === 0 ? "done" : "busy";
  }

  /**
   * Writes all rows to new pages. If rows were moved between pages, their old bytes may otherwise remain in the free
   * space between rows, which `secure_delete` does not reach.
   */
  rebuild(): void {
    this.control("VACUUM");
  }

  /** Writes everything that this connection sees to a new file. */
  copyTo(path: string): void {
    makeFile(path);
    this.all("VACUUM INTO ?", [path]);
  }

  close(): void {
    try {
      if (this.#isForWriting) this.checkpoint();
    } finally {
      this.abandon();
    }
  }

  /** Closes the connection without a checkpoint, because the files at its paths may have been replaced. */
  abandon(): void {
    this.#statements.clear();
    this.#beside?.close();
    this.#beside = undefined;
    this.#database.close();
    this.#letGo();
  }

  #refuseForeign(): void {
    const [row] = this.all(
      `SELECT COUNT(*) AS others, SUM(substr(name, 1, 10) = 'worldline_') AS ours
        FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'`,
    );
    const isForeign = row?.["others"] !== 0 && row?.["ours"] === 0;
    if (!isForeign) return;
    throw new WorldlineError("database-of-another-program", { path: this.#path });
  }

  /**
   * Writes the application id. Must be called before a -wal exists, so that the file itself identifies its program from
   * the beginning.
   */
  #sign(): void {
    if (this.all("PRAGMA application_id")[0]?.["application_id"] !== 0) return;
    this.all(`PRAGMA application_id = ${APPLICATION_ID}`);
    if (this.all("PRAGMA journal_mode")[0]?.["journal_mode"] === "wal") this.checkpoint();
  }

  #prepared(text: string): Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

/** Creates an empty file that only its owner can access, unless the file already exists. */
export function makeFile(path: string): void {
  if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
  closeSync(openSync(path, "a", FILE_MODE));
}

async function loadLibsql(): Promise<typeof Libsql> {
  try {
    return (await import("libsql")).default;
  } catch (cause) {
    throw new WorldlineError("libsql-missing", {}, { cause });
  }
}

/** Copies only the columns, and converts the three types that libsql may use to return bytes to a single type. */
function plainRow(row: unknown): SqlRow {
  const plain: Record<string, SqlValue> = {};
  for (const [name, value] of Object.entries(row as Record<string, unknown>)) {
    if (name !== "_metadata") plain[name] = plainValue(value);
  }
  return plain;
}

function plainValue(value: unknown): SqlValue {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (value instanceof Uint8Array) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return value as SqlValue;
}

/**
 * What happened to the -wal that was open. "removed" means that there is no new -wal, so the content of the old -wal
 * can still be moved into the database. "renewed" means that another connection has already moved it. "replaced" means
 * that there is a new -wal, and that the content of the old -wal exists nowhere else.
 */
type BesideState = "same" | "removed" | "renewed" | "replaced";

/**
 * The files that a connection has open next to its database: the -wal with the newest pages, and the -shm, which
 * coordinates all connections. SQLite keeps using these files even after they have been removed, and everything that it
 * then writes to them is lost.
 */
class Beside {
  readonly #path: string;
  /**
   * The descriptor of the -wal. It is kept open so that no other file can be given the same inode. SQLite never locks a
   * -wal, so closing this descriptor does not release a lock.
   */
  readonly #wal: number;
  readonly #walInode: number;
  readonly #shmInode: number;

  private constructor(path: string, wal: number, shm: Stats) {
    this.#path = path;
    this.#wal = wal;
    this.#walInode = fstatSync(wal).ino;
    this.#shmInode = shm.ino;
  }

  /**
   * Opens the files. Returns undefined if the files do not exist, either because they were removed or because the
   * database does not need them.
   */
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
