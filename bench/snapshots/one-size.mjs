import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startContender } from "./contenders.mjs";
import { editor } from "./edits.mjs";
import { openFloors } from "./floors.mjs";
import { measureCheckpoints, measureKnown } from "./rows/checkpoints.mjs";
import { measureDisk } from "./rows/disk.mjs";
import { measureFirst } from "./rows/first.mjs";
import { measureRestores } from "./rows/restores.mjs";
import { samples } from "./rows/samples.mjs";
import { makeWorkspace } from "./workspace.mjs";

async function startAll(keys, root) {
  const started = [];
  for (const key of keys) started.push(await startContender(key, join(root, `home-${key}`)));
  return started;
}

/** Runs the rows one after the other on one workspace and collects their figures. */
async function allRows(bench, { size, disk, say }) {
  say(`${size}: first checkpoints`);
  const { figures, disk: afterFirst } = await measureFirst(bench);
  const floor = samples();
  const rest = { ...bench, figures, floor };
  say(`${size}: checkpoints`);
  await measureCheckpoints(rest);
  await measureKnown(rest);
  say(`${size}: restores`);
  const wrong = await measureRestores(rest);
  if (disk === "measure") say(`${size}: disk`);
  const growth = disk === "measure" ? await measureDisk(rest) : {};
  const rows = bench.contenders.map(({ key, name, isOurs, copies, keeps }) => ({
    key,
    name,
    isOurs,
    copies,
    keeps,
    figures: figures.get(key).summed(),
    wrong: { "restore 1": wrong["restore 1"][key], "restore 200": wrong["restore 200"][key] },
    afterFirst: afterFirst[key],
    growth: growth[key],
  }));
  return { size, rows, floor: floor.summed() };
}

/**
 * Measures one size of workspace, inside the folder `root`, which the caller removes.
 * @param {string} size
 * @param {{ root: string, keys: readonly string[], rounds: number, firsts: number, disk: "measure" | "leave", say:
 * (text: string) => void }} how
 */
export async function measureSize(size, { root, keys, rounds, firsts, disk, say }) {
  const workspace = join(root, "workspace");
  mkdirSync(workspace);
  say(`${size}: creating the workspace`);
  // Starts the contenders first: if one cannot be imported, the run should fail before it spends minutes
  // creating a large workspace.
  const contenders = await startAll(keys, root);
  const made = await makeWorkspace(workspace, size);
  const floors = await openFloors(made, root);
  try {
    const bench = { made, root, edits: editor(made), contenders, rounds, firsts, floors };
    return await allRows(bench, { size, disk, say });
  } finally {
    await floors.close();
    for (const contender of contenders) await contender.stop();
  }
}
