import { expect, it } from "vitest";
import { raceWithSwaps } from "../crash/files/swap-race.ts";
import { printRow } from "./print-row.ts";

const ROUNDS = 60;

it("60 restores and captures against a process that swaps folders for links touch and read nothing outside", async () => {
  const { rounds, outcomes } = await raceWithSwaps(ROUNDS);
  printRow({ rounds, ...outcomes });
  expect(rounds).toBe(ROUNDS);
});
