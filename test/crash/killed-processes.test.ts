import { expect, it } from "vitest";
import { inTempFolder } from "../../src/testing/testing.ts";
import { placesForTests } from "../support/places-for-tests.ts";
import { bundleChild } from "./children/bundle.ts";
import { killWriters } from "./children/killing.ts";

it.each(placesForTests)(
  "a writer to %s killed with SIGKILL at random moments has lost nothing that it acknowledged, and its heir goes on at once",
  async (name, inPlace) => {
    const kills = name === "files" ? 15 : 8;
    await inTempFolder(async (folder) => {
      const script = await bundleChild("writer", folder);
      await inPlace(async ({ store, home }) => {
        const report = await killWriters({ script, store, home, kills, seed: 4 });
        expect(report).toMatchObject({ kills, lost: 0, damage: 0, disinherited: 0 });
        expect(report.acknowledged).toBeGreaterThan(kills);
        if (name === "files") expect(report.rotations).toBeGreaterThan(0);
      });
    });
  },
);
