import { resolve } from "node:path";
import type { Clock } from "../../ports/clock.ts";
import { SqliteDatabase } from "./sqlite-database.ts";

const MOST_SAID = 5;

/** What SQLite itself finds wrong with the pages of a file, in its words, the first few; nothing where there is no file. */
export async function pageDamage(path: string, clock: Clock): Promise<readonly string[]> {
  const database = new SqliteDatabase({ path: resolve(path), clock });
  try {
    if (!(await database.exists())) return [];
    const rows = await database.read(async (transaction) =>
      transaction.all(`PRAGMA quick_check(${MOST_SAID})`),
    );
    return rows
      .flatMap((row) => String(Object.values(row)[0]).split("\n"))
      .filter((line) => line !== "ok" && !/^\*\*\*/u.test(line))
      .slice(0, MOST_SAID);
  } finally {
    await database.close();
  }
}
