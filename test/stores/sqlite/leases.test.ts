import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import Libsql from "libsql";
import { expect, it } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { openSqlStore } from "../../../src/stores/sql/sql-store.ts";
import { SqliteDatabase } from "../../../src/stores/sqlite/sqlite-database.ts";
import { openSqliteStore, sqliteDialect } from "../../../src/stores/sqlite/sqlite-store.ts";
import { inTempFolder, ManualClock, rejectsWith, SimulatedProcesses } from "../../../src/testing/testing.ts";
import { writtenSession } from "../sql/written-session.ts";

const LEASE_MS = 30_000;

interface Machines {
  readonly path: string;
  readonly clock: ManualClock;
  /** A store in a new process on that machine. */
  on(host: string, clock?: Clock, leaseMs?: number): LogStore;
}

async function withMachines(work: (machines: Machines) => Promise<void>): Promise<void> {
  await inTempFolder(async (folder) => {
    const path = join(folder, "sessions.db");
    const processes = new SimulatedProcesses();
    const clock = new ManualClock();
    const opened: LogStore[] = [];
    const on: Machines["on"] = (host, own = clock, leaseMs = LEASE_MS) => {
      const store = openSqliteStore({ path, clock: own, processes: processes.start(host), leaseMs });
      opened.push(store);
      return store;
    };
    await work({ path, clock, on });
    for (const store of opened) await store.close();
  });
}

it("a lease elsewhere holds until it runs out, and says until when and what else can be done", async () => {
  await withMachines(async ({ clock, on }) => {
    const [there, here] = [on("there"), on("here")];
    const { session } = await writtenSession(there);
    const lease = await there.lease(session, { name: "the first", waitMs: 0 });
    const until = new Date(clock.now() + LEASE_MS).toISOString();
    const error = await rejectsWith("SESSION_HELD", here.lease(session, { name: "the second", waitMs: 0 }));
    expect(error.message).toContain(
      `the first (pid ${lease.owner.pid} on there, since ${lease.owner.since})`,
    );
    expect(error.message).toContain(`its lease runs until ${until}`);
    expect(error.hint).toContain(`worldline fork ${session}`);
    expect(error.hint).toContain("--take-over");
    expect(await here.holder(session)).toEqual({ owner: lease.owner, life: "elsewhere", until });
    await clock.wait(LEASE_MS);
    expect(await here.holder(session)).toEqual({ owner: lease.owner, life: "dead" });
    expect(await there.holder(session)).toEqual({ owner: lease.owner, life: "living" });
    const heir = await here.lease(session, { name: "the second", waitMs: 0 });
    expect(heir.takenFrom).toEqual(lease.owner);
  });
});

it("a program that waits long enough for a lease elsewhere gets it when it expires", async () => {
  await withMachines(async ({ on }) => {
    const there = on("there");
    const { session } = await writtenSession(there);
    await there.lease(session, { name: "the first", waitMs: 0 });
    const heir = await on("here").lease(session, { name: "the second", waitMs: 2 * LEASE_MS });
    expect(heir.takenFrom?.name).toBe("the first");
  });
});

it("a lease elsewhere is taken over at once where that is asked for; one of a living owner here never", async () => {
  await withMachines(async ({ on }) => {
    const there = on("there");
    const { session } = await writtenSession(there);
    await there.lease(session, { name: "the first", waitMs: 0 });
    const take = { name: "the second", waitMs: 0, takeOver: "yes" } as const;
    await rejectsWith("SESSION_HELD", on("there").lease(session, take));
    await rejectsWith("SESSION_HELD", on("here").lease(session, { ...take, takeOver: "unreadable" }));
    expect((await on("here").lease(session, take)).takenFrom?.name).toBe("the first");
  });
});

it("a program that lost its lease can append no more, and is told which program has it now", async () => {
  await withMachines(async ({ on }) => {
    const [there, here] = [on("there"), on("here")];
    const story = await writtenSession(there);
    const lost = await there.lease(story.session, { name: "the first", waitMs: 0 });
    const heir = await here.lease(story.session, { name: "the second", waitMs: 0, takeOver: "yes" });
    const entry = story.prompt("too late");
    const error = await rejectsWith("SEQ_CONFLICT", there.append(story.session, toSeq(4), [entry]));
    expect(error.message).toContain(`the second (pid ${heir.owner.pid} on here`);
    expect(error.hint).toContain(`worldline fork ${story.session}`);
    await lost.release();
    await here.append(story.session, toSeq(4), [entry]);
    expect(await here.holder(story.session)).toEqual({ owner: heir.owner, life: "living" });
    expect(await there.read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries);
  });
});

