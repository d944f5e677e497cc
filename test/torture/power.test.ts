import { expect, it } from "vitest";
import { checkNothingLost } from "../crash/check-nothing-lost.ts";
import { countOperations, playUntilDark } from "../crash/simulated-run.ts";
import { printRow } from "./print-row.ts";

const OUTCOMES = 100;

it("losing power at every operation, a hundred ways each, loses nothing that was acknowledged", async () => {
  const operations = await countOperations();
  const lost: string[] = [];
  let tried = 0;
  for (const { number, name } of operations) {
    const { disk, scene, openAfterwards, step } = await playUntilDark(number);
    for (let seed = 1; seed <= OUTCOMES; seed += 1) {
      const open = openAfterwards(disk.losePower({ seed }));
      tried += 1;
      await checkNothingLost(open, scene.story, scene.ledger).catch((error: unknown) => {
        lost.push(`${step}, ${name} ${number}, seed ${seed}: ${String(error)}`);
      });
    }
  }
  printRow({ operations: operations.length, "power failures": tried, "with data loss": lost.length });
  expect(lost).toEqual([]);
  expect(tried).toBe(operations.length * OUTCOMES);
});
