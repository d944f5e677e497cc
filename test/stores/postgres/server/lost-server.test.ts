import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../../../scripts/postgres-server.mjs";
import { systemClock } from "../../../../src/disk/system-clock.ts";
import type { LogStore } from "../../../../src/ports/log-store.ts";
import type { Entry } from "../../../../src/record/entry.ts";
import { toSeq } from "../../../../src/record/ids.ts";
import { openPostgresStore } from "../../../../src/stores/postgres/postgres-store.ts";
import { ManualClock, Story, sessionNumber } from "../../../../src/testing/testing.ts";
import { askPostgres, describeWithPostgres } from "../../../support/postgres/postgres.ts";

const EVER = toSeq(1_000_000);
let server: PostgresServer;
let sessions = 0;

/** A new session with a store on it. */
async function begun(patienceMs = 10_000): Promise<{ readonly store: LogStore; readonly story: Story }> {
  const store = openPostgresStore({ url: server.url, clock: systemClock, patienceMs });
  sessions += 1;
  const story = new Story(sessionNumber(sessions));
  await store.create(story.begin());
  return { store, story };
}

async function append(store: LogStore, story: Story, text: string): Promise<void> {
  const entry = story.prompt(text);
  await store.append(story.session, entry.seq, [entry]);
}

/** The entries that another program reads. */
async function found(story: Story): Promise<readonly Entry[]> {
  const store = openPostgresStore({ url: server.url, clock: systemClock });
  try {
    return await store.read(story.session, toSeq(1), EVER);
  } finally {
    await store.close();
  }
}

describeWithPostgres("a server that is lost", () => {
  beforeAll(async () => {
    // Syncs for real, because acknowledged entries must survive.
    server = await startPostgres({ fsync: "on" });
  });
  afterAll(async () => {
    await server.remove();
  });

  it("is waited for: an append goes through when it is back in time", async () => {
    const { store, story } = await begun();
    await append(store, story, "before");
    await server.stop();
    const appending = append(store, story, "meanwhile");
    await setTimeout(300);
    await server.start();
    await appending;
    expect(await found(story)).toEqual(story.entries);
    await store.close();
  });

  it("is an error when it stays away, and the same append succeeds when it is back, once", async () => {
    const { store, story } = await begun(200);
    await server.stop();
    const entry = story.prompt("meanwhile");
    const appending = store.append(story.session, entry.seq, [entry]);
    await expect(appending).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringMatching(
        /^The Postgres server for postgres:\/\/worldline@127\.0\.0\.1:\d+\/postgres cannot be reached: .*ECONNREFUSED/u,
      ),
      hint: expect.stringContaining(
        "Nothing is lost. The session continues when the server is available again.",
      ),
    });
    await expect(store.list()).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    await server.start();
    await store.append(story.session, entry.seq, [entry]);
    await append(store, story, "after");
    expect(await found(story)).toEqual(story.entries);
    await store.close();
  });

  it("does not keep a lease's owner from going on with it when it is back", async () => {
    const { store, story } = await begun();
    const lease = await store.lease(story.session, { name: "the owner", waitMs: 0 });
    await server.stop();
    await server.start();
    await append(store, story, "after");
    expect(await store.holder(story.session)).toMatchObject({ owner: { name: "the owner" }, life: "living" });
    await lease.release();
    expect(await found(story)).toEqual(story.entries);
    await store.close();
  });

  it("loses and doubles nothing of what two write while it is killed three times", async () => {
    const writers = [await begun(), await begun()];
    let isOver = false;
    const writing = writers.map(async ({ store, story }) => {
      for (let count = 0; !isOver; count += 1) await append(store, story, `entry ${count}`);
    });
    const haveWritten = async (count: number): Promise<void> => {
      while (writers.some(({ story }) => story.entries.length < count)) await setTimeout(1);
    };
    const dice = new ManualClock({ seed: 3 });
    for (let kill = 1; kill <= 3; kill += 1) {
      await haveWritten(6 * kill);
      await setTimeout(dice.below(10));
      await server.kill();
      await server.start();
    }
    await haveWritten(24);
    isOver = true;
    await Promise.all(writing);
    for (const { store, story } of writers) {
      expect(await found(story)).toEqual(story.entries);
      await store.close();
    }
  });

  it("may cut connections in the middle of anything, all the time", async () => {
    const { store, story } = await begun();
    const dice = new ManualClock({ seed: 5 });
    let [cuts, isOver] = [0, false];
    const cutting = (async () => {
      for (; !isOver; await setTimeout(dice.below(40))) {
        const cut = await askPostgres(
          server.url,
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'worldline'",
        );
        cuts += cut.length;
      }
    })();
    for (let count = 0; count < 40 || cuts < 20; count += 1) {
      const entries = Array.from({ length: 1 + (count % 3) }, () => story.prompt(`entry ${count}`));
      await store.append(story.session, entries[0]?.seq ?? toSeq(0), entries);
    }
    isOver = true;
    await cutting;
    expect(await found(story)).toEqual(story.entries);
    await store.close();
  });
});
