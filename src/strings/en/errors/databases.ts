import { error } from "../../errors/texts.ts";

export interface OfDatabase {
  readonly path: string;
}

export interface Refused extends OfDatabase {
  /** SQLite's code. */
  readonly code: string;
  readonly said: string;
}

/** A server, with its own message about the error. */
export interface OfServer {
  readonly name: string;
  readonly why: string;
}

/** Errors from SQLite and Postgres. */
export const databases = {
  "database-full": error(
    "STORE_FULL",
    ({ path, code }: OfDatabase & { readonly code: string }) =>
      `${path} could not be written: there is no space left (${code}).`,
    () => "Everything that was already written is safe. Free some disk space, then try again.",
  ),
  "database-unwritable": error(
    "STORE_UNWRITABLE",
    ({ path, code, said }: Refused) => `${path} could not be written (${code}: ${said}).`,
    ({ path }) =>
      `Everything that was already written is safe. Check the owner and permissions of ${path} and of its folder.`,
  ),
  "database-closed-to-us": error(
    "STORE_UNREADABLE",
    ({ path, code, said }: Refused) => `${path} could not be read (${code}: ${said}).`,
    ({ path }) =>
      `Check that ${path} is readable. While another program is writing to the database, SQLite also needs ${path}-wal and ${path}-shm, and must be able to write to both. If that is not possible, use a copy of all three files.`,
  ),
  "database-unreadable": error(
    "STORE_UNREADABLE",
    ({ path, code, said }: Refused) => `${path} could not be read (${code}: ${said}).`,
    ({ path }) => `Check the owner and permissions of ${path}; \`sqlite3 ${path} .schema\` shows its tables.`,
  ),
  "database-busy": error(
    "STORE_BUSY",
    ({ path, seconds }: OfDatabase & { readonly seconds: number }) =>
      `${path} has been in use by another program for ${seconds} seconds.`,
    ({ path }) =>
      `Nothing was changed. Another Worldline process, a backup, or a sqlite3 shell with an open transaction may be blocking it (\`lsof ${path}\` shows which). Try again when that program has finished.`,
  ),
  "database-replaced-while-writing": error("STORE_UNWRITABLE", replaced, replacedHint),
  "database-replaced-while-reading": error("STORE_UNREADABLE", replaced, replacedHint),
  "database-gone-while-writing": error("STORE_UNWRITABLE", gone, goneHint),
  "database-gone-while-reading": error("STORE_UNREADABLE", gone, goneHint),
  "database-damaged": error(
    "STORE_UNREADABLE",
    ({ path, code }: OfDatabase & { readonly code: string }) => `The database ${path} is damaged (${code}).`,
    ({ path }) =>
      `Restore it from a backup, or recover the readable data: sqlite3 ${path} .recover | sqlite3 saved.db`,
  ),
  "database-older": error(
    "ENTRIES_MISSING",
    (older: OfDatabase & { session: string; entries: number; extent: "all" | "last"; until: string }) =>
      `Session ${older.session} is missing ${older.extent === "all" ? "all of its" : "its last"} ${older.entries} acknowledged entries, the newest of which is from ${older.until}. The database ${older.path} is in an older state.`,
    (_, { command }) =>
      `Its -wal file was removed, or the database was replaced with an older copy. Nothing was changed. Put the newer files back while no program is using the database, or accept the loss: ${command({ do: "doctor", fix: true })}`,
  ),
  "database-of-another-program": error(
    "STORE_UNREADABLE",
    ({ path }: OfDatabase) => `${path} is another program's database.`,
    () =>
      "Nothing was changed. Use a separate file with --store sqlite:<path>; the file is created if it does not exist.",
  ),
  "not-sqlite": error(
    "STORE_UNREADABLE",
    ({ path }: OfDatabase) => `${path} is not a SQLite database.`,
    () =>
      "Nothing was changed. Name another file with --store sqlite:<path>, or restore this one from a backup.",
  ),
  "not-a-database-file": error(
    "STORE_UNREADABLE",
    ({ path, kind }: OfDatabase & { readonly kind: "folder" | "other" }) =>
      `${path} is ${kind === "folder" ? "a folder" : "not a file"}.`,
    () => "A SQLite store is a single file. Name a file, such as sqlite:sessions.db",
  ),
  "libsql-missing": error(
    "STORE_UNREADABLE",
    () => "SQLite could not be loaded: the libsql package is not installed.",
    () => "Install it for this machine with `npm install libsql`, or keep sessions in files: --store files",
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
    }) => `${name} has schema version ${version}; this program supports versions up to ${newest}.`,
    () =>
      "It was created by a newer version of Worldline. Nothing was changed. Update Worldline as described in its README.",
  ),
  "schema-of-another-program": error(
    "STORE_UNREADABLE",
    ({ name }: { readonly name: string }) =>
      `${name} has tables whose names begin with worldline_, but Worldline did not create them.`,
    () => "Nothing was changed. Name another database with --store or WORLDLINE_STORE.",
  ),
  "connection-unstable": error(
    "STORE_UNREACHABLE",
    ({ name }: { readonly name: string }) =>
      `The connection to ${name} was lost during every attempt to write.`,
    () => "Everything that was already written is safe. Try again when the connection is stable.",
  ),
  "pg-missing": error(
    "INPUT_INVALID",
    () => "The Postgres store needs the pg package, which is not installed.",
    () =>
      "Install it where Worldline is installed: run `npm install pg` in the same project, or `npm install -g pg` if Worldline was installed with -g.",
  ),
  "pg-broken": error(
    "INPUT_INVALID",
    ({ why }: { readonly why: string }) => `The pg package is installed but cannot be loaded: ${why}`,
    () =>
      "Reinstall it with `npm install pg`, or with `npm install -g pg` if Worldline was installed with -g.",
  ),
  "postgres-closed": error(
    "STORE_UNREACHABLE",
    ({ name }: { readonly name: string }) => `The store at ${name} has been closed.`,
    () => "Open it again.",
  ),
  "postgres-lost": error(
    "STORE_UNREACHABLE",
    ({ name, why }: OfServer) => `The Postgres server for ${name} cannot be reached: ${why}`,
    () =>
      "Check that the server is running and accepts connections from this machine. Nothing is lost. The session continues when the server is available again.",
  ),
  "postgres-clash": error(
    "STORE_BUSY",
    ({ name, why }: OfServer) => `Other writers kept ${name} busy: ${why}`,
    () => "Nothing was changed. Try again in a moment.",
  ),
  "postgres-made-already": error(
    "STORE_UNWRITABLE",
    ({ name, why }: OfServer) => `${name} rejected the write: ${why}`,
    () =>
      "Nothing was changed. If another program already has tables with these names in the database, use a different database.",
  ),
  "postgres-busy": error(
    "STORE_BUSY",
    ({ name, why }: OfServer) => `${name} was busy for too long: ${why}`,
    () =>
      "Nothing was changed. Try again. If that does not help, look for a long-running transaction in pg_stat_activity.",
  ),
  "postgres-full": error(
    "STORE_FULL",
    ({ name, why }: OfServer) => `The server for ${name} is out of disk space: ${why}`,
    () => "Free some disk space on the server, then try again. Everything that was already written is safe.",
  ),
  "postgres-refused": error(
    "STORE_UNREACHABLE",
    ({ name, why }: OfServer & Login) => `The Postgres server for ${name} refused the connection: ${why}`,
    refusalHint,
  ),
  "postgres-without-rights": error(
    "STORE_UNWRITABLE",
    ({ name, why }: OfServer & { readonly user: string }) => `${name} cannot be written to: ${why}`,
    ({ user }) =>
      `Ask the owner of the database to let ${user} create and use tables in it: GRANT CREATE, USAGE ON SCHEMA public TO ${user};`,
  ),
  "postgres-read-only": error(
    "STORE_UNWRITABLE",
    ({ name, why }: OfServer) => `${name} cannot be written to: ${why}`,
    () => "The server is a standby or is read-only. Use the address of a server that accepts writes.",
  ),
  "postgres-failed-while-writing": error("STORE_UNWRITABLE", failed, failedHint),
  "postgres-failed-while-reading": error("STORE_UNREADABLE", failed, failedHint),
};

