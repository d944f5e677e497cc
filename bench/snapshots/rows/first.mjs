import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rotated } from "../contenders.mjs";
import { blocksOf } from "../disk-blocks.mjs";
import { samples } from "./samples.mjs";

/**
 * Measures first checkpoints, each into an empty store. The other rows reuse the stores of the last round.
 * Everything that a contender has written reaches the disk before the next contender begins.
 */
export async function measureFirst({ made, root, contenders, firsts, floors }) {
  const figures = new Map(contenders.map(({ key }) => [key, samples()]));
  const disk = {};
  // This walk warms the cache, so that no contender pays for a cold one.
  await floors.walkers.hash(made.workspace, [".git"]);
  for (let round = 0; round < firsts; round += 1) {
    for (const contender of rotated(contenders, round)) {
      const store = join(root, `store-${contender.key}-${round}`);
      mkdirSync(store);
      execFileSync("sync");
      const places = { workspace: made.workspace, store };
      const { ms, result } = await contender.ask("first", places);
      figures.get(contender.key).add("first", ms);
      figures.get(contender.key).add("first, until the prompt may go on", result?.promptMs);
      figures.get(contender.key).add("first, until all has been looked at", result?.lookedMs);
      contender.folders = await contender.ask("folders", places);
      disk[contender.key] = blocksOf(contender.folders);
      if (round === firsts - 1) continue;
      await contender.ask("close");
      rmSync(store, { recursive: true });
    }
  }
  return { figures, disk };
}
