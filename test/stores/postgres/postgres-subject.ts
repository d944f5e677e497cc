import type { LogStore } from "../../../src/ports/log-store.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { openPostgresStore } from "../../../src/stores/postgres/postgres-store.ts";
import type { Database } from "../../../src/stores/sql/database.ts";
import { type LogStoreSubject, ManualClock } from "../../../src/testing/testing.ts";
import { askPostgres, freshPostgres } from "../../support/postgres/postgres.ts";
import { deadOwner } from "../dead-owner.ts";

/** A store in its own tables on the real server. */
export async function postgresSubject(): Promise<LogStoreSubject> {
  const url = await freshPostgres();
  const opened: LogStore[] = [];
  const room = { isFull: false };
  const clock = new ManualClock();
  const open = () => {
    const store = openPostgresStore({ url, clock, around: (database) => fillable(database, room) });
    opened.push(store);
    return store;
  };
  return {
    store: open(),
    another: open,
    damageLine: async (session, seq) => {
      await askPostgres(
        url,
        `UPDATE worldline_lines SET line = set_byte(line, length(line) / 2, get_byte(line, length(line) / 2) # 1)
          WHERE seq = $2 AND session_key = (SELECT session_key FROM worldline_sessions WHERE id = $1 AND trashed_at IS NULL)`,
        [session, seq],
      );
    },
    fillUp: () => {
      room.isFull = true;
      return () => {
        room.isFull = false;
      };
    },
    abandonLease: async (session) => abandonLease(url, session),
    remove: async () => {
      for (const store of opened) await store.close();
    },
  };
}

/** Makes the server raise its disk-full error inside the transaction, without really filling its disk. */
function fillable(database: Database, room: { readonly isFull: boolean }): Database {
  const full = "DO $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$";
  return {
    read: async (work) => database.read(work),
    write: async (work) =>
      database.write(async (transaction) => {
        const result = await work(transaction);
        if (room.isFull) await transaction.run(full);
        return result;
      }),
    exists: async () => database.exists(),
    scrub: async () => database.scrub(),
    now: async (transaction) => database.now(transaction),
    close: async () => database.close(),
  };
}

/** Leaves a lease behind, as a killed program would. */
async function abandonLease(url: string, session: SessionId): Promise<void> {
  const owner = deadOwner();
  await askPostgres(
    url,
    `INSERT INTO worldline_leases (session_key, token, owner, expires_at)
      SELECT session_key, $2, $3, 8e15 FROM worldline_sessions WHERE id = $1 AND trashed_at IS NULL
      ON CONFLICT (session_key) DO UPDATE SET token = $2, owner = $3, expires_at = 8e15`,
    [session, owner.token, JSON.stringify(owner)],
  );
}
