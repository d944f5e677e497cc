import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { SqliteDatabase } from "../../../src/stores/sqlite/sqlite-database.ts";
import { tempFolder } from "../../../src/testing/temp-folder.ts";

/** A fixed sequence, so that pages always split in the same way. */
function dice(): () => number {
  let seed = 7;
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
}

interface Row {
  readonly key: number;
  readonly seq: number;
  readonly text: string;
}

/** Eight sessions that grow at the same time, so that pages split in the middle and rows move. */
async function splitPages(database: SqliteDatabase): Promise<readonly Row[]> {
  const roll = dice();
  const rows: Row[] = [];
  await database.write(async ({ run }) => {
    await run(
      "CREATE TABLE worldline_lines (k INTEGER NOT NULL, s INTEGER NOT NULL, line BLOB NOT NULL, PRIMARY KEY (k, s)) WITHOUT ROWID",
    );
    for (let seq = 1; seq <= 150; seq += 1) {
      for (const key of [91, 12, 55, 3, 78, 30, 66, 20]) {
        const text = `row<${key}:${seq}>`;
        rows.push({ key, seq, text });
        const line = Buffer.from(text + "x".repeat(Math.floor(roll() * 900)));
        await run("INSERT INTO worldline_lines VALUES (?, ?, ?)", [key, seq, line]);
      }
    }
  });
  return rows;
}

describe("scrubbing a SQLite file", () => {
  it("takes away what SQLite left of rows in pages that it has moved them from", async () => {
    const { path: folder, remove } = tempFolder();
    onTestFinished(remove);
    const path = join(folder, "sessions.db");
    const first = new SqliteDatabase({ path, clock: systemClock });
    const rows = await splitPages(first);
    await first.close();
    const before = readFileSync(path);
    const moved = rows.filter(({ text }) => before.indexOf(text) !== before.lastIndexOf(text));
    expect(moved).not.toEqual([]);
    const database = new SqliteDatabase({ path, clock: systemClock });
    await database.write(async ({ run }) => {
      for (const { key, seq } of moved)
        await run("UPDATE worldline_lines SET line = ? WHERE k = ? AND s = ?", [
          Buffer.from("gone"),
          key,
          seq,
        ]);
    });
    await database.scrub();
    await database.close();
    const after = readFileSync(path);
    expect(moved.filter(({ text }) => after.includes(text))).toEqual([]);
    expect(rows.filter(({ text }) => after.includes(text))).toHaveLength(rows.length - moved.length);
  });
});
