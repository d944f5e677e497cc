import { join } from "node:path";
import { expect, it } from "vitest";
import { isWorldlineError } from "../../../src/record/error.ts";
import { FailingDisk, inTempFolder, SimulatedDisk } from "../../../src/testing/testing.ts";
import { SESSION } from "../../laws/files/files-world.ts";
import { walk } from "../../laws/files/independent-walk.ts";
import { FilesMachine } from "./files-run.ts";
import { checkLedger, type Ledger, makeState, type ScriptContext } from "./files-script.ts";

/** Captures and records the snapshot; retries once if the first attempt fails. */
async function keep({ files, workspace }: ScriptContext, ledger: Ledger, checkpoint: number): Promise<void> {
  const keptFor = { session: SESSION, checkpoint, on: "prompt" } as const;
  const { snapshot } = await files.capture({ look: "everything", keptFor }).catch(async (error: unknown) => {
    if (!isWorldlineError(error)) throw error;
    return files.capture({ look: "everything", keptFor });
  });
  ledger.kept.set(snapshot, walk(workspace));
}

async function play(workspace: string, at: number): Promise<number> {
  const machine = new FilesMachine();
  const disk = new SimulatedDisk();
  const ledger: Ledger = { kept: new Map(), label: "" };
  const failing = new FailingDisk(disk);
  const one = machine.open({ workspace, disk: failing });
  const other = machine.open({ workspace, disk });
  makeState(workspace, "first");
  await keep(one, ledger, 1);
  makeState(workspace, "second");
  const from = failing.operations.length;
  failing.faults = ({ number }) => (number === from + at ? { errno: "EIO", partial: 30 } : undefined);
  const keptFor = { session: SESSION, checkpoint: 2, on: "prompt" } as const;
  const failed = await one.files.capture({ look: "everything", keptFor }).then(
    () => "no",
    () => "yes",
  );
  const operations = failing.operations.length - from;
  // The other process must not rely on objects that the first one failed to make durable.
  await keep(other, ledger, 3);
  makeState(workspace, "third");
  await keep(other, ledger, 4);
  if (failed === "yes") await keep(one, ledger, 5);
  machine.restart();
  for (const survival of ["nothing", "everything", { seed: at }] as const) {
    const after = machine.open({ workspace, disk: disk.losePower(survival) });
    await checkLedger(after.files, after.upkeep, ledger);
  }
  return operations;
}

it("what one program could not make durable is not relied on by another", async () => {
  await inTempFolder(async (folder) => {
    const workspace = join(folder, "workspace");
    const operations = await play(workspace, 0);
    expect(operations).toBeGreaterThan(5);
    for (let at = 1; at <= operations; at += 1) {
      await play(workspace, at).catch((error: unknown) => {
        throw new Error(`EIO in operation ${at}`, { cause: error });
      });
    }
  });
});
