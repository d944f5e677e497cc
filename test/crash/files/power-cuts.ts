import { join } from "node:path";
import { expect } from "vitest";
import { FailingDisk, SimulatedDisk, type Survival } from "../../../src/testing/testing.ts";
import { differences, type Tree, walk } from "../../laws/files/independent-walk.ts";
import { FilesMachine } from "./files-run.ts";
import { checkLedger, filesScript, type Ledger, makeState } from "./files-script.ts";

/** How many operations the whole script takes when nothing fails. */
export async function countOperations(folder: string): Promise<FailingDisk["operations"]> {
  const failing = new FailingDisk(new SimulatedDisk());
  const { steps } = filesScript(
    new FilesMachine().open({ workspace: join(folder, "workspace"), disk: failing }),
  );
  for (const step of steps) await step.run();
  return failing.operations;
}

/**
 * Plays the script up to the operation at which the power fails, and checks that nothing acknowledged is
 * lost, whichever unsynced writes survive.
 */
export async function cutPowerAt(folder: string, at: number, survivals: readonly Survival[]): Promise<void> {
  const machine = new FilesMachine();
  const workspace = join(folder, "workspace");
  const failing = new FailingDisk(new SimulatedDisk(), ({ number }) =>
    number === at ? { errno: "power" } : undefined,
  );
  const { steps, ledger } = filesScript(machine.open({ workspace, disk: failing }));
  let step = "the end";
  for (const each of steps) {
    try {
      await each.run();
    } catch {
      step = each.name;
      break;
    }
  }
  for (const survival of survivals) {
    machine.restart();
    const disk = failing.losePower(survival);
    await checkAfter(machine, { workspace, disk, ledger, step }).catch((error: unknown) => {
      throw new Error(`The power went in ${step}, operation ${at}, ${JSON.stringify(survival)}`, {
        cause: error,
      });
    });
  }
}

async function checkAfter(
  machine: FilesMachine,
  { workspace, disk, ledger, step }: { workspace: string; disk: SimulatedDisk; ledger: Ledger; step: string },
): Promise<void> {
  const { files, upkeep } = machine.open({ workspace, disk });
  for (const each of await files.unfinished()) await files.settle(each, "forward");
  expect(await files.unfinished()).toEqual([]);
  await checkLedger(files, upkeep, ledger);
  if (step === "restore") expectOneOf(walk(workspace), statesOf(workspace));
  // The store keeps working.
  const tree = walk(workspace);
  const { snapshot } = await files.capture({ look: "everything" });
  await checkLedger(files, upkeep, {
    kept: new Map([...ledger.kept, [snapshot, tree]]),
    label: "",
    unreferenced: 1,
  });
  await files.close();
}

/** The script's restore goes from the second state to the first. */
function statesOf(workspace: string): [Tree, Tree] {
  return [stateOf(workspace, "first"), stateOf(workspace, "second")];
}

function stateOf(workspace: string, state: "first" | "second"): Tree {
  const beside = `${workspace}-${state}`;
  makeState(beside, state);
  return walk(beside);
}

/** Checks that every path is in one of the two states. */
export function expectOneOf(tree: Tree, [one, other]: readonly [Tree, Tree]): void {
  const odd = differences(tree, one).filter((path) => tree.get(path) !== other.get(path));
  expect(odd).toEqual([]);
}
