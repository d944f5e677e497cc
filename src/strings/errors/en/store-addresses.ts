import { error } from "../texts.ts";

export interface Written {
  /** The address as it was typed, without its password. */
  readonly written: string;
}

/** What is wrong with the address of a store. None of them repeats a password. */
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
