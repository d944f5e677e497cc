import { WorldlineError } from "../../record/error.ts";
import type { Database, Dialect, Transaction } from "./database.ts";

/** A database, with the migrations that bring its tables to this program's schema. */
export interface SchemaContext {
  readonly database: Database;
  readonly dialect: Dialect;
  /** The name that messages use for the database. */
  readonly name: string;
  readonly migrations: readonly Migration[];
}

/** Checks whether the tables exist and have the version that this program writes. */
export async function lookForSchema(context: SchemaContext): Promise<"there" | "outdated" | "absent"> {
  if (!(await context.database.exists())) return "absent";
  const version = await context.database.read(async (transaction) => versionOf(context, transaction));
  if (version === undefined) return "absent";
  return version < newest(context.migrations) ? "outdated" : "there";
}

/**
 * Throws if a newer program altered the tables while this program was running. Called before anything is written to the
 * tables.
 */
export async function checkVersion(context: SchemaContext, transaction: Transaction): Promise<void> {
  const [row] = await transaction.all("SELECT MAX(version) AS version FROM worldline_schema");
  const version = row?.["version"] as number;
  if (version > newest(context.migrations)) throw newer(context, version);
}

/**
 * Creates or updates the tables unless they are current. If several programs try this at the same time, only one of
 * them does the work.
 */
export async function migrate(context: SchemaContext, transaction: Transaction): Promise<"made"> {
  const { dialect } = context;
  for (const statement of dialect.alone) await transaction.all(statement);
  const version = await versionOf(context, transaction);
  const due = context.migrations.filter((migration) => migration.version > (version ?? 0));
  if (version === undefined) {
    await transaction.run(`CREATE TABLE worldline_schema (version ${dialect.whole} NOT NULL)`);
    await transaction.run("INSERT INTO worldline_schema (version) VALUES (0)");
  }
  for (const migration of due) {
    for (const statement of migration.statements(dialect)) await transaction.run(statement);
  }
  if (due.length > 0) {
    await transaction.run("UPDATE worldline_schema SET version = ?", [newest(context.migrations)]);
  }
  return "made";
}

/**
 * Returns the version of the tables, or undefined if they do not exist yet. Throws if this program cannot work with the
 * tables.
 */
async function versionOf(context: SchemaContext, transaction: Transaction): Promise<number | undefined> {
  const rows = await transaction.all(context.dialect.columns);
  const columns = new Set(rows.map((row) => `${row["table"]}.${row["column"]}`));
  if (columns.size === 0) return undefined;
  if (!columns.has("worldline_schema.version"))
    throw new WorldlineError("schema-of-another-program", { name: context.name });
  const versions = await transaction.all("SELECT version FROM worldline_schema");
  const version = versions[0]?.["version"];
  if (versions.length !== 1 || typeof version !== "number")
    throw new WorldlineError("schema-of-another-program", { name: context.name });
  if (version > newest(context.migrations)) throw newer(context, version);
  if (missing(columns).length > 0)
    throw new WorldlineError("schema-of-another-program", { name: context.name });
  return version;
}

/**
 * Returns the columns that are missing. Each of our tables is recognized by one column, because another program may
 * have a table with the same name.
 */
function missing(columns: ReadonlySet<string>): readonly string[] {
  const known = ["sessions.rewrites", "lines.line", "blobs.content", "leases.token", "published.checkpoints"];
  return known.filter((column) => !columns.has(`worldline_${column}`));
}

export function newest(migrations: readonly Migration[]): number {
  return Math.max(...migrations.map((migration) => migration.version));
}

function newer({ name, migrations }: SchemaContext, version: number): WorldlineError {
  return new WorldlineError("schema-newer", { name, version, newest: newest(migrations) });
}

/** One step from a schema version to the next. A released migration is never changed. */
export interface Migration {
  readonly version: number;
  readonly statements: (dialect: Dialect) => readonly string[];
}

/**
 * The migrations to the current schema. In the tables, `session_key` distinguishes sessions with the same id. Only one
 * of these sessions can be outside the trash. Keys are random, so that two programs that create sessions at the same
 * time need not wait for each other.
 */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    statements: ({ whole, bytes, clustered }) => [
      `CREATE TABLE worldline_sessions (
        session_key ${whole} NOT NULL PRIMARY KEY,
        id TEXT NOT NULL,
        workspace TEXT NOT NULL,
        mode TEXT NOT NULL,
        next_seq ${whole} NOT NULL,
        rewrites ${whole} NOT NULL,
        trashed_at ${whole}
      )`,
      "CREATE UNIQUE INDEX worldline_sessions_id ON worldline_sessions (id) WHERE trashed_at IS NULL",
      `CREATE TABLE worldline_lines (
        session_key ${whole} NOT NULL,
        seq ${whole} NOT NULL,
        line ${bytes} NOT NULL,
        PRIMARY KEY (session_key, seq)
      )${clustered}`,
      `CREATE TABLE worldline_blobs (
        session_key ${whole} NOT NULL,
        hash TEXT NOT NULL,
        content ${bytes} NOT NULL,
        PRIMARY KEY (session_key, hash)
      )`,
      `CREATE TABLE worldline_leases (
        session_key ${whole} NOT NULL PRIMARY KEY,
        token TEXT NOT NULL,
        owner TEXT NOT NULL,
        expires_at ${whole} NOT NULL
      )`,
      `CREATE TABLE worldline_published (
        session_key ${whole} NOT NULL PRIMARY KEY,
        checkpoints TEXT NOT NULL
      )`,
    ],
  },
];
