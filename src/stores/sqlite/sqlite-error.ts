import { WorldlineError } from "../../record/error.ts";

/** What was going on when SQLite said no. */
export interface Attempted {
  readonly path: string;
  readonly doing: "reading" | "writing";
}

const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB|FORMAT)/;
const SHUT_OUT = /^SQLITE_(?:READONLY|CANTOPEN)/;
const BUSY = /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/;
/** libsql has no names for all of SQLite's errors; the lower byte of the number is the kind. */
const UNNAMED = /^UNKNOWN_SQLITE_ERROR_(\d+)$/;
/** Opening fails without a code; the number at the end of the message is SQLite's. */
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

/** Whether another one is at it, so that waiting helps. */
export function isBusy(error: unknown): boolean {
  return BUSY.test(codeOf(error) ?? "");
}

/** SQLite has no error for it: it says that others kept it from emptying the file beside the database. */
export function beingRead(): Error {
  return Object.assign(new Error("others are reading what stands beside it"), { code: "SQLITE_BUSY" });
}

/** The -wal that was open is not the one that is there now. */
export class BesideLost extends Error {}

/** Others may have emptied what is open here: then less is read than there should be. */
export function mayBeBesideLost(error: unknown): boolean {
  return error instanceof BesideLost || codeOf(error)?.startsWith("SQLITE_IOERR") === true;
}

/** To be tried again at once, as when another one is at it. */
export function toBeTriedAgain(cause: unknown): Error {
  return Object.assign(new Error("it changed meanwhile", { cause }), { code: "SQLITE_BUSY" });
}

/** Whether SQLite could not write beside the file what it needs even to read it. */
export function isShutOut(error: unknown): boolean {
  return SHUT_OUT.test(codeOf(error) ?? "");
}

/** SQLite's errors in the words of the contract; everything else as it is. */
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
  // What another process was killed over was removed, while this one had the database open.
  if (code === "SQLITE_IOERR_SHORT_READ") return besideReplaced(path, undefined, doing);
  if (doing === "writing" && code !== "SQLITE_ERROR") {
    return new WorldlineError("database-unwritable", refused, details);
  }
  if (SHUT_OUT.test(code)) return new WorldlineError("database-closed-to-us", refused, details);
  return new WorldlineError("database-unreadable", refused, details);
}

/** `copy` is where all that was written before is, where it is not in the file. */
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
