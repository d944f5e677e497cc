import { closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type Libsql from "libsql";
import { WorldlineError } from "../../record/error.ts";
import type { SqlRow, SqlValue } from "../sql/database.ts";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Measured: docs/decisions/0015. Only a new file takes it on. */
const PAGE_SIZE = 16_384;

type Statement = Libsql.Statement<unknown[]>;

/** One connection to a file, with its statements: each text is prepared once. */
export class Connection {
  readonly #database: Libsql.Database;
  readonly #statements = new Map<string, Statement>();
  readonly #file: number;
  readonly #path: string;
  #isForWriting = false;

  private constructor(database: Libsql.Database, path: string) {
    this.#database = database;
    this.#path = path;
    this.#file = statSync(path).ino;
  }

  static async open(path: string): Promise<Connection> {
    const Database = await loadLibsql();
    return new Connection(new Database(path), path);
  }

  /** A file that was moved away takes all that is written to it with it, and nobody would notice. */
  get isCurrent(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#file;
  }

  /** Whoever only looks leaves the file as it is. */
  prepareForWriting(): void {
    if (this.#isForWriting) return;
    this.all(`PRAGMA page_size = ${PAGE_SIZE}`);
    this.all("PRAGMA journal_mode = WAL");
    this.all("PRAGMA synchronous = FULL");
    // What is forgotten is overwritten, not only unlinked.
    this.all("PRAGMA secure_delete = ON");
    this.#isForWriting = true;
  }

  all(text: string, values: readonly SqlValue[] = []): readonly SqlRow[] {
    // An array always: libsql ends the whole process when it is given bytes alone.
    return this.#prepared(text)
      .all([...values])
      .map(plainRow);
  }

  run(text: string, values: readonly SqlValue[] = []): number {
    return this.#prepared(text).run([...values]).changes;
  }

  /** Begins or ends a transaction. Not kept prepared: libsql leaves a BEGIN that was refused half done, and no COMMIT passes it. */
  control(text: "BEGIN" | "BEGIN IMMEDIATE" | "COMMIT" | "ROLLBACK"): void {
    this.#database.exec(text);
  }

  get isInTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** Puts into the file itself what stands beside it. Where another one reads, that is left to later: "busy". */
  checkpoint(): "done" | "busy" {
    return this.all("PRAGMA wal_checkpoint(TRUNCATE)")[0]?.["busy"] === 0 ? "done" : "busy";
  }

  close(): void {
    if (this.#isForWriting) this.checkpoint();
    this.#statements.clear();
    this.#database.close();
  }

  #prepared(text: string): Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

/** Makes the file, empty and its owner's alone, where there is none. */
export function makeFile(path: string): void {
  if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
  closeSync(openSync(path, "a", FILE_MODE));
}

async function loadLibsql(): Promise<typeof Libsql> {
  try {
    return (await import("libsql")).default;
  } catch (cause) {
    throw new WorldlineError(
      "STORE_UNREADABLE",
      "SQLite could not be loaded: the package libsql is not there.",
      {
        hint: "Install it for this machine: npm install libsql. Or keep sessions in files: --store files",
        cause,
      },
    );
  }
}

/** Only columns, and bytes as one type of the three that libsql gives. */
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
