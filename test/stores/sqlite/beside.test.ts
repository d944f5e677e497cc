import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { describe, expect, it } from "vitest";
import { isOwnDatabase } from "../../../src/disk/own-database.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import type { WorldlineError } from "../../../src/record/error.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { inTempFolder, ManualClock, rejectsWith, type Story } from "../../../src/testing/testing.ts";
import { writtenSession } from "../sql/written-session.ts";

const clock = new ManualClock();

interface Scene {
  readonly path: string;
  readonly store: LogStore;
  readonly story: Story;
  /** How many entries a program would find if it opened a copy of the current files, as after kill -9. */
  readonly left: () => Promise<number>;
}

async function inScene(work: (scene: Scene) => Promise<void>): Promise<void> {
  await inTempFolder(async (folder) => {
    const path = join(folder, "sessions.db");
    const store = openSqliteStore({ path, clock });
    const story = await writtenSession(store);
    let copies = 0;
    const left = async (): Promise<number> => {
      copies += 1;
      const copy = join(folder, `copy-${copies}`);
      mkdirSync(copy);
      for (const end of ["", "-wal"]) {
        if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, join(copy, `sessions.db${end}`));
      }
      const another = openSqliteStore({ path: join(copy, "sessions.db"), clock });
      const count = await countIn(another, story);
      await another.close();
      return count;
    };
    await work({ path, store, story, left });
    await store.close();
  });
}

async function countIn(store: LogStore, { session }: Story): Promise<number> {
  return (await store.read(session, toSeq(1), toSeq(1_000))).length;
}

async function append({ store, story }: Pick<Scene, "store" | "story">): Promise<void> {
  const entry = story.prompt("one more");
  await store.append(story.session, entry.seq, [entry]);
}

describe("a -wal that is removed while it is in use", () => {
  it("loses nothing that was written before, or after", async () => {
    await inScene(async ({ path, store, story, left }) => {
      await append({ store, story });
      const before = story.entries.length;
      rmSync(`${path}-wal`);
      await append({ store, story });
      expect(await left()).toBe(before + 1);
      await append({ store, story });
      expect(await left()).toBe(before + 2);
    });
  });

  it("loses nothing that was written, or refuses to write, when the -shm is removed as well", async () => {
    await inScene(async ({ path, store, story, left }) => {
      await append({ store, story });
      const before = story.entries.length;
      for (const end of ["-wal", "-shm"]) rmSync(`${path}${end}`);
      const entry = story.prompt("after it");
      const outcome = await store.append(story.session, entry.seq, [entry]).then(
        () => "written",
        (error: WorldlineError) => error.code,
      );
      expect(["written", "STORE_UNWRITABLE"]).toContain(outcome);
      expect(await left()).toBe(outcome === "written" ? before + 1 : before);
    });
  });

  it("loses nothing of another one that has the file open as well", async () => {
    await inScene(async ({ path, store, story, left }) => {
      const another = openSqliteStore({ path, clock });
      await append({ store: another, story });
      rmSync(`${path}-wal`);
      await append({ store, story });
      await append({ store: another, story });
      await append({ store, story });
      expect(await left()).toBe(story.entries.length);
      await another.close();
      expect(await left()).toBe(story.entries.length);
    });
  });

  it("is refused if another program has begun again meanwhile, and what was written is saved", async () => {
    await inScene(async ({ path, store, story }) => {
      const before = story.entries.length;
      for (const end of ["-wal", "-shm"]) rmSync(`${path}${end}`);
      copyFileSync(path, `${path}-wal`);
      const entry = story.prompt("refused");
      const error = await rejectsWith("STORE_UNWRITABLE", store.append(story.session, entry.seq, [entry]));
      expect(error.message).toContain("removed while the database was in use");
      const copy = readdirSync(join(path, "..")).find((name) => name.includes(".saved-")) ?? "";
      expect(error.hint).toContain(copy);
      const saved = openSqliteStore({ path: join(path, "..", copy), clock });
      expect(await countIn(saved, story)).toBe(before);
      await saved.close();
      rmSync(`${path}-wal`);
    });
  });
});

describe("a database that is gone", () => {
  it("is not created again by giving back a lease, nor by closing", async () => {
    await inTempFolder(async (folder) => {
      const path = join(folder, "sessions.db");
      const store = openSqliteStore({ path, clock });
      const story = await writtenSession(store);
      const lease = await store.lease(story.session, { name: "test", waitMs: 0 });
      for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`);
      const entry = story.prompt("lost");
      const refused = await rejectsWith("STORE_UNWRITABLE", store.append(story.session, entry.seq, [entry]));
      expect(refused.message).toContain("no longer exists");
      const error = await rejectsWith("STORE_UNWRITABLE", lease.release());
      expect(error.message).toContain("no longer exists");
      await store.close();
      expect(readdirSync(folder)).toEqual([]);
    });
  });
});

describe("the file of a database", () => {
  it("says whose it is from the beginning", async () => {
    await inScene(async ({ path }) => {
      expect(isOwnDatabase(readFileSync(path))).toBe(true);
    });
  });

  it("of an earlier Worldline says so after the next write", async () => {
    await inTempFolder(async (folder) => {
      const path = join(folder, "sessions.db");
      const before = openSqliteStore({ path, clock });
      const story = await writtenSession(before);
      await before.close();
      const raw = new Libsql(path);
      raw.exec("PRAGMA application_id = 0");
      raw.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all([]);
      raw.close();
      expect(isOwnDatabase(readFileSync(path))).toBe(false);
      const store = openSqliteStore({ path, clock });
      await append({ store, story });
      expect(isOwnDatabase(readFileSync(path))).toBe(true);
      await store.close();
    });
  });
});
