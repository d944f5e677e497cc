import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import type { SnapshotId } from "../../../src/record/ids.ts";
import type { SnapshotUpkeep } from "../../../src/snapshots/snapshot-upkeep.ts";
import type { StoredWorkspaceFiles } from "../../../src/snapshots/workspace-files.ts";
import { ManualClock } from "../../../src/testing/testing.ts";
import { FilesWorld, KEEP_REFERENCED, SESSION } from "../../laws/files/files-world.ts";
import { told, walk } from "../../laws/files/independent-walk.ts";
import { startChild } from "../children/child.ts";
import { digestOf } from "./children/digest.ts";
import { expectOneOf } from "./power-cuts.ts";

export interface FilesKillReport {
  readonly kills: number;
  readonly snapshots: number;
  readonly lost: number;
  readonly restores: number;
  /** Interrupted restores that were finished afterward. */
  readonly cutOff: number;
  readonly collections: number;
}

const MANY = 1_000_000;

/**
 * Lets processes capture, restore and collect, kills each one at a random moment, and checks what is left.
 */
export async function killFilesPrograms(options: {
  readonly script: string;
  readonly folder: string;
  readonly kills: number;
  readonly seed: number;
}): Promise<FilesKillReport> {
  const { script, folder, kills, seed } = options;
  mkdirSync(folder, { recursive: true });
  const world = new FilesWorld(folder);
  const dice = new ManualClock({ seed });
  const acknowledged = new Map<SnapshotId, string>();
  const said: string[] = [];
  let cutOff = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const numbers = [kill * MANY, dice.below(MANY)].map(String);
    const child = startChild(script, ["until-killed", world.home, world.workspace, SESSION, ...numbers]);
    await child.said("", dice.below(14));
    await setTimeout(dice.below(8));
    await child.kill();
    for (const line of child.lines) {
      const [what, , snapshot = "", tree = ""] = line.split(" ");
      if (what === "kept") acknowledged.set(snapshot as SnapshotId, tree);
    }
    said.push(...child.lines);
    cutOff += await settle(world, child.lines.at(-1) ?? "");
  }
  const restored = said.filter((line) => line.startsWith("restored "));
  expect(restored.filter((line) => !line.endsWith(" 0"))).toEqual([]);
  return {
    kills,
    snapshots: acknowledged.size,
    lost: await judge(world, acknowledged),
    restores: restored.length,
    cutOff,
    collections: said.filter((line) => line === "collected").length,
  };
}

/** A new process finishes an interrupted restore; afterward each path is in its old or its new state. */
async function settle(world: FilesWorld, last: string): Promise<number> {
  const files = world.open();
  const unfinished = await files.unfinished();
  for (const each of unfinished) {
    const outcomes = await files.settle(each, "forward");
    expect(outcomes.filter(({ outcome }) => outcome !== "restored")).toEqual([]);
  }
  const [what, left = "", target = ""] = last.split(" ");
  if (what === "restoring") {
    const trees = await Promise.all(
      [left, target].map(async (id) => told(await files.list(id as SnapshotId))),
    );
    expectOneOf(walk(world.workspace), [trees[0] ?? new Map(), trees[1] ?? new Map()]);
  }
  const temporary = [...walk(world.workspace).keys()].filter((path) => path.includes(".worldline-restore-"));
  expect(temporary).toEqual([]);
  await files.close();
  return unfinished.length;
}

/** Counts the acknowledged snapshots that are missing or no longer intact. */
async function judge(world: FilesWorld, acknowledged: ReadonlyMap<SnapshotId, string>): Promise<number> {
  const files = world.open();
  const upkeep = world.upkeep();
  await expectSound(upkeep);
  let lost = 0;
  for (const [snapshot, tree] of acknowledged) if (!(await isWhole(files, snapshot, tree))) lost += 1;
  await files.capture({ look: "everything" });
  await files.close();
  await upkeep.collect({ ...KEEP_REFERENCED, maxBytes: 1 }, async () => "yes");
  await expectSound(upkeep);
  upkeep.close();
  expectNothingLeft(world.home);
  return lost;
}

async function expectSound(upkeep: SnapshotUpkeep): Promise<void> {
  expect(await upkeep.verify()).toMatchObject({ damage: [], problems: [], refDamage: [] });
}

async function isWhole(files: StoredWorkspaceFiles, snapshot: SnapshotId, tree: string): Promise<boolean> {
  if (!(await files.has(snapshot))) return false;
  const list = await files.list(snapshot);
  for (const { state } of list) if (state.kind === "file") await files.content(state.hash);
  return digestOf(told(list)) === tree;
}

const BELONGS =
  /^(collected|forgotten\S*|segments\/\w+-\w+\.(seg|idx)|refs\/\w+\.jsonl|workspaces\/\w+\/(workspace\.json|manifest))$/;

/**
 * A lease file whose creator was killed before writing to it: it blocks nothing, and is removed after an
 * hour.
 */
const HARDLY_BEGUN = /\/(?:exclusive\.by-|shared-)\w+$/;

/** Checks that no temporary files, locks, leases or journals are left. */
export function expectNothingLeft(home: string): void {
  const root = join(home, "snapshots");
  const entries = existsSync(root) ? readdirSync(root, { recursive: true, withFileTypes: true }) : [];
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !HARDLY_BEGUN.test(file) || statSync(file).size > 0)
    .map((file) => file.slice(root.length + 1));
  expect(files.filter((file) => !BELONGS.test(file))).toEqual([]);
}
