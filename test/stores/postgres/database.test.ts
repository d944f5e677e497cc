import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { numbered, PostgresDatabase } from "../../../src/stores/postgres/postgres-database.ts";
import { postgresDialect } from "../../../src/stores/postgres/postgres-store.ts";
import { askPostgres, describeWithPostgres, freshPostgres } from "../../support/postgres/postgres.ts";
import { databaseContract } from "../sql/database-contract.ts";

async function withDatabase(
  work: (database: PostgresDatabase, url: string) => Promise<void>,
  options: { readonly patienceMs?: number } = {},
): Promise<void> {
  const url = await freshPostgres();
  const database = new PostgresDatabase({ url, ...options });
  try {
    await database.write(async (transaction) => {
      await transaction.run("CREATE TABLE trial (id INT PRIMARY KEY, size INT)");
      await transaction.run("INSERT INTO trial VALUES (1, 0)");
    });
    await work(database, url);
  } finally {
    await database.close();
  }
}

describeWithPostgres("a real server", () => {
  databaseContract("the Postgres database", {
    dialect: postgresDialect,
    open: async () => {
      const url = await freshPostgres();
      const opened: PostgresDatabase[] = [];
      const open = () => {
        const database = new PostgresDatabase({ url });
        opened.push(database);
        return database;
      };
      return {
        database: open(),
        another: open,
        remove: async () => {
          for (const database of opened) await database.close();
        },
      };
    },
  });

  it("is reached through a socket's folder, with a password from the environment or from ~/.pgpass", async () => {
    const url = new URL(await freshPostgres());
    const [row] = await askPostgres(url.href, "SHOW unix_socket_directories");
    const socket = `postgres://worldline@${url.pathname}?host=${row?.["unix_socket_directories"]}&port=${url.port}`;
    const answer = async (): Promise<unknown> => {
      const database = new PostgresDatabase({ url: socket });
      try {
        return await database.read(async (transaction) =>
          transaction.all("SELECT inet_client_addr() AS peer"),
        );
      } finally {
        await database.close();
      }
    };
    await expect(answer()).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    vi.stubEnv("PGPASSWORD", url.password);
    expect(await answer()).toEqual([{ peer: null }]);
    vi.unstubAllEnvs();
    const kept = join(process.env["HOME"] ?? "", ".pgpass");
    writeFileSync(kept, `*:*:*:worldline:${url.password}\n`, { mode: 0o600 });
    expect(await answer()).toEqual([{ peer: null }]);
    rmSync(kept);
  });

  it("waits for its disk although the server's default is not to, and leaves what is more as it is", async () => {
    await withDatabase(async (_, url) => {
      const asked = async (setting: string): Promise<unknown> => {
        const options = encodeURIComponent(`-c synchronous_commit=${setting}`);
        const other = new PostgresDatabase({ url: url.replace(/options=.*/u, `options=${options}`) });
        const rows = await other.write(async (transaction) => transaction.all("SHOW synchronous_commit"));
        await other.close();
        return rows[0]?.["synchronous_commit"];
      };
      expect([await asked("off"), await asked("on"), await asked("remote_apply")]).toEqual([
        "on",
        "on",
        "remote_apply",
      ]);
    });
  });

  it("frees what a client held that vanished in a transaction, and is known by its name", async () => {
    await withDatabase(async (database, url) => {
      const shown = await database.write(async (transaction) => {
        const rows = await transaction.all("SHOW idle_in_transaction_session_timeout");
        return [
          rows[0],
          await askPostgres(
            url,
            "SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'",
          ),
        ];
      });
      expect(shown).toEqual([{ idle_in_transaction_session_timeout: "20s" }, [{ name: "worldline" }]]);
    });
  });

  it("reports that it is busy if a lock is not obtained in time, and nothing has happened", async () => {
    const patient = { patienceMs: 300 };
    await withDatabase(async (database, url) => {
      const other = new PostgresDatabase({ url });
      const count = "UPDATE trial SET size = size + 1";
      await other.write(async (transaction) => {
        await transaction.run(count);
        await expect(database.write(async (second) => second.run(count))).rejects.toMatchObject({
          code: "STORE_BUSY",
          message: expect.stringContaining("was busy for too long"),
        });
      });
      const rows = await database.read(async (transaction) => transaction.all("SELECT size FROM trial"));
      expect(rows).toEqual([{ size: 1 }]);
      await other.close();
    }, patient);
  });

  it("runs both of two again that wait for each other, until both are through", async () => {
    await withDatabase(async (database) => {
      await database.write(async (transaction) => transaction.run("INSERT INTO trial VALUES (2, 0)"));
      let runs = 0;
      let updates = 0;
      let goOn = (): void => undefined;
      // Without it, one of them could be through on a busy machine before the other has begun.
      const eachHoldsOne = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const both = async (...ids: readonly number[]): Promise<void> =>
        database.write(async (transaction) => {
          runs += 1;
          for (const id of ids) {
            await transaction.run("UPDATE trial SET size = size + 1 WHERE id = ?", [id]);
            updates += 1;
            if (updates === 2) goOn();
            await eachHoldsOne;
          }
        });
      await Promise.all([both(1, 2), both(2, 1)]);
      expect(runs).toBeGreaterThan(2);
      const rows = await database.read(async (transaction) =>
        transaction.all("SELECT size FROM trial ORDER BY id"),
      );
      expect(rows).toEqual([{ size: 2 }, { size: 2 }]);
    });
  });

  it("does nothing of a transaction of which a statement failed, though the work made nothing of that", async () => {
    await withDatabase(async (database) => {
      const writing = database.write(async (transaction) => {
        await transaction.run("UPDATE trial SET size = 9");
        await transaction.run("SELECT nonsense").catch(() => undefined);
        return "done";
      });
      await expect(writing).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
      const rows = await database.read(async (transaction) => transaction.all("SELECT size FROM trial"));
      expect(rows).toEqual([{ size: 0 }]);
    });
  });

  it("does statements one after the other that are asked for at once, and none after the end", async () => {
    await withDatabase(async (database) => {
      let late: (() => Promise<unknown>) | undefined;
      const counts = await database.write(async (transaction) => {
        late = async () => transaction.run("UPDATE trial SET size = 9");
        return Promise.all([2, 3, 4].map((id) => transaction.run("INSERT INTO trial VALUES (?, 0)", [id])));
      });
      expect(counts).toEqual([1, 1, 1]);
      await expect(late?.()).rejects.toThrow("The transaction has ended");
    });
  });
});

it("numbers its placeholders, but not within quotes", () => {
  expect(numbered(`SELECT ?, '?', "a?b", 'it''s ?' FROM t WHERE a = ? AND b IN (?, ?)`)).toBe(
    `SELECT $1, '?', "a?b", 'it''s ?' FROM t WHERE a = $2 AND b IN ($3, $4)`,
  );
});
