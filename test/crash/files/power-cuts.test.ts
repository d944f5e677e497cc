import { expect, it } from "vitest";
import { inTempFolder, type Survival } from "../../../src/testing/testing.ts";
import { partOf } from "../../support/part-of.ts";
import { countOperations, cutPowerAt } from "./power-cuts.ts";

const SURVIVALS: readonly Survival[] = ["nothing", "everything", { seed: 1 }];

it("losing power instead of any single operation loses no snapshot that was acknowledged", async () => {
  await inTempFolder(async (folder) => {
    const operations = await countOperations(folder);
    expect(operations.length).toBeGreaterThan(100);
    for (const { number } of operations)
      await cutPowerAt(folder, number, partOf(SURVIVALS, SURVIVALS.length, number));
  });
});
