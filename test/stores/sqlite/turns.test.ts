import { join } from "node:path";
import { expect, it } from "vitest";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { openSqliteStore } from "../../../src/stores/sqlite/sqlite-store.ts";
import { inTempFolder, Story } from "../../../src/testing/testing.ts";

const LINES = 4_000;

it("reading a long log gives everyone else in the process their turns", async () => {
  await inTempFolder(async (folder) => {
    const store = openSqliteStore({ path: join(folder, "sessions.db"), clock: systemClock });
    const story = new Story();
    await store.create(story.begin());
    const entries = Array.from({ length: LINES }, (_, at) => story.prompt(`line ${at}`));
    await store.append(story.session, toSeq(2), entries);
    for (const read of [
      async () => store.open(story.session),
      async () => store.read(story.session, toSeq(1), toSeq(LINES)),
    ]) {
      let [turns, isOver] = [0, false];
      const count = (): void => {
        turns += 1;
        if (!isOver) setImmediate(count);
      };
      setImmediate(count);
      await read();
      isOver = true;
      expect(turns).toBeGreaterThan(LINES / 150);
    }
    await store.close();
  });
});
