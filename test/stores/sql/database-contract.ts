import { describe, expect, it } from "vitest";
import type { Database, Dialect, Transaction } from "../../../src/stores/sql/database.ts";

export interface DatabaseSubject {
  readonly database: Database;
  /**
   * A second database on the same content, as another process would open it; closed together with the first.
   */
  another(): Database;
  remove(): Promise<void>;
}

export interface DatabaseContractOptions {
  readonly dialect: Dialect;
  open(): DatabaseSubject | Promise<DatabaseSubject>;
}

/** The contract of `Database`, for each driver. */
export function databaseContract(name: string, { dialect, open }: DatabaseContractOptions): void {
  const { whole, bytes } = dialect;
  const withTable = async (work: (subject: DatabaseSubject) => Promise<void>): Promise<void> => {
    const subject = await open();
    try {
      await subject.database.write(async (transaction) =>
        transaction.run(
          `CREATE TABLE worldline_trial (id ${whole} PRIMARY KEY, word TEXT, content ${bytes}, size ${whole})`,
        ),
      );
      await work(subject);
    } finally {
      await subject.remove();
    }
  };
  const insert = async (transaction: Transaction, id: number, word: string): Promise<number> =>
    transaction.run("INSERT INTO worldline_trial (id, word) VALUES (?, ?)", [id, word]);
  const words = async (database: Database): Promise<unknown[]> =>
    database.read(async (transaction) =>
      (await transaction.all("SELECT word FROM worldline_trial ORDER BY id")).map((row) => row["word"]),
    );

  describe(`${name} keeps the contract of a database`, () => {
    it("gives back texts, numbers, bytes and nothing as they were", async () => {
      await withTable(async ({ database, another }) => {
        const rows = [
          { id: 1, word: "", content: new Uint8Array(), size: 0 },
          { id: 2, word: "é 漢 😀 ' \" ? $1 %", content: Uint8Array.of(0, 1, 255, 0), size: 2 ** 53 - 1 },
          { id: 3, word: null, content: null, size: null },
          {
            id: 4,
            word: "x".repeat(1_000_000),
            content: new Uint8Array(8_000_000).fill(7),
            size: -(2 ** 53) + 1,
          },
        ];
        await database.write(async (transaction) => {
          for (const { id, word, content, size } of rows)
            await transaction.run("INSERT INTO worldline_trial VALUES (?, ?, ?, ?)", [
              id,
              word,
              content,
              size,
            ]);
        });
        const found = await another().read(async (transaction) =>
          transaction.all("SELECT * FROM worldline_trial ORDER BY id"),
        );
        // Contents are compared as bytes: a deep comparison of megabytes takes seconds.
        expect(found.map(({ content, ...row }) => row)).toEqual(rows.map(({ content, ...row }) => row));
        for (const [at, { content }] of rows.entries()) {
          const got = found[at]?.["content"];
          if (content === null) expect(got).toBeNull();
          else expect(got instanceof Uint8Array && Buffer.compare(got, content)).toBe(0);
        }
      });
    });

    it("counts the rows that it changed, and returns those that were asked for", async () => {
      await withTable(async ({ database }) => {
        const counts = await database.write(async (transaction) => [
          await transaction.run(
            "INSERT INTO worldline_trial (id, size) VALUES (?, ?), (?, ?)",
            [1, 10, 2, 20],
          ),
          await transaction.run("UPDATE worldline_trial SET size = size + 1 WHERE size > ?", [15]),
          await transaction.run("UPDATE worldline_trial SET size = 0 WHERE id = ?", [99]),
          await transaction.run("INSERT INTO worldline_trial (id) VALUES (?) ON CONFLICT DO NOTHING", [1]),
        ]);
        expect(counts).toEqual([2, 1, 0, 0]);
        const rows = await database.write(async (transaction) =>
          transaction.all("UPDATE worldline_trial SET size = ? WHERE id = ? RETURNING id, size", [7, 2]),
        );
        expect(rows).toEqual([{ id: 2, size: 7 }]);
      });
    });

    it("undoes everything when the work throws, and throws the same", async () => {
      await withTable(async ({ database, another }) => {
        const error = new Error("changed my mind");
        const writing = database.write(async (transaction) => {
          await insert(transaction, 1, "never");
          throw error;
        });
        await expect(writing).rejects.toBe(error);
        await database.write(async (transaction) => insert(transaction, 2, "after"));
        expect(await words(another())).toEqual(["after"]);
      });
    });

    it("undoes everything if a statement is refused, and continues", async () => {
      await withTable(async ({ database, another }) => {
        await database.write(async (transaction) => insert(transaction, 1, "first"));
        const writing = database.write(async (transaction) => {
          await insert(transaction, 2, "never");
          await insert(transaction, 1, "again");
        });
        await expect(writing).rejects.toThrow();
        await database.write(async (transaction) => insert(transaction, 3, "after"));
        expect(await words(another())).toEqual(["first", "after"]);
      });
    });

    it("never shows the middle of a transaction", async () => {
      await withTable(async ({ database, another }) => {
        const other = another();
        await database.write(async (transaction) => {
          await insert(transaction, 1, "one");
          expect(await words(other)).toEqual([]);
          await insert(transaction, 2, "two");
        });
        expect(await words(other)).toEqual(["one", "two"]);
      });
    });

    it("reads one state from the first statement to the last, and holds no writer up", async () => {
      await withTable(async ({ database, another }) => {
        const other = another();
        const count = "SELECT COUNT(*) AS rows FROM worldline_trial";
        const seen = await database.read(async (transaction) => {
          const before = await transaction.all(count);
          await other.write(async (writing) => insert(writing, 1, "meanwhile"));
          return [before, await transaction.all(count)];
        });
        expect(seen).toEqual([[{ rows: 0 }], [{ rows: 0 }]]);
        expect(await words(database)).toEqual(["meanwhile"]);
      });
    });

    it("loses no step of 4 that count at once, 25 times each", async () => {
      await withTable(async ({ database, another }) => {
        await database.write(async (transaction) =>
          transaction.run("INSERT INTO worldline_trial (id, size) VALUES (1, 0)"),
        );
        const counting = [database, another(), another(), another()].map(async (each) => {
          for (let step = 0; step < 25; step += 1) {
            await each.write(async (transaction) =>
              transaction.run("UPDATE worldline_trial SET size = size + 1 WHERE id = ?", [1]),
            );
          }
        });
        await Promise.all(counting);
        const rows = await database.read(async (transaction) =>
          transaction.all("SELECT size FROM worldline_trial"),
        );
        expect(rows).toEqual([{ size: 100 }]);
      });
    });

    it("knows the time, and that it is there", async () => {
      await withTable(async ({ database, another }) => {
        const [here, there] = [database, another()].map(async (each) =>
          each.read(async (transaction) => each.now(transaction)),
        );
        expect(Number.isSafeInteger(await here)).toBe(true);
        expect(Math.abs(((await here) ?? 0) - ((await there) ?? 0))).toBeLessThan(60_000);
        expect(await another().exists()).toBe(true);
        await database.scrub();
      });
    });

    it("can be closed twice", async () => {
      await withTable(async ({ database }) => {
        await database.close();
        await database.close();
      });
    });
  });
}
