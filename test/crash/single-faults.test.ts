import { describe, expect, it } from "vitest";
import { isWorldlineError } from "../../src/record/error.ts";
import type { DiskOperation, Fault } from "../../src/testing/testing.ts";
import { partOf } from "../support/part-of.ts";
import { checkNothingLost } from "./check-nothing-lost.ts";
import type { Step } from "./script.ts";
import { countOperations, prepareRun } from "./simulated-run.ts";

const CODES = ["STORE_FULL", "STORE_UNWRITABLE"] as const;

/** Makes the call and repeats it while it rejects, at most once per injected fault. */
async function insist(step: Step, most: number): Promise<number> {
  for (let rejections = 0; ; rejections += 1) {
    try {
      await step.run();
      return rejections;
    } catch (error) {
      expect(
        CODES.some((code) => isWorldlineError(error, code)),
        `${step.name}: ${String(error)}`,
      ).toBe(true);
      expect(rejections, `${step.name} does not heal: ${String(error)}`).toBeLessThan(most);
    }
  }
}

async function playThrough(
  faults: (operation: DiskOperation) => Fault | undefined,
  most: number,
): Promise<number> {
  const run = prepareRun(faults);
  let rejections = 0;
  for (const step of run.scene.steps) rejections += await insist(step, most);
  run.failing.faults = () => undefined;
  // Acknowledged means durable even if the power fails right now, whatever failed before.
  for (const survival of ["everything", "nothing"] as const) {
    await checkNothingLost(
      run.openAfterwards(run.disk.losePower(survival)),
      run.scene.story,
      run.scene.ledger,
    );
  }
  return rejections;
}

describe("a disk that fails", async () => {
  const operations = await countOperations();

  it.each([
    [0, "EIO"],
    [1, "ENOSPC"],
    [2, "EROFS"],
  ])("once, in any single operation (from %i: %s), loses nothing and heals", async (from, errno) => {
    let rejections = 0;
    const points = partOf(operations, 3, from);
    for (const { number } of points) {
      rejections += await playThrough(
        (operation) => (operation.number === number ? { errno } : undefined),
        1,
      );
    }
    expect(rejections).toBeGreaterThan(points.length / 2);
  });

  it("after a part of a write, whatever the part, loses nothing and heals", async () => {
    const writes = operations.filter(({ name }) => name === "write");
    for (const [from, partial] of [1, 17, 100, 1000].entries()) {
      for (const { number } of partOf(writes, 4, from)) {
        await playThrough(
          (operation) => (operation.number === number ? { errno: "ENOSPC", partial } : undefined),
          1,
        );
      }
    }
  });

  it.each([2, 3, 4])("%i times in a row, cutting back included, loses nothing and heals", async (times) => {
    for (const { number } of partOf(operations, 3, times)) {
      const faults = (operation: DiskOperation) =>
        operation.number >= number && operation.number < number + times
          ? { errno: "EIO", partial: 20 }
          : undefined;
      await playThrough(faults, times);
    }
  });
});
