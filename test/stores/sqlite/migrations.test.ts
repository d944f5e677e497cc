import { readFileSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { expect, it } from "vitest";
import { toSeq } from "../../../src/record/ids.ts";
import { type Migration, migrations } from "../../../src/stores/sql/schema.ts";
import { openSqlStore } from "../../../src/stores/sql/sql-store.ts";
import { SqliteDatabase } from "../../../src/stores/sqlite/sqlite-database.ts";
import { openSqliteStore, sqliteDialect } from "../../../src/stores/sqlite/sqlite-store.ts";
import {
  inTempFolder,
  ManualClock,
  rejectsWith,
  Story,
  sessionNumber,
} from "../../../src/testing/testing.ts";
import { writtenSession } from "../sql/written-session.ts";

const clock = new ManualClock();
const withNotes: readonly Migration[] = [
  ...migrations,
  {
    version: 2,
    statements: ({ whole }) => [
      "ALTER TABLE worldline_sessions ADD COLUMN note TEXT",
      `CREATE TABLE worldline_notes (session_key ${whole} NOT NULL)`,
    ],
  },
];

function openNewer(path: string) {
  return openSqlStore({
    database: new SqliteDatabase({ path, clock }),
    dialect: sqliteDialect,
    place: { kind: "sqlite", name: path, reach: "machine" },
    clock,
    migrations: withNotes,
  });
}

/** Queries the file directly, as another program would. */
function ask(path: string, text: string): unknown[] {
  const database = new Libsql(path);
  const rows = database.prepare(text).all([]);
  database.close();
  return rows;
}

it("a newer program brings the tables up to date by looking, and keeps what is in them", async () => {
  await inTempFolder(async (folder) => {
    const path = join(folder, "sessions.db");
    const before = openSqliteStore({ path, clock });
    const story = await writtenSession(before);
    await before.close();
    expect(ask(path, "SELECT version FROM worldline_schema")).toEqual([{ version: 1 }]);
    const stores = [openNewer(path), openNewer(path), openNewer(path)];
    const lists = await Promise.all(stores.map(async (store) => store.list()));
    expect(lists).toEqual([[story.session], [story.session], [story.session]]);
    expect(ask(path, "SELECT version FROM worldline_schema")).toEqual([{ version: 2 }]);
    expect(ask(path, "SELECT note FROM worldline_sessions")).toEqual([{ note: null }]);
    const [after] = stores;
    expect(await after?.read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries);
    await after?.append(story.session, toSeq(4), [story.prompt("goes on")]);
    for (const store of stores) await store.close();
  });
});

it("an older program refuses a newer schema, says what to do, and changes nothing", async () => {
  await inTempFolder(async (folder) => {
    const path = join(folder, "sessions.db");
    const newer = openNewer(path);
    const story = await writtenSession(newer);
    await newer.close();
    const bytes = readFileSync(path);
    const older = openSqliteStore({ path, clock });
    const calls = [
      () => older.list(),
      () => older.open(story.session),
      () => older.append(story.session, toSeq(4), [story.prompt("never")]),
      () => older.create(new Story(sessionNumber(2)).begin()),
    ];
    for (const call of calls) {
      const error = await rejectsWith("FORMAT_NEWER", call());
      expect(error.message).toContain("has schema version 2; this program supports versions up to 1");
      expect(error.hint).toContain("Update");
    }
    await older.close();
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });
});

it("an older program that is running writes nothing more once a newer one has altered the tables", async () => {
  await inTempFolder(async (folder) => {
    const path = join(folder, "sessions.db");
    const older = openSqliteStore({ path, clock });
    const story = await writtenSession(older);
    const { session } = story;
    const newer = openNewer(path);
    await newer.list();
    const everything = () =>
      ["sessions", "lines", "blobs", "leases", "published"].map((table) =>
        ask(path, `SELECT * FROM worldline_${table}`),
      );
    const before = everything();
    const calls = [
      () => older.append(session, toSeq(4), [story.prompt("never")]),
      () => older.create(new Story(sessionNumber(2)).begin()),
      () => older.putBlob(session, Buffer.from("never")),
      () => older.lease(session, { name: "never", waitMs: 0 }),
      () => older.publish(session, []),
      () => older.rewrite(session, (entry) => entry),
      () => older.trash(session, 1000),
    ];
    for (const call of calls) {
      const error = await rejectsWith("FORMAT_NEWER", call());
      expect(error.message).toContain("has schema version 2; this program supports versions up to 1");
    }
    expect(everything()).toEqual(before);
    await older.close();
    await newer.close();
  });
});

it("of 10 programs that make the tables at once, each finds them made once", async () => {
  await inTempFolder(async (folder) => {
    const path = join(folder, "sessions.db");
    const stores = Array.from({ length: 10 }, () => openSqliteStore({ path, clock: new ManualClock() }));
    await Promise.all(
      stores.map(async (store, at) => store.create(new Story(sessionNumber(at + 1)).begin())),
    );
    expect(await stores[0]?.list()).toHaveLength(10);
    for (const store of stores) await store.close();
    expect(ask(path, "SELECT COUNT(*) AS rows FROM worldline_schema")).toEqual([{ rows: 1 }]);
  });
});

it("a migration that fails leaves everything as it was", async () => {
  await inTempFolder(async (folder) => {
    const path = join(folder, "sessions.db");
    const before = openSqliteStore({ path, clock });
    const story = await writtenSession(before);
    const broken = openSqlStore({
      database: new SqliteDatabase({ path, clock }),
      dialect: sqliteDialect,
      place: { kind: "sqlite", name: path, reach: "machine" },
      clock,
      migrations: [
        ...migrations,
        { version: 2, statements: () => ["CREATE TABLE worldline_notes (a TEXT)", "CREATE TABLE oops ("] },
      ],
    });
    await rejectsWith("STORE_UNREADABLE", broken.list());
    await broken.close();
    expect(ask(path, "SELECT name FROM sqlite_master WHERE name = 'worldline_notes'")).toEqual([]);
    expect(await before.read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries);
    await before.close();
  });
});
