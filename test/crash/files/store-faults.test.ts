import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isWorldlineError } from "../../../src/record/error.ts";
import {
  type DiskOperation,
  FailingDisk,
  type Fault,
  inTempFolder,
  SimulatedDisk,
} from "../../../src/testing/testing.ts";
import { partOf } from "../../support/part-of.ts";
import { FilesMachine } from "./files-run.ts";
import { checkLedger, filesScript, type ScriptStep } from "./files-script.ts";

const CODES = ["STORE_FULL", "STORE_UNWRITABLE", "STORE_UNREADABLE"] as const;

/** Runs a step and repeats it while it rejects, at most once per injected fault. */
async function insist(step: ScriptStep, most: number): Promise<number> {
  for (let rejections = 0; ; rejections += 1) {
    try {
      await step.run();
      return rejections;
    } catch (error) {
      const isKnown = CODES.some((code) => isWorldlineError(error, code));
      if (!isKnown || rejections >= most) throw new Error(`${step.name} failed`, { cause: error });
    }
  }
}

async function playThrough(
  folder: string,
  faults: (operation: DiskOperation) => Fault | undefined,
  most: number,
) {
  const machine = new FilesMachine();
  const disk = new SimulatedDisk();
  const failing = new FailingDisk(disk, faults);
  const workspace = join(folder, "workspace");
  const { ledger, steps } = filesScript(machine.open({ workspace, disk: failing }));
  let rejections = 0;
  for (const step of steps) rejections += await insist(step, most);
  machine.restart();
  // Acknowledged means durable even if the power fails right now, whatever failed before.
  for (const survival of ["everything", "nothing"] as const) {
    const after = machine.open({ workspace, disk: disk.losePower(survival) });
    await checkLedger(after.files, after.upkeep, ledger);
  }
  return { operations: failing.operations, rejections };
}

describe("a store on a disk that fails", () => {
  it("once, in any single operation, loses nothing and heals", async () => {
    await inTempFolder(async (folder) => {
      const { operations } = await playThrough(folder, () => undefined, 0);
      let rejections = 0;
      for (const { number, name } of partOf(operations, 3)) {
        const errno = number % 2 === 0 ? "EIO" : "ENOSPC";
        const played = playThrough(
          folder,
          (operation) => (operation.number === number ? { errno, partial: 10 } : undefined),
          1,
        );
        rejections += (
          await played.catch((error: unknown) => {
            throw new Error(`${errno} in ${name} ${number}`, { cause: error });
          })
        ).rejections;
      }
      expect(rejections).toBeGreaterThan(partOf(operations, 3).length / 3);
    });
  });
});
