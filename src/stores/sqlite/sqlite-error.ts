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

/** What was open beside the file is not what stands there now. */
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
  if (code === "SQLITE_FULL") {
    return new WorldlineError("STORE_FULL", `${path} could not be written: there is no room (${code}).`, {
      hint: "Nothing that was written before is lost. Make room on the disk, then try again.",
      cause: error,
    });
  }
  if (DAMAGED.test(code)) return damaged(error, path, code);
  // What another process was killed over was removed, while this one had the database open.
  if (code === "SQLITE_IOERR_SHORT_READ") return besideReplaced(path, undefined, doing);
  const said = error instanceof Error ? error.message : "";
  if (doing === "writing" && code !== "SQLITE_ERROR") {
    return new WorldlineError("STORE_UNWRITABLE", `${path} could not be written (${code}: ${said}).`, {
      hint: `Nothing that was written before is lost. Check who owns ${path} and its folder, and their permissions.`,
      cause: error,
    });
  }
  if (SHUT_OUT.test(code)) {
    return new WorldlineError("STORE_UNREADABLE", `${path} could not be read (${code}: ${said}).`, {
      hint: `Check whether you may read ${path}. Where a program writes to it, SQLite needs ${path}-wal and ${path}-shm as well, and the right to write to them; or name a copy of all three.`,
      cause: error,
    });
  }
  return new WorldlineError("STORE_UNREADABLE", `${path} could not be read (${code}: ${said}).`, {
    hint: `Check who owns ${path} and its permissions; \`sqlite3 ${path} .schema\` shows what is in it.`,
    cause: error,
  });
}

export function stayedBusy({ path }: Attempted, patienceMs: number, cause: unknown): WorldlineError {
  return new WorldlineError(
    "STORE_BUSY",
    `${path} has been in use by another program for ${Math.round(patienceMs / 1000)} seconds.`,
    {
      hint: `Nothing was changed. Another Worldline, a backup or a sqlite3 shell with an open transaction holds it up (\`lsof ${path}\` names it); try again when it is done.`,
      cause,
    },
  );
}

/** `copy` is where all that was written before is, where it is not in the file. */
export function besideReplaced(
  path: string,
  copy: string | undefined,
  doing: Attempted["doing"] = "writing",
): WorldlineError {
  const saved = copy === undefined ? "" : ` All that was written here before is in ${copy}: keep it.`;
  return new WorldlineError(
    doing === "writing" ? "STORE_UNWRITABLE" : "STORE_UNREADABLE",
    `What belongs to the database ${path}, its -wal or -shm, was removed while it was in use.`,
    { hint: `Nothing was written now.${saved} End all programs that use ${path}, then begin them anew.` },
  );
}

function damaged(cause: unknown, path: string, code: string): WorldlineError {
  if (code === "SQLITE_NOTADB") {
    return new WorldlineError("STORE_UNREADABLE", `${path} is no SQLite database.`, {
      hint: "Nothing was changed. Name another file with --store sqlite:<path>, or restore it from a backup.",
      cause,
    });
  }
  return new WorldlineError("STORE_UNREADABLE", `The database ${path} is damaged (${code}).`, {
    hint: `Restore it from a backup, or save what can be read: sqlite3 ${path} .recover | sqlite3 saved.db`,
    cause,
  });
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
