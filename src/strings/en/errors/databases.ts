import { error } from "../../errors/texts.ts";

export interface OfDatabase {
  readonly path: string;
}

export interface Refused extends OfDatabase {
  /** SQLite's code. */
  readonly code: string;
  readonly said: string;
}

/** Facts about a server, with its own message. */
export interface OfServer {
  readonly name: string;
  readonly why: string;
}

/** The errors of SQLite and Postgres. */
export const databases = {
  "database-full": error(
    "STORE_FULL",
    ({ path, code }: OfDatabase & { readonly code: string }) =>
      `${path} could not be written: there is no room (${code}).`,
    () => "Nothing that was written before is lost. Make room on the disk, then try again.",
  ),
  "database-unwritable": error(
    "STORE_UNWRITABLE",
    ({ path, code, said }: Refused) => `${path} could not be written (${code}: ${said}).`,
    ({ path }) =>
      `Nothing that was written before is lost. Check who owns ${path} and its folder, and their permissions.`,
  ),
  "database-closed-to-us": error(
    "STORE_UNREADABLE",
    ({ path, code, said }: Refused) => `${path} could not be read (${code}: ${said}).`,
    ({ path }) =>
      `Check whether you may read ${path}. Where a program writes to it, SQLite needs ${path}-wal and ${path}-shm as well, and the right to write to them; or name a copy of all three.`,
  ),
  "database-unreadable": error(
    "STORE_UNREADABLE",
    ({ path, code, said }: Refused) => `${path} could not be read (${code}: ${said}).`,
    ({ path }) =>
      `Check who owns ${path} and its permissions; \`sqlite3 ${path} .schema\` shows what is in it.`,
  ),
  "database-busy": error(
    "STORE_BUSY",
    ({ path, seconds }: OfDatabase & { readonly seconds: number }) =>
      `${path} has been in use by another program for ${seconds} seconds.`,
    ({ path }) =>
      `Nothing was changed. Another Worldline, a backup or a sqlite3 shell with an open transaction holds it up (\`lsof ${path}\` names it); try again when it is done.`,
  ),
  "database-replaced-while-writing": error("STORE_UNWRITABLE", replaced, replacedHint),
  "database-replaced-while-reading": error("STORE_UNREADABLE", replaced, replacedHint),
  "database-gone-while-writing": error("STORE_UNWRITABLE", gone, goneHint),
  "database-gone-while-reading": error("STORE_UNREADABLE", gone, goneHint),
  "database-damaged": error(
    "STORE_UNREADABLE",
    ({ path, code }: OfDatabase & { readonly code: string }) => `The database ${path} is damaged (${code}).`,
    ({ path }) =>
      `Restore it from a backup, or save what can be read: sqlite3 ${path} .recover | sqlite3 saved.db`,
  ),
  "database-older": error(
    "ENTRIES_MISSING",
    (older: OfDatabase & { session: string; entries: number; extent: "all" | "last"; until: string }) =>
      `Session ${older.session} lacks ${older.extent === "all" ? "all of its" : "the last"} ${older.entries} acknowledged entries, written until ${older.until}: the database ${older.path} is older than that.`,
    (_, { command }) =>
      `Its -wal was removed, or an older copy put in its place. Nothing was changed. Put the newer files back while no program uses them; or accept the loss: ${command("doctor --fix")}`,
  ),
  "database-of-another-program": error(
    "STORE_UNREADABLE",
    ({ path }: OfDatabase) => `${path} is the database of another program.`,
    () =>
      "Nothing was changed. Name a file of its own: --store sqlite:<path>; it is made when it is not there.",
  ),
  "not-sqlite": error(
    "STORE_UNREADABLE",
    ({ path }: OfDatabase) => `${path} is no SQLite database.`,
    () => "Nothing was changed. Name another file with --store sqlite:<path>, or restore it from a backup.",
  ),
  "not-a-database-file": error(
    "STORE_UNREADABLE",
    ({ path, kind }: OfDatabase & { readonly kind: "folder" | "other" }) =>
      `${path} is ${kind === "folder" ? "a folder" : "no file"}.`,
    () => "A SQLite store is one file: name one, such as sqlite:sessions.db",
  ),
  "libsql-missing": error(
    "STORE_UNREADABLE",
    () => "SQLite could not be loaded: the package libsql is not there.",
    () => "Install it for this machine: npm install libsql. Or keep sessions in files: --store files",
  ),
  "schema-newer": error(
    "FORMAT_NEWER",
    ({
      name,
      version,
      newest,
    }: {
      readonly name: string;
      readonly version: number;
      readonly newest: number;
    }) => `${name} is of schema version ${version}; this program knows versions up to ${newest}.`,
    () => "A newer Worldline made it, and nothing was changed. Update this one, as its README installs it.",
  ),
  "schema-of-another-program": error(
    "STORE_UNREADABLE",
    ({ name }: { readonly name: string }) =>
      `${name} has tables whose names begin with worldline_, but they are not Worldline's.`,
    () => "Nothing was changed. Name another database with --store or WORLDLINE_STORE.",
  ),
  "connection-unstable": error(
    "STORE_UNREACHABLE",
    ({ name }: { readonly name: string }) =>
      `The connection to ${name} is lost each time that something is written.`,
    () => "Nothing that was written before is lost. Try again when it is stable.",
  ),
  "pg-missing": error(
    "INPUT_INVALID",
    () => "The Postgres store needs the package pg, which is not installed.",
    () =>
      "Install it beside Worldline: npm install pg in the project that has Worldline, or npm install -g pg where Worldline was installed with -g.",
  ),
  "pg-broken": error(
    "INPUT_INVALID",
    ({ why }: { readonly why: string }) => `The package pg is installed but cannot be loaded: ${why}`,
    () => "Install it again: npm install pg, or npm install -g pg where Worldline was installed with -g.",
  ),
  "postgres-closed": error(
    "STORE_UNREACHABLE",
    ({ name }: { readonly name: string }) => `The store at ${name} has been closed.`,
    () => "Open it again.",
  ),
  "postgres-lost": error(
    "STORE_UNREACHABLE",
    ({ name, why }: OfServer) => `The Postgres server of ${name} cannot be reached: ${why}`,
    () =>
      "Is the server running, and does it take connections from here? Nothing is lost: the session goes on when it is back.",
  ),
  "postgres-clash": error(
    "STORE_BUSY",
    ({ name, why }: OfServer) => `Others were writing to ${name} all the time: ${why}`,
    () => "Nothing has changed. Try again in a moment.",
  ),
  "postgres-made-already": error(
    "STORE_UNWRITABLE",
    ({ name, why }: OfServer) => `${name} does not take what is to be written: ${why}`,
    () => "Nothing has changed. If another program keeps tables of these names there, use another database.",
  ),
  "postgres-busy": error(
    "STORE_BUSY",
    ({ name, why }: OfServer) => `${name} kept us waiting for too long: ${why}`,
    () =>
      "Nothing has changed. Try again; if it stays so, look for a transaction that does not end, in pg_stat_activity.",
  ),
  "postgres-full": error(
    "STORE_FULL",
    ({ name, why }: OfServer) => `The server of ${name} has no room left: ${why}`,
    () => "Make room on the server's disk, then try again. Nothing that was written is lost.",
  ),
  "postgres-refused": error(
    "STORE_UNREACHABLE",
    ({ name, why }: OfServer & Login) => `The Postgres server of ${name} does not let us in: ${why}`,
    refusalHint,
  ),
  "postgres-without-rights": error(
    "STORE_UNWRITABLE",
    ({ name, why }: OfServer & { readonly user: string }) => `${name} cannot be written: ${why}`,
    ({ user }) =>
      `Let its owner give ${user} the right to make and use tables there: GRANT CREATE, USAGE ON SCHEMA public TO ${user};`,
  ),
  "postgres-read-only": error(
    "STORE_UNWRITABLE",
    ({ name, why }: OfServer) => `${name} cannot be written: ${why}`,
    () =>
      "That server is a standby, or is set to be read only; give the address of the one that can be written.",
  ),
  "postgres-failed-while-writing": error("STORE_UNWRITABLE", failed, failedHint),
  "postgres-failed-while-reading": error("STORE_UNREADABLE", failed, failedHint),
};

