import { join } from "node:path";
import Libsql from "libsql";
import { expect, it } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { inTempFolder, ManualClock, rejectsWith } from "../../../src/testing/testing.ts";
import { writtenSession } from "../sql/written-session.ts";

it("a database that another program writes to is waited for without blocking the process, then used", async () => {
  await inTempFolder(async (folder) => {
    const path = join(folder, "sessions.db");
    const store = openSqliteStore({ path, clock: systemClock });
    const story = await writtenSession(store);
    const other = new Libsql(path);
    other.exec("BEGIN IMMEDIATE");
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
      if (ticks === 10) other.exec("COMMIT");
    }, 5);
    await store.append(story.session, toSeq(4), [story.prompt("after it")]);
    clearInterval(ticking);
    other.close();
    expect(ticks).toBeGreaterThanOrEqual(10);
    expect(await store.read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries);
    await store.close();
  });
});

it("one that stays busy is an error that says what blocks it; reading still works, and so does the same append later", async () => {
  await inTempFolder(async (folder) => {
    const path = join(folder, "sessions.db");
    const clock = new ManualClock();
    const store = openSqliteStore({ path, clock });
    const story = await writtenSession(store);
    const entry = story.prompt("kept in memory");
    const other = new Libsql(path);
    other.exec("BEGIN IMMEDIATE");
    const start = clock.now();
    const error = await rejectsWith("STORE_BUSY", store.append(story.session, toSeq(4), [entry]));
    expect(clock.now() - start).toBeGreaterThanOrEqual(10_000);
    expect(error.message).toContain("for 10 seconds");
    expect(error.hint).toContain("may be blocking it");
    expect((await store.open(story.session)).outline.length).toBe(3);
    other.exec("ROLLBACK");
    other.close();
    await store.append(story.session, toSeq(4), [entry]);
    expect(await store.read(story.session, toSeq(1), toSeq(9))).toEqual(story.entries);
    await store.close();
  });
});
