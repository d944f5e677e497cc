import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { expect, it } from "vitest";
import { toSeq } from "../../../src/record/ids.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import {
  inTempFolder,
  ManualClock,
  rejectsWith,
  Story,
  sessionNumber,
} from "../../../src/testing/testing.ts";
import { writtenSession } from "../sql/written-session.ts";

const clock = new ManualClock();

it("looking at a database that is not there makes none", async () => {
  await inTempFolder(async (folder) => {
    const store = openSqliteStore({ path: join(folder, "home", "sessions.db"), clock });
    const { session } = new Story();
    expect(await store.list()).toEqual([]);
    expect(await store.listTrash()).toEqual([]);
    expect(await store.emptyTrash(1)).toEqual([]);
    await rejectsWith("SESSION_UNKNOWN", store.open(session));
    await rejectsWith("SESSION_UNKNOWN", store.append(session, toSeq(2), []));
    await rejectsWith("SESSION_UNKNOWN", store.lease(session, { name: "test", waitMs: 0 }));
    await rejectsWith("SESSION_UNKNOWN", store.undelete(session));
    await store.close();
    expect(readdirSync(folder)).toEqual([]);
  });
});

it("the first session makes the file and its folder, for their owner alone", async () => {
  await inTempFolder(async (folder) => {
    const path = join(folder, "deep", "home", "odd ?#%20 名.db");
    const store = openSqliteStore({ path, clock });
    await writtenSession(store);
    expect(store.place).toEqual({ kind: "sqlite", name: path, reach: "machine" });
    for (const name of readdirSync(join(folder, "deep", "home"))) {
      expect([name, statSync(join(folder, "deep", "home", name)).mode & 0o777]).toEqual([name, 0o600]);
    }
    expect(statSync(join(folder, "deep")).mode & 0o777).toBe(0o700);
    await store.close();
    expect(existsSync(path)).toBe(true);
  });
});

async function isRefused(path: string, message: RegExp, hint: string): Promise<void> {
  const store = openSqliteStore({ path, clock });
  for (const call of [() => store.list(), () => store.create(new Story().begin())]) {
    const error = await rejectsWith("STORE_UNREADABLE", call());
    expect(error.message).toMatch(message);
    expect(error.hint).toBe(hint);
  }
  await store.close();
}

it("a folder is refused", async () => {
  await inTempFolder(async (folder) => {
    await isRefused(
      folder,
      /is a folder/,
      "A SQLite store is a single file. Name a file, such as sqlite:sessions.db",
    );
  });
});

it("a file that is not a database is refused, and stays unchanged", async () => {
  await inTempFolder(async (folder) => {
    const path = join(folder, "text.db");
    const text = "this is not a database ".repeat(100);
    writeFileSync(path, text);
    await isRefused(
      path,
      /is not a SQLite database/,
      "Nothing was changed. Name another file with --store sqlite:<path>, or restore this one from a backup.",
    );
    expect(readFileSync(path, "utf8")).toBe(text);
  });
});

it("another program's tables of our names are refused, and stay as they are", async () => {
  await inTempFolder(async (folder) => {
    const path = join(folder, "foreign.db");
    const other = new Libsql(path);
    other.exec("CREATE TABLE worldline_sessions (id INTEGER PRIMARY KEY, title TEXT)");
    other.close();
    const bytes = readFileSync(path);
    await isRefused(
      path,
      /Worldline did not create them/,
      "Nothing was changed. Name another database with --store or WORLDLINE_STORE.",
    );
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });
});

it("the database of another program is refused, and stays as it is", async () => {
  await inTempFolder(async (folder) => {
    const path = join(folder, "foreign.db");
    const other = new Libsql(path);
    other.exec("CREATE TABLE invoices (id INTEGER PRIMARY KEY, title TEXT)");
    other.close();
    const bytes = readFileSync(path);
    const store = openSqliteStore({ path, clock });
    expect(await store.list()).toEqual([]);
    const error = await rejectsWith("STORE_UNREADABLE", store.create(new Story().begin()));
    expect(error.message).toBe(`${path} is another program's database.`);
    expect(error.hint).toContain("Use a separate file");
    await store.close();
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(readdirSync(folder)).toEqual(["foreign.db"]);
  });
});

it("a path through a file is refused with the next step", async () => {
  await inTempFolder(async (folder) => {
    writeFileSync(join(folder, "file"), "");
    const store = openSqliteStore({ path: join(folder, "file", "sessions.db"), clock });
    expect(await store.list()).toEqual([]);
    const error = await rejectsWith("STORE_UNWRITABLE", store.create(new Story().begin()));
    expect(error.hint).toContain("Part of its path is not a folder");
  });
});

it("a database in which pages were overwritten says so, and how to save what is left", async () => {
  await inTempFolder(async (folder) => {
    const path = join(folder, "sessions.db");
    const before = openSqliteStore({ path, clock });
    const story = await writtenSession(before);
    await before.close();
    const bytes = readFileSync(path);
    bytes.fill(0xaa, 16_384);
    writeFileSync(path, bytes);
    const store = openSqliteStore({ path, clock });
    const error = await rejectsWith("STORE_UNREADABLE", store.open(story.session));
    expect(error.message).toContain("is damaged (SQLITE_CORRUPT");
    expect(error.hint).toContain(".recover");
    await store.close();
  });
});

it("a database that is moved away while it is open is not created again", async () => {
  await inTempFolder(async (folder) => {
    const path = join(folder, "sessions.db");
    const store = openSqliteStore({ path, clock });
    const story = await writtenSession(store);
    const entry = story.prompt("while it is away");
    renameSync(path, join(folder, "moved.db"));
    renameSync(`${path}-wal`, join(folder, "moved.db-wal"));
    await rejectsWith("STORE_UNWRITABLE", store.append(story.session, toSeq(4), [entry]));
    await rejectsWith("STORE_UNREADABLE", store.open(story.session));
    renameSync(join(folder, "moved.db-wal"), `${path}-wal`);
    renameSync(join(folder, "moved.db"), path);
    await store.append(story.session, toSeq(4), [entry]);
    expect(await store.read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries);
    await store.close();
  });
});

it("what was forgotten is no longer in the file", async () => {
  await inTempFolder(async (folder) => {
    const path = join(folder, "sessions.db");
    const store = openSqliteStore({ path, clock });
    const story = new Story(sessionNumber(1));
    await store.create(story.begin());
    const secret = "hunter2 is the password";
    const short = story.title(secret);
    await store.append(story.session, toSeq(2), [short]);
    await store.putBlob(story.session, Buffer.from(secret));
    const holding = () =>
      readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(secret));
    expect(holding()).not.toEqual([]);
    await store.rewrite(story.session, (entry) =>
      entry.kind === "title" ? { ...entry, title: "[forgotten]" } : entry,
    );
    const reader = new Libsql(path);
    reader.exec("BEGIN");
    reader.prepare("SELECT version FROM worldline_schema").all([]);
    expect(await store.scrub()).toBe(`${path} has been in use by another program for 2 seconds.`);
    reader.exec("COMMIT");
    reader.close();
    expect(await store.scrub()).toBeUndefined();
    expect(holding()).toEqual([]);
    await store.close();
  });
});
