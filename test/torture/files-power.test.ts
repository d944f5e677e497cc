import { expect, it } from "vitest";
import { inTempFolder } from "../../src/testing/testing.ts";
import { countOperations, cutPowerAt } from "../crash/files/power-cuts.ts";
import { printRow } from "./print-row.ts";

const OUTCOMES = 40;

it("losing power at every operation, forty ways each, loses no snapshot that was acknowledged", async () => {
  await inTempFolder(async (folder) => {
    const operations = await countOperations(folder);
    const survivals = Array.from({ length: OUTCOMES }, (_, seed) => ({ seed }));
    const lost: string[] = [];
    for (const { number, name } of operations) {
      await cutPowerAt(folder, number, survivals).catch((error: unknown) => {
        lost.push(`${name} ${number}: ${String(error)}`);
      });
    }
    printRow({
      operations: operations.length,
      "power failures": operations.length * OUTCOMES,
      "with data loss": lost.length,
    });
    expect(lost).toEqual([]);
  });
});
