import { cpSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { toSeq } from "../../src/record/ids.ts";
import { openFilesStore } from "../../src/stores/files/files.ts";
import { inTempFolder, ManualClock, Story } from "../../src/testing/testing.ts";
import { partOf } from "../support/part-of.ts";

it("a log cut at every byte of its last three lines keeps what is whole, sets the rest aside, and takes the next prompt", async () => {
  await inTempFolder(async (folder) => {
    const story = new Story();
    const whole = join(folder, "whole");
    const store = openFilesStore({ root: whole, clock: new ManualClock() });
    await store.create(story.begin());
    await store.append(story.session, toSeq(2), [
      story.prompt("one"),
      story.reply("zwei ☃"),
      story.step(),
      story.prompt("four"),
    ]);
    await store.close();

    const bytes = readFileSync(join(whole, "sessions", story.session, "log.jsonl"));
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a);
    const start = (ends.at(-4) ?? 0) + 1;
    const cuts = Array.from({ length: bytes.length - start + 1 }, (_, at) => start + at);
    for (const cut of partOf(cuts, 3)) {
      const root = join(folder, `cut-${cut}`);
      cpSync(whole, root, { recursive: true });
      // A crash only cuts off unacknowledged bytes, and no index covers those.
      rmSync(join(root, "sessions", story.session, "index"));
      truncateSync(join(root, "sessions", story.session, "log.jsonl"), cut);
      // A line is complete once its last byte is there; its newline may be missing.
      const count = ends.filter((end) => end <= cut).length;
      await expectGoesOn(root, story, count);
    }
  });
});

async function expectGoesOn(root: string, story: Story, count: number): Promise<void> {
  const kept = story.entries.slice(0, count);
  const store = openFilesStore({ root, clock: new ManualClock() });
  const lease = await store.lease(story.session, { name: "next", waitMs: 0 });
  await store.recover(story.session);
  const { outline } = await store.open(story.session);
  expect(outline.length).toBe(count);
  const next = { ...story.last, seq: toSeq(count + 1), parent: kept.at(-1)?.id ?? null };
  await store.append(story.session, next.seq, [next]);
  await lease.release();
  await store.close();

  const after = openFilesStore({ root, clock: new ManualClock() });
  expect((await after.open(story.session)).damage).toEqual([]);
  expect(await after.read(story.session, toSeq(1), toSeq(99))).toEqual([...kept, next]);
  await after.close();
}
