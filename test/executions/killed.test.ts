import { describe, expect, it } from "vitest";
import { placesForTests } from "../support/places-for-tests.ts";
import { dieInStep, killUntilDone, listedStatuses } from "./killing/kill-program.ts";

const EVERY = [0, 1, 2, 3, 4, 5];

describe.each(placesForTests)("a program on %s that is killed and started again", (_, inPlace) => {
  it("has the step reported in which it died, and does nothing twice", async () => {
    await inPlace(async ({ store, workspace: folder }) => {
      expect(await dieInStep({ folder, store })).toEqual({
        runs: 2,
        effects: EVERY.map(String),
        reported: ["3"],
        succeeded: EVERY,
      });
    });
  });

  it("is listed as stopped or interrupted, and as done when it has ends", async () => {
    await inPlace(async ({ store, workspace: folder }) => {
      expect(await listedStatuses({ folder, store })).toEqual([
        "stopped after step-2",
        "interrupted after step-3",
        "done after step-5",
      ]);
    });
  });

  it("ends whenever it is killed, and each effect happened once", async () => {
    await inPlace(async ({ store, workspace: folder }) => {
      const report = await killUntilDone({ folder, store }, 6);
      expect(report).toMatchObject({ effects: EVERY.map(String), succeeded: EVERY });
      expect(report.runs).toBeGreaterThan(1);
    });
  });
});
