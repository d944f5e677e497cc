import { expect, it } from "vitest";
import { systemClock } from "../../../../src/disk/system-clock.ts";
import type { LogStore } from "../../../../src/ports/log-store.ts";
import { toSeq } from "../../../../src/record/ids.ts";
import { openPostgresStore } from "../../../../src/stores/postgres/postgres-store.ts";
import { rejectsWith, Story } from "../../../../src/testing/testing.ts";
import { describeWithPostgres, freshPostgres } from "../../../support/postgres/postgres.ts";
import { type CuttingProxy, cuttingProxy } from "./cutting-proxy.ts";

const PATIENCE_MS = 200;

async function behindProxy(
  work: (store: LogStore, story: Story, proxy: CuttingProxy) => Promise<void>,
): Promise<void> {
  const proxy = await cuttingProxy(await freshPostgres());
  const store = openPostgresStore({ url: proxy.url, clock: systemClock, patienceMs: PATIENCE_MS });
  try {
    const story = new Story();
    await store.create(story.begin());
    await work(store, story, proxy);
  } finally {
    await store.close();
    await proxy.close();
  }
}

describeWithPostgres("a server that says nothing", () => {
  it("is given up soon after the patience is over, and used again when it answers", async () => {
    await behindProxy(async (store, story, proxy) => {
      proxy.state = "hung";
      const start = performance.now();
      const error = await rejectsWith("STORE_UNREACHABLE", store.read(story.session, toSeq(1), toSeq(1)));
      expect(performance.now() - start).toBeLessThan(5_000);
      expect(error.message).toContain("no response for 1200 milliseconds");
      proxy.state = "well";
      const entry = story.prompt("it is back");
      await store.append(story.session, entry.seq, [entry]);
      expect(await store.read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries);
    });
  });

  it("is distinguished from one that is slow: what makes progress is waited for", async () => {
    await behindProxy(async (store, story, proxy) => {
      const bytes = Buffer.alloc(60_000, "slow ");
      const hash = await store.putBlob(story.session, bytes);
      proxy.slowMs = 150;
      const start = performance.now();
      expect(Buffer.from(await store.getBlob(story.session, hash)).equals(bytes)).toBe(true);
      expect(performance.now() - start).toBeGreaterThan(PATIENCE_MS + 1_000);
    });
  });
});
