import { join } from "node:path";
import { expect, it } from "vitest";
import { inTempFolder } from "../../src/testing/testing.ts";
import { bundleChild } from "./children/bundle.ts";
import { killWriters } from "./children/killing.ts";

it("a writer killed with SIGKILL at 15 random moments has lost nothing that it acknowledged", async () => {
  await inTempFolder(async (folder) => {
    const script = await bundleChild("writer", folder);
    const report = await killWriters({ script, root: join(folder, "home"), kills: 15, seed: 4 });
    expect(report).toMatchObject({ kills: 15, lost: 0, damage: 0 });
    expect(report.acknowledged).toBeGreaterThan(15);
    expect(report.rotations).toBeGreaterThan(0);
  });
});
