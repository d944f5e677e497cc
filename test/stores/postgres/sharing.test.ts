import { expect, it } from "vitest";
import { realProcesses } from "../../../src/disk/lock-owner.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { openPostgresStore } from "../../../src/stores/postgres/postgres-store.ts";
import { rejectsWith, Story, sessionNumber } from "../../../src/testing/testing.ts";
import { askPostgres, describeWithPostgres, freshPostgres } from "../../support/postgres/postgres.ts";

/** Stores on one database, each as if on its own machine. */
async function onMachines<Result>(
  names: readonly string[],
  work: (stores: readonly LogStore[], url: string) => Promise<Result>,
  leaseMs = 30_000,
): Promise<Result> {
  const url = await freshPostgres();
  const stores = names.map((host) =>
    openPostgresStore({ url, clock: systemClock, leaseMs, processes: { ...realProcesses(), host } }),
  );
  try {
    return await work(stores, url);
  } finally {
    for (const store of stores) await store.close();
  }
}

const TEN = Array.from({ length: 10 }, (_, at) => `machine-${at}`);

describeWithPostgres("machines that share a database", () => {
  it("all find the tables that one of them made, when all make them at once", async () => {
    await onMachines(TEN, async (stores, url) => {
      const stories = stores.map((_, at) => new Story(sessionNumber(at)));
      await Promise.all(
        stores.map(async (store, at) => store.create(stories[at]?.begin() ?? new Story().begin())),
      );
      expect(await stores[0]?.list()).toEqual(stories.map(({ session }) => session));
      expect(await askPostgres(url, "SELECT count(*)::int AS rows FROM worldline_schema")).toEqual([
        { rows: 1 },
      ]);
    });
  });

  it("make a session of one id once", async () => {
    await onMachines(TEN, async (stores) => {
      const made = await Promise.allSettled(stores.map(async (store) => store.create(new Story().begin())));
      expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const each of made) {
        if (each.status === "rejected") expect(each.reason).toMatchObject({ code: "SESSION_EXISTS" });
      }
    });
  });

  it("append one at a time: of ten with the same next line one wins, and no line is doubled", async () => {
    await onMachines(TEN, async (stores) => {
      const story = new Story();
      await stores[0]?.create(story.begin());
      for (let seq = 2; seq < 6; seq += 1) {
        const outcomes = await Promise.allSettled(
          stores.map(async (store, at) => {
            const other = new Story();
            other.begin();
            const entry = { ...other.prompt(`of machine ${at}`), seq: toSeq(seq) };
            await store.append(story.session, toSeq(seq), [entry]);
          }),
        );
        expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
        for (const each of outcomes) {
          if (each.status === "rejected") expect(each.reason).toMatchObject({ code: "SEQ_CONFLICT" });
        }
      }
    });
  });

  it("write to their own sessions without noticing each other", async () => {
    await onMachines(TEN, async (stores) => {
      const writing = stores.map(async (store, at) => {
        const story = new Story(sessionNumber(at));
        await store.create(story.begin());
        for (let count = 0; count < 10; count += 1) {
          const entry = story.prompt(`entry ${count}`);
          await store.append(story.session, entry.seq, [entry]);
        }
        expect(await store.read(story.session, toSeq(1), toSeq(99))).toEqual(story.entries);
      });
      await Promise.all(writing);
    });
  });

  it("hold a session one at a time, and name the holder to the other", async () => {
    await onMachines(["here", "there"], async ([here, there]) => {
      if (here === undefined || there === undefined) throw new Error("There are two.");
      const story = new Story();
      await here.create(story.begin());
      await here.lease(story.session, { name: "worldline resume", waitMs: 0 });
      const held = await rejectsWith(
        "SESSION_HELD",
        there.lease(story.session, { name: "another", waitMs: 0 }),
      );
      expect(held.message).toContain("worldline resume");
      expect(held.message).toContain("on here");
      expect(await there.holder(story.session)).toMatchObject({ owner: { host: "here" }, life: "elsewhere" });
    });
  });

  it("take over a session when its lease has expired, which its owner learns from its next append", async () => {
    await onMachines(["here", "there"], async ([here, there], url) => {
      if (here === undefined || there === undefined) throw new Error("There are two.");
      const story = new Story();
      await here.create(story.begin());
      await here.lease(story.session, { name: "asleep", waitMs: 0 });
      // Simulates a sleeping machine: no renewals arrive (the first would come after ten seconds), and its
      // lease has expired by the server's clock.
      await askPostgres(url, "UPDATE worldline_leases SET expires_at = 0");
      const lease = await there.lease(story.session, { name: "awake", waitMs: 0 });
      expect(lease.takenFrom).toMatchObject({ name: "asleep", host: "here" });
      const entry = story.prompt("too late");
      const late = await rejectsWith("SEQ_CONFLICT", here.append(story.session, entry.seq, [entry]));
      expect(late.message).toContain("awake");
      await there.append(story.session, entry.seq, [entry]);
      expect(await here.read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries);
    });
  });

  it("renew their leases as long as they live", async () => {
    const leaseMs = 300;
    await onMachines(
      ["here", "there"],
      async ([here, there]) => {
        if (here === undefined || there === undefined) throw new Error("There are two.");
        const story = new Story();
        await here.create(story.begin());
        await here.lease(story.session, { name: "the owner", waitMs: 0 });
        await rejectsWith(
          "SESSION_HELD",
          there.lease(story.session, { name: "another", waitMs: 3 * leaseMs }),
        );
      },
      leaseMs,
    );
  });

  it("refuse tables of a later version, and leave them as they are", async () => {
    await onMachines(["here", "there"], async ([here, there], url) => {
      if (here === undefined || there === undefined) throw new Error("There are two.");
      const story = new Story();
      await here.create(story.begin());
      const entry = story.prompt("never");
      await askPostgres(url, "UPDATE worldline_schema SET version = 99");
      const newer = await rejectsWith("FORMAT_NEWER", there.list());
      expect(newer.message).toContain("99");
      await rejectsWith("FORMAT_NEWER", there.create(new Story(sessionNumber(2)).begin()));
      // A store that had already checked the schema notices as well.
      await rejectsWith("FORMAT_NEWER", here.append(story.session, entry.seq, [entry]));
      await rejectsWith("FORMAT_NEWER", here.putBlob(story.session, Buffer.from("never")));
      expect(await askPostgres(url, "SELECT count(*)::int AS lines FROM worldline_lines")).toEqual([
        { lines: 1 },
      ]);
      expect(await askPostgres(url, "SELECT version::int FROM worldline_schema")).toEqual([{ version: 99 }]);
    });
  });
});