/** `copy`: the file with the previous content, if the database file no longer has it. */
export interface Replaced extends OfDatabase {
  readonly copy: string | undefined;
}

function replaced({ path }: Replaced): string {
  return `The -wal or -shm file for the database ${path} was removed while the database was in use.`;
}

function replacedHint({ path, copy }: Replaced): string {
  const saved =
    copy === undefined ? "" : ` Everything that was written earlier is in ${copy}, so keep that file.`;
  return `Nothing was written this time.${saved} Stop all programs that use ${path}, then start them again.`;
}

function gone({ path }: OfDatabase): string {
  return `The database ${path} no longer exists.`;
}

function goneHint(): string {
  return "Put the file back, together with its -wal file if there is one. Worldline does not create a new database in its place.";
}

export interface Login {
  readonly user: string;
  readonly database: string;
  readonly refusal: "no-database" | "no-tls" | "certificate" | "login";
}

function refusalHint({ refusal, user, database }: Login): string {
  switch (refusal) {
    case "no-database":
      return `Create the database with \`createdb ${database}\`, or put another database's name after the host in the address.`;
    case "no-tls":
      return "The server does not support TLS. Append ?sslmode=disable to the address, or set up TLS on the server.";
    case "certificate":
      return "Use ?sslrootcert=file to name the certificate authority that signed the server's certificate. On a network you trust, you can use ?sslmode=no-verify instead.";
    case "login":
      return `Check the user ${user} and the password, which comes from the address, ~/.pgpass, or PGPASSWORD. The server's pg_hba.conf controls who can connect from where.`;
    default:
      return refusal satisfies never;
  }
}

