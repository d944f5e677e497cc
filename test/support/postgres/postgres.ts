import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterAll, describe, inject } from "vitest";
import { findPostgres } from "../../../scripts/postgres-server.mjs";

/** `npm test` says that these are left out where there is no server and none can be installed. */
export const describeWithPostgres = findPostgres() === undefined ? describe.skip : describe;

/** One database for each test file, and in it a schema for each who asks: that takes a hundredth of the time. */
let room: Promise<{ readonly url: string; readonly client: Client }> | undefined;

/** The address of an empty database, as far as whoever uses it can tell, on the real server of this run. */
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

/** Asks the server something that is not the store's business. */
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
