import { join } from "node:path";
import { expect, it } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { inTempFolder, sessionNumber } from "../../../src/testing/testing.ts";
import { bundleWriter, killWriters } from "../sql/killing/kill-writers.ts";

it("a writer to SQLite killed at 10 random moments has lost nothing, and its heir goes on at once", async () => {
  await inTempFolder(async (folder) => {
    const script = await bundleWriter(new URL("./writer.ts", import.meta.url), folder);
    const path = join(folder, "home", "sessions.db");
    const open = () => openSqliteStore({ path, clock: systemClock });
    const report = await killWriters({ script, args: [path], kills: 10, seed: 6, open });
    expect(report).toMatchObject({ kills: 10, lost: 0, damage: 0, heirs: 9 });
    expect(report.acknowledged).toBeGreaterThan(10);

    const judge = open();
    const lease = await judge.lease(sessionNumber(1), { name: "the judge", waitMs: 0 });
    expect(lease.takenFrom?.name).toBe("writer");
    await lease.release();
    await judge.close();
  });
}, 60_000);
