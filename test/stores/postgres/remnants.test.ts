import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { openPostgresStore } from "../../../src/stores/postgres/postgres-store.ts";
import type { Database, Transaction } from "../../../src/stores/sql/database.ts";
import { askPostgres, describeWithPostgres, freshPostgres } from "../../support/postgres/postgres.ts";
import { writtenSession } from "../sql/written-session.ts";

/** Runs `meanwhile` before a row is inserted into that table. */
function before(table: string, database: Database, meanwhile: () => Promise<void>): Database {
  const hindered = (transaction: Transaction): Transaction => ({
    all: async (text, values) => transaction.all(text, values),
    run: async (text, values) => {
      if (text.startsWith(`INSERT INTO worldline_${table}`)) await meanwhile();
      return transaction.run(text, values);
    },
  });
  return {
    read: async (work) => database.read(work),
    write: async (work) => database.write(async (transaction) => work(hindered(transaction))),
    exists: async () => database.exists(),
    scrub: async () => database.scrub(),
    now: async (transaction) => database.now(transaction),
    close: async () => database.close(),
  };
}

const WRITES: Readonly<Record<string, (store: LogStore, session: SessionId) => Promise<unknown>>> = {
  blobs: async (store, session) => store.putBlob(session, Buffer.from("late")),
  published: async (store, session) => store.publish(session, []),
};

describeWithPostgres("what is written to a session while it is removed for good", () => {
  it.each(Object.keys(WRITES))("leaves no row (%s)", async (table) => {
    const url = await freshPostgres();
    const other = openPostgresStore({ url, clock: systemClock });
    const { session } = await writtenSession(other);
    let removing: Promise<unknown> | undefined;
    const meanwhile = async (): Promise<void> => {
      removing ??= other.trash(session, 0).then(async () => other.emptyTrash(1));
      await Promise.race([removing, setTimeout(200)]);
    };
    const around = (database: Database) => before(table, database, meanwhile);
    const store = openPostgresStore({ url, clock: systemClock, around });
    await WRITES[table]?.(store, session).catch(() => undefined);
    await removing;
    expect(await askPostgres(url, `SELECT session_key FROM worldline_${table}`)).toEqual([]);
    await store.close();
    await other.close();
  });
});
