import { expect, it } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { openPostgresStore } from "../../../src/stores/postgres/postgres-store.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { describeWithPostgres, freshPostgres } from "../../support/postgres/postgres.ts";
import { bundleWriter, killWriters } from "../sql/killing/kill-writers.ts";

describeWithPostgres("a writer to Postgres", () => {
  it("killed at 10 random moments has lost nothing, and its heir goes on at once", async () => {
    await inTempFolder(async (folder) => {
      const url = await freshPostgres();
      const script = await bundleWriter(new URL("./writer.ts", import.meta.url), folder);
      const open = () => openPostgresStore({ url, clock: systemClock });
      const report = await killWriters({ script, args: [url], kills: 10, seed: 6, open });
      expect(report).toMatchObject({ kills: 10, lost: 0, damage: 0, heirs: 9 });
      expect(report.acknowledged).toBeGreaterThan(10);
    });
  });
});
