import { join } from "node:path";
import { expect, it } from "vitest";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { bundleFilesChild } from "./children/bundle.ts";
import { killFilesPrograms } from "./killing.ts";

it("programs that capture, restore and collect, killed at 20 random moments, lose nothing that they acknowledged", async () => {
  await inTempFolder(async (folder) => {
    const script = await bundleFilesChild(folder);
    const report = await killFilesPrograms({ script, folder: join(folder, "it"), kills: 20, seed: 7 });
    expect(report).toMatchObject({ kills: 20, lost: 0 });
    expect(report.snapshots).toBeGreaterThan(20);
    expect(report.restores).toBeGreaterThan(5);
  });
});
