import { join } from "node:path";
import { expect, it } from "vitest";
import { inTempFolder } from "../../src/testing/testing.ts";
import { bundleChild } from "../crash/children/bundle.ts";
import { contendToTheDeath } from "../crash/children/contending.ts";
import { printRow } from "./print-row.ts";

const DEATHS = 200;

it("200 holders that die are each followed by exactly one of the 8 that wait", async () => {
  await inTempFolder(async (folder) => {
    const script = await bundleChild("contender", folder);
    const report = await contendToTheDeath({
      script,
      store: "files",
      home: join(folder, "home"),
      deaths: DEATHS,
    });
    printRow({ ...report });
    expect(report).toMatchObject({ collisions: 0, lost: 0, damage: 0 });
    expect(report.deaths).toBeGreaterThanOrEqual(DEATHS);
  });
});
