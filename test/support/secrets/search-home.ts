import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import Libsql from "libsql";
import { askPostgres } from "../postgres/postgres.ts";
import { SecretSearch } from "./search-bytes.ts";

/** The places that still hold the secret, one line each: the path or table, and the forms found there. */
export function secretsIn(folder: string, secret: string): string[] {
  const search = new SecretSearch(secret);
  return filesBelow(folder).flatMap((path) => {
    const name = relative(folder, path);
    const inName = search.formsIn(Buffer.from(name));
    const forms = [...inName.map((form) => `name: ${form}`), ...formsInFile(search, path)];
    return forms.length === 0 ? [] : [`${name}: ${forms.join(", ")}`];
  });
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return lstatSync(path).isDirectory() ? [path, ...filesBelow(path)] : [path];
  });
}

function formsInFile(search: SecretSearch, path: string): readonly string[] {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return search.formsIn(Buffer.from(readlinkSync(path)));
  if (!stat.isFile()) return [];
  const bytes = readFileSync(path);
  const isDatabase = bytes.subarray(0, 15).toString("latin1") === "SQLite format 3";
  return isDatabase ? [...formsInDatabase(search, path, bytes)] : search.formsIn(bytes);
}

/**
 * Searches the raw bytes, anything that can be unpacked from them, each row, and all space outside of rows.
 */
function formsInDatabase(search: SecretSearch, path: string, bytes: Buffer): ReadonlySet<string> {
  const forms = formsAnywhere(search, bytes);
  const database = new Libsql(path, { readonly: true });
  try {
    for (const { name } of database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all([]) as { name: string }[])
      for (const row of database.prepare(`SELECT * FROM "${name}"`).all([]) as object[])
        for (const value of Object.values(row))
          for (const form of search.formsIn(bytesOf(value))) forms.add(`${name}: ${form}`);
  } finally {
    database.close();
  }
  if (bytes.readUInt32BE(FREE_PAGES_AT) !== 0) forms.add("free pages");
  return forms;
}

/** Also finds deflated rows, wherever in the bytes they begin. */
function formsAnywhere(search: SecretSearch, bytes: Buffer): Set<string> {
  const forms = new Set(search.formsIn(bytes));
  for (let at = bytes.indexOf(1); at !== -1; at = bytes.indexOf(1, at + 1)) {
    for (const form of search.formsIn(bytes.subarray(at, at + MAX_ROW_BYTES), DEFLATED_ONLY)) forms.add(form);
  }
  return forms;
}

/** The position of the free-page count in the file header: https://www.sqlite.org/fileformat2.html */
const FREE_PAGES_AT = 36;
const MAX_ROW_BYTES = 65_536;
const DEFLATED_ONLY = 3;

/**
 * Remembers pieces of the rows that hold the secret, in packed form. Called after those rows were changed,
 * the result counts the pieces that are still in the file but in no row: SQLite moves rows and may leave old
 * bytes behind.
 */
export function watchRows(path: string, secret: string): () => number {
  const search = new SecretSearch(secret);
  const before = valuesIn(path).filter((value) => search.formsIn(value).length > 0);
  return () => {
    const rows = Buffer.concat(valuesIn(path));
    const file = readFileSync(path);
    const pieces = before.flatMap((row) =>
      Array.from({ length: Math.floor(row.length / PIECE_BYTES) }, (_, at) =>
        row.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES),
      ),
    );
    return pieces.filter((piece) => file.includes(piece) && !rows.includes(piece)).length;
  };
}

const PIECE_BYTES = 24;

function valuesIn(path: string): Buffer[] {
  const database = new Libsql(path, { readonly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all([]) as {
      name: string;
    }[];
    return tables.flatMap(({ name }) =>
      (database.prepare(`SELECT * FROM "${name}"`).all([]) as object[]).flatMap((row) =>
        Object.values(row).map(bytesOf),
      ),
    );
  } finally {
    database.close();
  }
}

/**
 * Searches every row of the store's tables, the planner's statistics on their columns, and the tables' files.
 */
export async function secretsInPostgres(url: string, secret: string): Promise<string[]> {
  const search = new SecretSearch(secret);
  const found: string[] = [];
  const note = (where: string, value: unknown): void => {
    const forms = [...formsAnywhere(search, bytesOf(value))];
    if (forms.length > 0) found.push(`${where}: ${forms.join(", ")}`);
  };
  // A checkpoint writes what is still in the server's memory to the files that are read here.
  await askPostgres(url, "CHECKPOINT");
  const tables = await askPostgres(
    url,
    `SELECT c.oid::regclass::text AS name, c.oid, c.reltoastrelid AS toast FROM pg_class c
      WHERE c.relkind = 'r' AND pg_table_is_visible(c.oid) AND c.relname LIKE 'worldline%'`,
  );
  for (const { name, oid, toast } of tables) {
    for (const row of await askPostgres(url, `SELECT * FROM ${name}`))
      for (const [column, value] of Object.entries(row)) note(`${name}.${column}`, value);
    for (const relation of [oid, toast].filter((each) => String(each) !== "0")) {
      const [file] = await askPostgres(
        url,
        "SELECT pg_read_binary_file(pg_relation_filepath($1::oid), 0, 100000000, true) AS bytes",
        [relation],
      );
      note(`file of ${name}`, file?.["bytes"]);
    }
  }
  const statistics = await askPostgres(
    url,
    `SELECT tablename, attname, most_common_vals::text AS common, histogram_bounds::text AS bounds FROM pg_stats
      WHERE tablename LIKE 'worldline%' AND schemaname = current_schema()`,
  );
  for (const { tablename, attname, common, bounds } of statistics)
    for (const text of [common, bounds])
      for (const hex of String(text).match(/(?:[0-9a-f]{2}){8,}/gu) ?? [])
        note(`statistics of ${tablename}.${attname}`, Buffer.from(hex, "hex"));
  return found;
}

function bytesOf(value: unknown): Buffer {
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  if (value instanceof Uint8Array) return Buffer.from(value);
  return Buffer.from(String(value));
}
