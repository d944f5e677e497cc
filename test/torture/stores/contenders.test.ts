import { expect, it } from "vitest";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { bundleChild } from "../../crash/children/bundle.ts";
import { contendToTheDeath } from "../../crash/children/contending.ts";
import { placesForTests } from "../../support/places-for-tests.ts";
import { printRow } from "../print-row.ts";

const DEATHS = 100;
const databases = placesForTests.filter(([name]) => name !== "files");

it.each(databases)(
  "100 holders of a session in %s that die are each followed by exactly one of the 8 that wait",
  async (name, inPlace) => {
    await inTempFolder(async (folder) => {
      const script = await bundleChild("contender", folder);
      await inPlace(async ({ store, home }) => {
        const report = await contendToTheDeath({ script, store, home, deaths: DEATHS });
        printRow({ store: name, ...report });
        expect(report).toMatchObject({ collisions: 0, lost: 0, damage: 0 });
        expect(report.deaths).toBeGreaterThanOrEqual(DEATHS);
      });
    });
  },
);
