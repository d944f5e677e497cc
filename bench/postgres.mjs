import { createHash } from "node:crypto";
import pg from "pg";
import { findPostgres, startPostgres } from "../scripts/postgres-server.mjs";

/** The variable that passes the server's address to the processes of a benchmark. */
const VARIABLE = "WORLDLINE_BENCH_POSTGRES";

/**
 * Runs `work` with a temporary server if Postgres is installed on this machine. `work` receives whether there is a
 * server, so that it can print this.
 * @template T
 * @param {(there: "there" | "absent") => Promise<T>} work
 */
export async function withPostgres(work) {
  if (findPostgres() === undefined) return work("absent");
  const server = await startPostgres({ fsync: "on" });
  process.env[VARIABLE] = server.url;
  try {
    return await work("there");
  } finally {
    delete process.env[VARIABLE];
    await server.remove();
  }
}

/** The line that a benchmark prints if there is no server. */
export const leftOut = "Postgres is left out: this machine has no server (the Debian package is postgresql).";

// Each folder has its own schema, so that a driver finds only its own data there.
const schemaOf = (dir) => `bench_${createHash("sha256").update(dir).digest("hex").slice(0, 16)}`;

export const addressIn = (dir) =>
  `${process.env[VARIABLE]}?options=${encodeURIComponent(`-c search_path=${schemaOf(dir)}`)}`;

export const makeSchema = (dir) => ask(`CREATE SCHEMA ${schemaOf(dir)}`);

/** All tables of the folder's schema, with their indexes and their out-of-line values (TOAST). */
export async function bytesIn(dir) {
  const [{ bytes }] = await ask(
    `SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = '${schemaOf(dir)}' AND c.relkind = 'r'`,
  );
  return Number(bytes);
}

async function ask(text) {
  const client = new pg.Client({ connectionString: process.env[VARIABLE] });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
