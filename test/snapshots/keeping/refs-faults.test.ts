import { describe, expect, it } from "vitest";
import { Refs } from "../../../src/snapshots/keeping/refs.ts";
import { FailingDisk, type Fault, SimulatedDisk } from "../../../src/testing/testing.ts";
import { ONE, prompt, ref, TWO } from "./kept-scene.ts";

const FOLDER = "/home/refs";

const steps: readonly ((refs: Refs) => void)[] = [
  (refs) => refs.add([ref(1)]),
  (refs) => refs.add([ref(2)]),
  (refs) => refs.release([ref(1)]),
  (refs) => refs.label(ONE, 2, "name"),
  (refs) => refs.add([ref(3, TWO)]),
];
const wanted = [{ ...ref(2), keptFor: { ...prompt(2), label: "name" } }, ref(3, TWO)];

/** After each number of acknowledged steps: the snapshots that must exist, and those that must not. */
const acknowledged = [
  { there: [], gone: [] },
  { there: [ref(1)], gone: [] },
  { there: [ref(2)], gone: [] },
  { there: [ref(2)], gone: [ref(1)] },
  { there: [ref(2)], gone: [ref(1)] },
  { there: [ref(2), ref(3, TWO)], gone: [ref(1)] },
];

function failingAt(failing: number, fault: Fault): FailingDisk {
  return new FailingDisk(new SimulatedDisk(), ({ number }) => (number === failing ? fault : undefined));
}

/** The numbers of all operations of the steps, starting at 1. */
const operations = ((): number[] => {
  const disk = new FailingDisk(new SimulatedDisk());
  const refs = new Refs(disk, FOLDER);
  for (const step of steps) step(refs);
  return disk.operations.map(({ number }) => number);
})();

/** Repeats each failing step once; returns how many failed. */
function insist(refs: Refs): number {
  let failed = 0;
  for (const step of steps) {
    try {
      step(refs);
    } catch {
      failed += 1;
      step(refs);
    }
  }
  return failed;
}

/** Runs the steps until one fails; returns how many were acknowledged. */
function untilFailure(refs: Refs): number {
  for (const [at, step] of steps.entries()) {
    try {
      step(refs);
    } catch {
      return at;
    }
  }
  return steps.length;
}

describe("references on a disk that fails", () => {
  it.each([
    { errno: "ENOSPC", partial: 0 },
    { errno: "ENOSPC", partial: 30 },
    { errno: "EIO", partial: 0 },
  ])("say so ($errno), and are right and durable once the call is repeated", (fault) => {
    for (const operation of operations) {
      const disk = failingAt(operation, fault);
      expect(insist(new Refs(disk, FOLDER))).toBe(1);
      expect(new Refs(disk.losePower("nothing"), FOLDER).all()).toEqual(wanted);
    }
  });

  it("hold what was acknowledged if the power fails at any moment, and can be continued", () => {
    const moments = operations.flatMap((operation) =>
      (["nothing", "everything", { seed: operation }, { seed: 1_000 + operation }] as const).map(
        (survival) => ({ operation, survival }),
      ),
    );
    for (const { operation, survival } of moments) {
      const disk = failingAt(operation, { errno: "power", partial: operation % 60 });
      const { there, gone } = acknowledged[untilFailure(new Refs(disk, FOLDER))] ?? { there: [], gone: [] };
      const refs = new Refs(disk.losePower(survival), FOLDER);
      const found = refs.all().map(({ snapshot }) => snapshot);
      expect(found).toEqual(expect.arrayContaining(there.map(({ snapshot }) => snapshot)));
      for (const { snapshot } of gone) expect(found).not.toContain(snapshot);
      expect(insist(refs)).toBe(0);
      expect(refs.all()).toEqual(wanted);
    }
  });
});
