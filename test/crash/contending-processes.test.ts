import { mkdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/open-store.ts";
import { toSeq } from "../../src/record/ids.ts";
import { inTempFolder, Story } from "../../src/testing/testing.ts";
import { placesForTests } from "../support/places-for-tests.ts";
import { bundleChild } from "./children/bundle.ts";
import { startChild } from "./children/child.ts";
import { contendToTheDeath } from "./children/contending.ts";

describe.each(placesForTests)("8 processes that want one session in %s", (name, inPlace) => {
  const [times, deaths] = name === "files" ? [12, 12] : [6, 6];

  it("take turns, know which process they wait for, and lose nothing", async () => {
    await inTempFolder(async (folder) => {
      const script = await bundleChild("contender", folder);
      await inPlace(async ({ store: address, home }) => {
        mkdirSync(home, { recursive: true });
        const story = new Story();
        const store = openStore(address, { home });
        await store.create(story.begin());

        const names = Array.from({ length: 8 }, (_, at) => `contender-${at}`);
        const children = names.map((each) =>
          startChild(script, [address, home, story.session, each, String(times)]),
        );
        expect(await Promise.all(children.map((child) => child.ended))).toEqual(names.map(() => 0));

        const said = children.flatMap((child) => child.lines);
        const acknowledged = said.filter((line) => line.startsWith("entry")).sort();
        const { outline, damage } = await store.open(story.session);
        expect(damage).toEqual([]);
        const there = outline
          .rows()
          .slice(1)
          .map((row) => `entry ${row.seq} ${row.id}`);
        expect(there.sort()).toEqual(acknowledged);
        const titles = (await store.read(story.session, toSeq(2), outline.nextSeq)).map(
          (entry) => entry.kind === "title" && entry.title,
        );
        expect(titles.sort()).toEqual(
          names.flatMap((each) => Array.from({ length: times }, (_, at) => `${each} ${at}`)).sort(),
        );
        const waited = said.filter((line) => line.startsWith("waits"));
        expect(said.filter((line) => line.startsWith("collision"))).toEqual([]);
        expect(waited.every((line) => names.includes(line.slice("waits ".length)))).toBe(true);
        await store.close();
      });
    });
  });

  it("follow a holder that dies one at a time, again and again", async () => {
    await inTempFolder(async (folder) => {
      const script = await bundleChild("contender", folder);
      await inPlace(async ({ store, home }) => {
        const report = await contendToTheDeath({ script, store, home, deaths });
        expect(report).toMatchObject({ collisions: 0, lost: 0, damage: 0 });
        expect(report.deaths).toBeGreaterThanOrEqual(deaths);
      });
    });
  });
});
