import { expect, it } from "vitest";
import { systemClock } from "../../../../src/disk/system-clock.ts";
import { toSeq } from "../../../../src/record/ids.ts";
import { PostgresDatabase } from "../../../../src/stores/postgres/postgres-database.ts";
import { openPostgresStore } from "../../../../src/stores/postgres/postgres-store.ts";
import { CommitUnknown } from "../../../../src/stores/sql/database.ts";
import { ManualClock, rejectsWith, Story } from "../../../../src/testing/testing.ts";
import { askPostgres, describeWithPostgres, freshPostgres } from "../../../support/postgres/postgres.ts";
import { type Cut, type CuttingProxy, cuttingProxy } from "./cutting-proxy.ts";

const CUTS: readonly Cut[] = ["before the commit", "after the commit", "while it is under way"];

async function behindProxy(work: (proxy: CuttingProxy, url: string) => Promise<void>): Promise<void> {
  const url = await freshPostgres();
  const proxy = await cuttingProxy(url);
  try {
    await work(proxy, url);
  } finally {
    await proxy.close();
  }
}

describeWithPostgres("a commit that is not answered", () => {
  it.each(CUTS)("is made once, when the connection is cut %s", async (cut) => {
    await behindProxy(async (proxy) => {
      const store = openPostgresStore({ url: proxy.url, clock: systemClock });
      const story = new Story();
      await store.create(story.begin());
      for (let count = 0; count < 10; count += 1) {
        const entry = story.prompt(`entry ${count}`);
        proxy.cuts.push(...Array.from({ length: 1 + (count % 3) }, () => cut));
        await store.append(story.session, entry.seq, [entry]);
        proxy.cuts.length = 0;
      }
      expect(await store.read(story.session, toSeq(1), toSeq(99))).toEqual(story.entries);
      expect(await store.verify(story.session)).toEqual([]);
      await store.close();
    });
  });

  it("holds for every call that writes, whichever way it is cut", async () => {
    await behindProxy(async (proxy) => {
      const dice = new ManualClock({ seed: 8 });
      const store = openPostgresStore({ url: proxy.url, clock: systemClock });
      const cut = (): void => {
        proxy.cuts.push(CUTS[dice.below(3)] ?? "after the commit");
      };
      const story = new Story();
      cut();
      await store.create(story.begin());
      cut();
      const lease = await store.lease(story.session, { name: "the holder", waitMs: 0 });
      cut();
      const hash = await store.putBlob(story.session, Buffer.from("a blob"));
      cut();
      await store.append(story.session, toSeq(2), [story.prompt("one"), story.prompt("two")]);
      cut();
      await lease.release();
      expect(await store.holder(story.session)).toBeUndefined();
      expect(await store.listBlobs(story.session)).toEqual([hash]);
      cut();
      await store.trash(story.session, 1000);
      cut();
      await store.undelete(story.session);
      expect(await store.read(story.session, toSeq(1), toSeq(99))).toEqual(story.entries);
      await store.close();
    });
  });

  it("is settled by the next append, also when that has more, after a server that hung", async () => {
    await behindProxy(async (proxy) => {
      const store = openPostgresStore({ url: proxy.url, clock: systemClock, patienceMs: 200 });
      const story = new Story();
      await store.create(story.begin());
      const [one, two] = [story.prompt("one"), story.prompt("two")];
      proxy.state = "to hang after the next commit";
      await rejectsWith("STORE_UNREACHABLE", store.append(story.session, one.seq, [one]));
      proxy.state = "well";
      await store.append(story.session, one.seq, [one, two]);
      expect(await store.read(story.session, toSeq(1), toSeq(99))).toEqual(story.entries);
      await store.close();
    });
  });

  it("is reported as unknown only if the server can no longer be asked", async () => {
    await behindProxy(async (proxy, url) => {
      const database = new PostgresDatabase({ url: proxy.url, patienceMs: 300 });
      await database.write(async (transaction) => transaction.run("CREATE TABLE trial (id INT)"));
      const writing = database.write(async (transaction) => {
        proxy.cuts.push("after the commit");
        const changed = await transaction.run("INSERT INTO trial VALUES (1)");
        // Once the commit has been passed on, every further connection fails.
        setImmediate(() => void closeAfterCommit(proxy));
        return changed;
      });
      await expect(writing).rejects.toBeInstanceOf(CommitUnknown);
      expect(await askPostgres(url, "SELECT id FROM trial")).toEqual([{ id: 1 }]);
      await database.close();
    });
  });
});

async function closeAfterCommit(proxy: CuttingProxy): Promise<void> {
  const before = proxy.commits;
  while (proxy.commits === before) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setTimeout(resolve, 5));
  await proxy.close();
}