/** `copy`: where the previous contents were saved, if they are no longer in the file. */
export interface Replaced extends OfDatabase {
  readonly copy: string | undefined;
}

function replaced({ path }: Replaced): string {
  return `What belongs to the database ${path}, its -wal or -shm, was removed while it was in use.`;
}

function replacedHint({ path, copy }: Replaced): string {
  const saved = copy === undefined ? "" : ` All that was written here before is in ${copy}: keep it.`;
  return `Nothing was written now.${saved} End all programs that use ${path}, then begin them anew.`;
}

function gone({ path }: OfDatabase): string {
  return `The database ${path} is not there any more.`;
}

function goneHint(): string {
  return "Put the file back where it was, with its -wal file if there is one; it is not begun anew by itself.";
}

export interface Login {
  readonly user: string;
  readonly database: string;
  readonly refusal: "no-database" | "no-tls" | "certificate" | "login";
}

function refusalHint({ refusal, user, database }: Login): string {
  switch (refusal) {
    case "no-database":
      return `Make the database: createdb ${database}. Or give another one, behind the host.`;
    case "no-tls":
      return "That server has no TLS: put ?sslmode=disable behind the address, or set it up there.";
    case "certificate":
      return "Give the authority that signed it, as ?sslrootcert=file; or, where nobody can be in between, ?sslmode=no-verify.";
    case "login":
      return `Check the user ${user} and the password: it stands in the address, in PGPASSWORD, or in ~/.pgpass. The server's pg_hba.conf says who may come from where.`;
    default:
      return refusal satisfies never;
  }
}

