import { expect, it } from "vitest";
import { raceWithSwaps } from "./swap-race.ts";

it("a folder that another process swaps for a link never leads a restore or a capture outside", async () => {
  const { outcomes } = await raceWithSwaps(2);
  expect(outcomes.restored + outcomes.kept + outcomes.failed).toBeGreaterThan(0);
});
