import { Client } from "pg";
import { expect, it } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { performForget } from "../../../src/machine/forget/perform-forget.ts";
import { createSession } from "../../../src/machine/open.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { openPostgresStore } from "../../../src/stores/postgres/postgres-store.ts";
import { Story, sessionNumber } from "../../../src/testing/testing.ts";
import { askPostgres, describeWithPostgres, freshPostgres } from "../../support/postgres/postgres.ts";
import { writtenSession } from "../sql/written-session.ts";

async function withStore(work: (store: LogStore, url: string) => Promise<void>): Promise<void> {
  const url = await freshPostgres();
  const store = openPostgresStore({ url, clock: systemClock, patienceMs: 1_000 });
  try {
    await work(store, url);
  } finally {
    await store.close();
  }
}

/** The file of the table, which changes whenever the table is rewritten. */
async function fileOf(url: string): Promise<unknown> {
  const [row] = await askPostgres(url, "SELECT pg_relation_filenode('worldline_lines') AS file");
  return row?.["file"];
}

/** Runs `work` while another transaction that has read the table stays open. */
async function whileRead(url: string, work: () => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM worldline_lines");
  try {
    await work();
  } finally {
    await client.end();
  }
}

describeWithPostgres("what was let go", () => {
  it("is cleaned out of the tables when that is asked for, and by nothing else", async () => {
    await withStore(async (store, url) => {
      const story = await writtenSession(store);
      const before = await fileOf(url);
      await store.rewrite(story.session, (entry) => entry);
      await store.trash(story.session, 0);
      expect(await store.emptyTrash(1)).toEqual([story.session]);
      expect(await fileOf(url)).toBe(before);
      expect(await store.scrub()).toBeUndefined();
      expect(await fileOf(url)).not.toBe(before);
    });
  });

  it("may stay in free space while another transaction reads; that is reported, and blocks nothing else", async () => {
    await withStore(async (store, url) => {
      const story = await writtenSession(store);
      const bystander = openPostgresStore({ url, clock: systemClock, patienceMs: 1_000 });
      await whileRead(url, async () => {
        const scrubbing = store.scrub();
        for (let count = 2; count < 6; count += 1) {
          await bystander.create(new Story(sessionNumber(count)).begin());
        }
        expect(await scrubbing).toMatch(/was busy for too long: .*lock timeout/u);
      });
      await bystander.close();
      expect(await store.read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries);
    });
  });

  it("is still forgotten, and forgetting it again cleans up what was left", async () => {
    await withStore(async (store, url) => {
      const deps = { store, clock: systemClock };
      const session = await createSession(deps, { workspace: "/work" }, { name: "a test" });
      await session.prompt("the key is hunter2-hunter2");
      await session.close();
      const request = { what: "text", text: "hunter2-hunter2" } as const;
      const before = await fileOf(url);
      await whileRead(url, async () => {
        const report = await performForget(deps, request, { name: "a test" });
        expect(report).toMatchObject({
          sessions: [{ session: session.id, times: 1 }],
          left: [],
          notScrubbed: expect.stringContaining("lock timeout"),
        });
        await expect(performForget(deps, request, { name: "a test" })).rejects.toMatchObject({
          code: "NOTHING_TO_FORGET",
          hint: expect.stringContaining("may still be in the store's free space"),
        });
      });
      expect(await fileOf(url)).toBe(before);
      const again = await performForget(deps, request, { name: "a test" }).catch((error: unknown) => error);
      expect(again).toMatchObject({
        code: "NOTHING_TO_FORGET",
        hint: "The match is exact and case-sensitive.",
      });
      expect(await fileOf(url)).not.toBe(before);
    });
  });
});
