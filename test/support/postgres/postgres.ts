import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterAll, describe, inject } from "vitest";
import { findPostgres } from "../../../scripts/postgres-server.mjs";

/** `npm test` reports that these are skipped if there is no server and none can be installed. */
export const describeWithPostgres = findPostgres() === undefined ? describe.skip : describe;

/**
 * One database for each test file with a separate schema for each caller, which takes a hundredth of the time
 * of separate databases.
 */
let room: Promise<{ readonly url: string; readonly client: Client }> | undefined;

/** The address of what looks like an empty database to its user, on this run's real server. */
export async function freshPostgres(): Promise<string> {
  room ??= openRoom();
  const { url, client } = await room;
  const schema = `test_${randomBytes(6).toString("hex")}`;
  await client.query(`CREATE SCHEMA ${schema}`);
  return `${url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
}

async function openRoom(): Promise<{ readonly url: string; readonly client: Client }> {
  const answer = await fetch(inject("postgresDesk"));
  if (!answer.ok) throw new Error(await answer.text());
  const server = await answer.text();
  const name = `test_${randomBytes(6).toString("hex")}`;
  await askPostgres(server, `CREATE DATABASE ${name} TEMPLATE template0`);
  const url = server.replace(/postgres$/u, name);
  const client = new Client({ connectionString: url });
  await client.connect();
  return { url, client };
}

afterAll(async () => {
  await (await room)?.client.end();
});

/** Runs a query directly on the server, bypassing the store. */
export async function askPostgres(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
