import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inTempFolder } from "../../src/testing/testing.ts";
import { dieInStep, killUntilDone } from "./killing/kill-program.ts";

const EVERY = [0, 1, 2, 3, 4, 5];

describe.each([
  ["files", () => "files"],
  ["SQLite", (folder: string) => `sqlite:${join(folder, "executions.db")}`],
])("a program on %s that is killed and started again", (_, address) => {
  it("has the step reported in which it died, and does nothing twice", async () => {
    await inTempFolder(async (folder) => {
      expect(await dieInStep({ folder, store: address(folder) })).toEqual({
        runs: 2,
        effects: EVERY.map(String),
        reported: ["3"],
        succeeded: EVERY,
      });
    });
  });

  it("comes to its end whenever it is killed, and each effect happened once", async () => {
    await inTempFolder(async (folder) => {
      const report = await killUntilDone({ folder, store: address(folder) }, 6);
      expect(report).toMatchObject({ effects: EVERY.map(String), succeeded: EVERY });
      expect(report.runs).toBeGreaterThan(1);
    });
  });
});