function failed({ name, why }: OfServer): string {
  return `${name} could not do what was asked: ${why}`;
}

function failedHint(): string {
  return "The server's own log says more. Nothing has changed.";
}

export interface Written {
  /** The address as the user typed it, without its password. */
  readonly written: string;
}

/** The errors of invalid store addresses. None of them repeats a password. */
export const storeAddresses = {
  "store-unknown": error(
    "INPUT_INVALID",
    ({ written }: Written) => `There is no store "${written}".`,
    () => "Write files, sqlite:path/to/file.db, or postgres://user@host:5432/database",
  ),
  "sqlite-path-missing": error("INPUT_INVALID", () => "sqlite: needs the path of a file.", nameTheFile),
  "sqlite-path-on-a-host": error(
    "INPUT_INVALID",
    ({ written }: Written) => `"${written}" has a host, and SQLite keeps files.`,
    nameTheFile,
  ),
  "sqlite-in-memory": error(
    "INPUT_INVALID",
    () => "A database in memory is gone when the command ends.",
    nameTheFile,
  ),
  "sqlite-path-of-a-folder": error(
    "INPUT_INVALID",
    ({ written }: Written) => `"${written}" names a folder, not a file.`,
    nameTheFile,
  ),
  "sqlite-path-with-zero-byte": error(
    "INPUT_INVALID",
    () => "The path of a file cannot hold a zero byte.",
    nameTheFile,
  ),
  "sqlite-path-in-a-named-home": error(
    "INPUT_INVALID",
    ({ written }: Written) =>
      `"${written}" is in the home folder of somebody by name, which is not understood.`,
    () => "Write the whole path, or ~/ for your own home folder; a folder of that very name is ./~name/",
  ),
  "sqlite-path-with-options": error(
    "INPUT_INVALID",
    ({ written }: Written) => `"${written}" has options behind its path, which are not understood.`,
    () => "Leave them out.",
  ),
  "sqlite-path-not-of-a-file": error(
    "INPUT_INVALID",
    ({ written }: Written) => `"${written}" is no address of a file here.`,
    () => "Write sqlite:/path/to/sessions.db",
  ),
  "postgres-address-with-two-ats": error(
    "INPUT_INVALID",
    () => "The address of the Postgres store has two @ before its host.",
    () => "In a password, @ is written %40; the password may also stand in PGPASSWORD or ~/.pgpass.",
  ),
  "postgres-address-unreadable": error(
    "INPUT_INVALID",
    ({ why }: { readonly why: PostgresAddressFault }) =>
      `The address of the Postgres store cannot be read: ${FAULTS[why]}.`,
    () =>
      "It looks like postgres://user@host:5432/database. In names and passwords, characters such as @ : / ? # % are percent-encoded (%40 is @); the password may also stand in PGPASSWORD or ~/.pgpass.",
  ),
};

export type PostgresAddressFault =
  | "other-scheme"
  | "bad-port"
  | "more-than-a-database"
  | "sign-behind-host"
  | "bad-percent"
  | "not-a-url"
  | "not-utf8";

const FAULTS: Readonly<Record<PostgresAddressFault, string>> = {
  "other-scheme": "it does not begin with postgres://",
  "bad-port": "its port is no number",
  "more-than-a-database": "behind the host stands more than the name of a database",
  "sign-behind-host": "there is an @ or a # behind the host",
  "bad-percent": "a % is not followed by two hexadecimal digits",
  "not-a-url": "it is not a URL",
  "not-utf8": "what is percent-encoded in it is not UTF-8",
};

function nameTheFile(): string {
  return "Name the file: sqlite:sessions.db, sqlite:~/sessions.db or sqlite:/path/to/sessions.db";
}