function failed({ name, why }: OfServer): string {
  return `${name} could not complete the operation: ${why}`;
}

function failedHint(): string {
  return "Nothing was changed. The server's log has the details.";
}

export interface Written {
  /** The address as the user typed it, without its password. */
  readonly written: string;
}

/** Errors for invalid store addresses. No message repeats a password. */
export const storeAddresses = {
  "store-unknown": error(
    "INPUT_INVALID",
    ({ written }: Written) => `Unknown store "${written}".`,
    () => "Use files, sqlite:path/to/file.db, or postgres://user@host:5432/database",
  ),
  "sqlite-path-missing": error(
    "INPUT_INVALID",
    () => "sqlite: must be followed by a file path.",
    nameTheFile,
  ),
  "sqlite-path-on-a-host": error(
    "INPUT_INVALID",
    ({ written }: Written) => `"${written}" has a host, but a SQLite store is a local file.`,
    nameTheFile,
  ),
  "sqlite-in-memory": error(
    "INPUT_INVALID",
    () => "An in-memory database would be lost when the command ends.",
    nameTheFile,
  ),
  "sqlite-path-of-a-folder": error(
    "INPUT_INVALID",
    ({ written }: Written) => `"${written}" names a folder, not a file.`,
    nameTheFile,
  ),
  "sqlite-path-with-zero-byte": error(
    "INPUT_INVALID",
    () => "A file path cannot contain a null byte.",
    nameTheFile,
  ),
  "sqlite-path-in-a-named-home": error(
    "INPUT_INVALID",
    ({ written }: Written) => `"${written}" names a user's home folder, which is not supported.`,
    () =>
      "Write the full path, or ~/ for your own home folder. If a folder is really called ~name, write ./~name/",
  ),
  "sqlite-path-with-options": error(
    "INPUT_INVALID",
    ({ written }: Written) => `"${written}" has options after its path, but options are not supported.`,
    () => "Leave out the options.",
  ),
  "sqlite-path-not-of-a-file": error(
    "INPUT_INVALID",
    ({ written }: Written) => `"${written}" is not the address of a local file.`,
    () => "Write sqlite:/path/to/sessions.db",
  ),
  "postgres-address-with-two-ats": error(
    "INPUT_INVALID",
    () => "The address of the Postgres store has two @ signs before its host.",
    () => "In a password, write @ as %40. The password can also be in ~/.pgpass or PGPASSWORD.",
  ),
  "postgres-address-unreadable": error(
    "INPUT_INVALID",
    ({ why }: { readonly why: PostgresAddressFault }) =>
      `The address of the Postgres store is not valid: ${FAULTS[why]}.`,
    () =>
      "It should look like `postgres://user@host:5432/database`. In names and passwords, percent-encode characters such as @ : / ? # % (%40 is @). The password can also be in ~/.pgpass or PGPASSWORD.",
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
  "bad-port": "its port is not a number",
  "more-than-a-database": "there is more than a database name after the host",
  "sign-behind-host": "there is an @ or a # after the host",
  "bad-percent": "a % is not followed by two hexadecimal digits",
  "not-a-url": "it is not a URL",
  "not-utf8": "its percent-encoded text is not UTF-8",
};

function nameTheFile(): string {
  return "Name the file: sqlite:sessions.db, sqlite:~/sessions.db, or sqlite:/path/to/sessions.db";
}
