import { copyFileSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../../src/open-store.ts";
import type { MissingEntries } from "../../../src/ports/log-store.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { rejectsWith, Story, sessionNumber, tempFolder } from "../../../src/testing/testing.ts";
import { bundleProgram } from "../../crash/children/bundle.ts";
import { startChild } from "../../crash/children/child.ts";

const REQUEST = { name: "a test", waitMs: 0 };

/**
 * A database with one session of two lines, written by other processes, because SQLite keeps state about a
 * database file until the process that opened it ends.
 */
async function scene() {
  const folder = tempFolder();
  onTestFinished(folder.remove);
  const [home, path] = [join(folder.path, "home"), join(folder.path, "sessions.db")];
  const address = `sqlite:${path}`;
  const told: (readonly MissingEntries[])[] = [];
  const open = () => {
    const store = openStore(address, { home, onMissing: (missing) => told.push(missing) });
    onTestFinished(async () => store.close());
    return store;
  };
  const script = await bundleProgram(new URL("./children/writer.ts", import.meta.url), folder.path);
  const tell = async (number: number, lines: readonly [number, number], end: "killed" | "well" = "well") => {
    const child = startChild(script, [address, home, `${number}`, `${lines[0]}`, `${lines[1]}`, end]);
    expect(await child.ended).toBe(end === "killed" ? null : 0);
  };
  await tell(1, [1, 2]);
  return { path, home, open, session: sessionNumber(1), told, tell };
}

describe("a database whose writer was killed", () => {
  it("has everything that was acknowledged while its -wal is there", async () => {
    const { open, session, tell, told, path } = await scene();
    await tell(1, [3, 5], "killed");
    expect(existsSync(`${path}-wal`)).toBe(true);
    const store = open();
    expect((await store.open(session)).outline.nextSeq).toBe(6);
    expect(await store.missing?.()).toEqual([]);
    await (await store.lease(session, REQUEST)).release();
    expect(told).toEqual([]);
  });

  it.each([["-wal"], ["-wal", "-shm"]])(
    "and whose %s %s was removed says what is missing",
    async (...ends) => {
      const { open, session, tell, told, path } = await scene();
      await tell(1, [3, 5], "killed");
      for (const end of ends) rmSync(`${path}${end}`);
      const store = open();
      const expected = {
        session,
        from: 3,
        entries: 3,
        acknowledgedAt: expect.stringMatching(/^\d{4}-.*Z$/u),
      };
      expect(await store.list()).toEqual([session]);
      expect(told).toEqual([[expected]]);
      expect(await store.missing?.()).toEqual([expected]);
      const { outline, damage } = await store.open(session);
      expect(outline.nextSeq).toBe(3);
      expect(damage).toEqual([
        expect.objectContaining({ what: "missing", why: expect.stringContaining("3 acknowledged entries") }),
      ]);
      expect(await store.verify(session)).toEqual(damage);
      const error = await rejectsWith("ENTRIES_MISSING", store.lease(session, REQUEST));
      expect(error.hint).toContain("worldline doctor --fix");
    },
  );

  it("can be written to again when the loss is accepted, and what was noted is kept", async () => {
    const { open, session, tell, path, home } = await scene();
    await tell(1, [3, 5], "killed");
    rmSync(`${path}-wal`);
    const store = open();
    await store.acceptMissing?.();
    expect(await store.missing?.()).toEqual([]);
    expect(
      readdirSync(join(home, "acknowledged")).filter((name) => name.includes(".accepted-")),
    ).toHaveLength(1);
    const lease = await store.lease(session, REQUEST);
    const story = new Story();
    story.begin();
    story.prompt("line 2");
    await store.append(session, toSeq(3), [story.prompt("goes on")]);
    await lease.release();
    expect(await store.missing?.()).toEqual([]);
  });
});

describe("a database that an older copy was put in the place of", () => {
  it("says which entries and which sessions are missing", async () => {
    const { open, session, path, tell } = await scene();
    copyFileSync(path, `${path}.old`);
    await tell(1, [3, 4]);
    await tell(2, [1, 1]);
    copyFileSync(`${path}.old`, path);
    const again = open();
    expect(await again.missing?.()).toEqual([
      expect.objectContaining({ session, from: 3, entries: 2 }),
      expect.objectContaining({ session: sessionNumber(2), from: 1, entries: 1 }),
    ]);
    await rejectsWith("ENTRIES_MISSING", again.open(sessionNumber(2)));
    await rejectsWith("ENTRIES_MISSING", again.lease(sessionNumber(2), REQUEST));
  });

  it("is also noticed if there is no file at all", async () => {
    const { open, session, path } = await scene();
    rmSync(path);
    const store = open();
    expect(await store.missing?.()).toEqual([expect.objectContaining({ session, from: 1, entries: 2 })]);
  });
});

describe("a program that has the database open while the -wal of a killed one is removed", () => {
  it("still has everything, and puts it into the file with its next write", async () => {
    const { open, session, path, tell } = await scene();
    const store = open();
    await store.list();
    await tell(1, [3, 5], "killed");
    rmSync(`${path}-wal`);
    expect((await store.open(session)).outline.nextSeq).toBe(6);
    const lease = await store.lease(session, REQUEST);
    await lease.release();
    await store.close();
    await tell(1, [6, 6]);
    expect((await open().open(session)).outline.nextSeq).toBe(7);
    expect(await open().missing?.()).toEqual([]);
  });

  it("keeps another one from reading what would be half of it, and tells it why", async () => {
    const { open, session, path, tell } = await scene();
    await open().list();
    await tell(1, [3, 5], "killed");
    rmSync(`${path}-wal`);
    const error = await rejectsWith("STORE_UNREADABLE", open().open(session));
    expect(error.message).toContain("was removed while the database was in use");
    expect(error.hint).toContain("Stop all programs");
  });
});

describe("a session that was let go of on purpose", () => {
  it("is not missing: in the trash, removed for good, and begun again with fewer entries", async () => {
    const { open, session } = await scene();
    const store = open();
    await store.trash(session, 1);
    expect(await store.missing?.()).toEqual([]);
    await store.emptyTrash(2);
    expect(await store.missing?.()).toEqual([]);
    await store.create(new Story().begin());
    expect(await store.missing?.()).toEqual([]);
  });
});

describe("many processes that write at once", () => {
  it("never find anything missing", async () => {
    const { open, told } = await scene();
    const stores = Array.from({ length: 4 }, () => open());
    await Promise.all(
      stores.map(async (store, number) => {
        const story = new Story(sessionNumber(number + 2));
        await store.create(story.begin());
        for (let seq = 2; seq < 30; seq += 1) {
          await store.append(story.session, toSeq(seq), [story.prompt(`${seq}`)]);
          expect(await store.missing?.()).toEqual([]);
        }
      }),
    );
    expect(told).toEqual([]);
  });
});