it("a lease whose owner cannot be read is taken only when that is asked for", async () => {
  await withMachines(async ({ path, on }) => {
    const store = on("here");
    const { session } = await writtenSession(store);
    await store.lease(session, { name: "the first", waitMs: 0 });
    const database = new Libsql(path);
    database.exec("UPDATE worldline_leases SET owner = 'scribble'");
    database.close();
    expect(await store.holder(session)).toEqual({ life: "elsewhere", until: expect.any(String) });
    const error = await rejectsWith("SESSION_HELD", store.lease(session, { name: "the second", waitMs: 0 }));
    expect(error.message).toContain("a lease whose owner cannot be read");
    await store.lease(session, { name: "the second", waitMs: 0, takeOver: "unreadable" });
  });
});

it("a lease is renewed as long as it is held, and no longer", async () => {
  await withMachines(async ({ path, on }) => {
    const store = on("there", systemClock, 150);
    const { session } = await writtenSession(store);
    const lease = await store.lease(session, { name: "the holder", waitMs: 0 });
    const ends = (): number[] => {
      const database = new Libsql(path);
      const rows = database.prepare("SELECT expires_at FROM worldline_leases").all([]);
      database.close();
      return (rows as { expires_at: number }[]).map((row) => row.expires_at);
    };
    const [first = 0] = ends();
    while ((ends()[0] ?? 0) <= first + 150) await setTimeout(10);
    await lease.release();
    await setTimeout(120);
    expect(ends()).toEqual([]);
  });
});

it("a lease that could not be given back is free for its own process at once, and soon for all", async () => {
  await withMachines(async ({ path, on, clock }) => {
    const [store, neighbour] = [on("here", clock, 150), on("here")];
    const { session } = await writtenSession(store);
    const lease = await store.lease(session, { name: "the first", waitMs: 0 });
    const other = new Libsql(path);
    other.exec("BEGIN IMMEDIATE");
    await rejectsWith("STORE_BUSY", lease.release());
    expect(await store.holder(session)).toEqual({ owner: lease.owner, life: "dead" });
    expect(await neighbour.holder(session)).toEqual({ owner: lease.owner, life: "dead" });
    other.exec("ROLLBACK");
    other.close();
    while ((await neighbour.holder(session)) !== undefined) await setTimeout(10);
    await (await store.lease(session, { name: "the second", waitMs: 0 })).release();
  });
});

it("a lease that cannot be given back yet goes to the next request in its process, like one that was given back", async () => {
  await withMachines(async ({ path, on }) => {
    const store = on("here");
    const { session } = await writtenSession(store);
    const lease = await store.lease(session, { name: "the first", waitMs: 0 });
    const other = new Libsql(path);
    other.exec("BEGIN IMMEDIATE");
    await rejectsWith("STORE_BUSY", lease.release());
    other.exec("ROLLBACK");
    other.close();
    const next = await store.lease(session, { name: "the second", waitMs: 0 });
    expect(next.takenFrom).toBeUndefined();
    await lease.release();
    expect(await store.holder(session)).toEqual({ owner: next.owner, life: "living" });
  });
});

it("a length of a lease that cannot be kept is refused at once", async () => {
  await withMachines(async ({ on, clock }) => {
    for (const leaseMs of [0, 99, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => on("here", clock, leaseMs)).toThrow(
        expect.objectContaining({ code: "INPUT_INVALID", hint: expect.stringContaining("from 100 to") }),
      );
    }
  });
});

it("a lost lease is no longer renewed", async () => {
  await withMachines(async ({ path }) => {
    const database = new SqliteDatabase({ path, clock: systemClock });
    let writes = 0;
    const store = openSqlStore({
      database: {
        read: async (work) => database.read(work),
        write: async (work) => {
          writes += 1;
          return database.write(work);
        },
        exists: async () => database.exists(),
        scrub: async () => database.scrub(),
        now: async () => database.now(),
        close: async () => database.close(),
      },
      dialect: sqliteDialect,
      place: { kind: "sqlite", name: path, reach: "machine" },
      clock: systemClock,
      leaseMs: 100,
    });
    const { session } = await writtenSession(store);
    await store.lease(session, { name: "the holder", waitMs: 0 });
    const other = new Libsql(path);
    other.exec("DELETE FROM worldline_leases");
    other.close();
    await setTimeout(100);
    const before = writes;
    await setTimeout(200);
    expect(writes).toBe(before);
    await store.close();
  });
});
