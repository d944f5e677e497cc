import { WorldlineError } from "../../record/error.ts";

/** The operation during which SQLite failed. */
export interface Attempted {
  readonly path: string;
  readonly doing: "reading" | "writing";
}

const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB|FORMAT)/;
const SHUT_OUT = /^SQLITE_(?:READONLY|CANTOPEN)/;
const BUSY = /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/;
/**
 * libsql does not name all of SQLite's errors. If it reports a number instead, the low byte of the number is the kind
 * of error.
 */
const UNNAMED = /^UNKNOWN_SQLITE_ERROR_(\d+)$/;
/** An error that occurs when a file is opened does not have a code, but its message ends with SQLite's number. */
const CONNECTION_FAILED = /^ConnectionFailed\(.*: (\d+)"\)$/s;
const BY_NUMBER: Readonly<Record<string, string>> = {
  5: "SQLITE_BUSY",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  23: "SQLITE_AUTH",
  26: "SQLITE_NOTADB",
};

/** Checks whether the error means that another connection is using the file, in which case waiting may help. */
export function isBusy(error: unknown): boolean {
  return BUSY.test(codeOf(error) ?? "");
}

/**
 * Creates the error for a -wal that could not be emptied because of other connections. SQLite itself does not report an
 * error in this case.
 */
export function beingRead(): Error {
  return Object.assign(new Error("other connections are still using the write-ahead log"), {
    code: "SQLITE_BUSY",
  });
}

/** Thrown if the -wal that was open is no longer the current -wal. */
export class BesideLost extends Error {}

/**
 * Checks whether the error may mean that another process has truncated the open files, in which case reads return less
 * data than expected.
 */
export function mayBeBesideLost(error: unknown): boolean {
  return error instanceof BesideLost || codeOf(error)?.startsWith("SQLITE_IOERR") === true;
}

/** Marks an error as worth retrying, like the error for a file that another connection is using. */
export function toBeTriedAgain(cause: unknown): Error {
  return Object.assign(new Error("the database has changed in the meantime", { cause }), {
    code: "SQLITE_BUSY",
  });
}

/** Checks whether SQLite could not write the files next to the database. SQLite needs these files even for reading. */
export function isShutOut(error: unknown): boolean {
  return SHUT_OUT.test(codeOf(error) ?? "");
}

/** Converts SQLite's errors to errors in the contract. Returns all other errors unchanged. */
export function sqliteError(error: unknown, attempted: Attempted): unknown {
  if (error instanceof BesideLost) return besideReplaced(attempted.path, undefined);
  const code = codeOf(error);
  if (error instanceof WorldlineError || code === undefined) return error;
  const { path, doing } = attempted;
  const said = error instanceof Error ? error.message : "";
  const [refused, details] = [{ path, code, said }, { cause: error }];
  if (code === "SQLITE_FULL") return new WorldlineError("database-full", { path, code }, details);
  if (code === "SQLITE_NOTADB") return new WorldlineError("not-sqlite", { path }, details);
  if (DAMAGED.test(code)) return new WorldlineError("database-damaged", { path, code }, details);
  // Files that a killed process had left behind were removed while this process had the database open.
  if (code === "SQLITE_IOERR_SHORT_READ") return besideReplaced(path, undefined, doing);
  if (doing === "writing" && code !== "SQLITE_ERROR") {
    return new WorldlineError("database-unwritable", refused, details);
  }
  if (SHUT_OUT.test(code)) return new WorldlineError("database-closed-to-us", refused, details);
  return new WorldlineError("database-unreadable", refused, details);
}

/**
 * Creates the error for files that were replaced. If the earlier data is not in the database file, `copy` is the path
 * where it was saved.
 */
export function besideReplaced(
  path: string,
  copy: string | undefined,
  doing: Attempted["doing"] = "writing",
): WorldlineError {
  return doing === "writing"
    ? new WorldlineError("database-replaced-while-writing", { path, copy })
    : new WorldlineError("database-replaced-while-reading", { path, copy });
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code.startsWith("SQLITE_")) return code;
  const unnamed = UNNAMED.exec(code)?.[1];
  if (unnamed !== undefined) return BY_NUMBER[Number(unnamed) & 0xff] ?? "SQLITE_ERROR";
  const number = CONNECTION_FAILED.exec(error.message)?.[1];
  return number === undefined ? undefined : (BY_NUMBER[number] ?? "SQLITE_CANTOPEN");
}
