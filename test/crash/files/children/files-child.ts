import { mkdirSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openSnapshotUpkeep, openWorkspaceFiles } from "../../../../src/open-files.ts";
import type { WorkspaceFiles } from "../../../../src/ports/workspace-files.ts";
import type { SessionId, SnapshotId } from "../../../../src/record/ids.ts";
import { ManualClock } from "../../../../src/testing/simulated-system.ts";
import { walk } from "../../../laws/files/independent-walk.ts";
import { digestOf } from "./digest.ts";

// Runs as its own process. It reports each acknowledged operation on its own line right away.
const [, , mode = "", home = "", workspace = "", id = "", first = "0", seed = "1"] = process.argv;
const session = id as SessionId;
const dice = new ManualClock({ seed: Number(seed) });
const files = await openWorkspaceFiles({ home, workspace, name: `${mode} ${id}`, waitMs: 60_000 });
const say = (line: string): number => writeSync(1, `${line}\n`);

/** Edits, captures, restores back and forth, and collects until it is killed. */
async function untilKilled(): Promise<never> {
  for (const each of await files.unfinished()) await files.settle(each, "forward");
  const kept: SnapshotId[] = [];
  for (let number = Number(first); ; number += 1) {
    for (let edits = dice.below(4); edits >= 0; edits -= 1) edit(number);
    const tree = digestOf(walk(workspace));
    const keptFor = { session, checkpoint: number, on: "prompt" as const };
    const { snapshot } = await files.capture({ look: "everything", keptFor });
    say(`kept ${number} ${snapshot} ${tree}`);
    kept.push(snapshot);
    if (dice.below(2) === 0) await goTo(files, kept[dice.below(kept.length)] ?? snapshot, snapshot);
    if (dice.below(4) === 0) await collect();
  }
}

function edit(number: number): void {
  const folder = join(workspace, `folder-${dice.below(4)}`);
  const name = join(folder, `file-${dice.below(5)}`);
  switch (dice.below(4)) {
    case 0:
      rmSync(folder, { recursive: true, force: true });
      break;
    case 1:
      rmSync(folder, { recursive: true, force: true });
      writeFileSync(folder, `a file in the place of a folder ${number}`);
      break;
    default:
      if (number % 2 === 0) rmSync(folder, { recursive: true, force: true });
      makeFolder(folder);
      writeFileSync(name, `${number} `.repeat(dice.below(3000)), { mode: 0o600 + dice.below(64) });
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
}

async function goTo(on: WorkspaceFiles, target: SnapshotId, left: SnapshotId): Promise<void> {
  const steps = await on.compare(left, target);
  const commit = async (): Promise<void> => void say(`restoring ${left} ${target}`);
  const outcomes = await on.restore({ session, journey: { from: "e1", left }, steps, commit });
  const odd = outcomes.filter(({ outcome }) => outcome !== "restored");
  say(`restored ${target} ${odd.length}`);
}

async function collect(): Promise<void> {
  const upkeep = openSnapshotUpkeep({ home, name: "gc", waitMs: 60_000 });
  const retention = { keepCount: 100_000, keepJourneys: 100_000 };
  await upkeep.collect({ retention, maxBytes: 1 }, async () => "yes");
  upkeep.close();
  say("collected");
}

/**
 * Captures a number of checkpoints while other processes do the same in the same workspace, and takes some of
 * its own changes back.
 */
async function beside(): Promise<void> {
  const own = `own-${id}`;
  let before: SnapshotId | undefined;
  for (let number = 1; number <= Number(first); number += 1) {
    writeFileSync(join(workspace, own), `${number}`);
    const keptFor = { session, checkpoint: number, on: "prompt" as const };
    const { snapshot } = await files.capture({ look: number % 3 === 0 ? [own] : "everything", keptFor });
    const state = await files.stateAt(snapshot, own);
    const text = state?.kind === "file" ? Buffer.from(await files.content(state.hash)).toString() : "nothing";
    say(`kept ${number} ${snapshot} ${text === `${number}` ? "right" : `wrong: ${text}`}`);
    if (mode === "restore" && before !== undefined) await takeBack(own, before, snapshot);
    before = snapshot;
  }
  if (mode === "restore") await collect();
}

async function takeBack(own: string, target: SnapshotId, left: SnapshotId): Promise<void> {
  const steps = (await files.compare(left, target)).filter(({ path }) => path === own);
  const commit = async (): Promise<void> => undefined;
  const [outcome] = await files.restore({ session, journey: { from: "e1", left }, steps, commit });
  say(`taken-back ${outcome?.outcome}`);
}

if (mode === "until-killed") await untilKilled();
await beside();
await files.close();
