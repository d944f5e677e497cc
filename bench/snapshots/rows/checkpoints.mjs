import { rotated } from "../contenders.mjs";
import { commitAll } from "../user-git.mjs";
import { settle } from "./samples.mjs";

/** Lets the contenders take turns creating a checkpoint of exactly the same state. */
async function inTurn({ contenders, figures, row, round }) {
  for (const contender of rotated(contenders, round)) {
    const { ms, cpuMs } = await contender.ask("checkpoint");
    figures.get(contender.key).add(row, ms);
    figures.get(contender.key).add(`${row}, processor`, cpuMs);
  }
}

/** Rows b, c and d: contenders are not told the path. The walk floors are measured in the same rounds. */
export async function measureCheckpoints({ made, edits, contenders, rounds, floors, figures, floor }) {
  const rows = [
    ["no change", 0],
    ["1 edit", 1],
    ["100 edits", 100],
  ];
  for (const [row, count] of rows) {
    for (let round = 0; round < rounds; round += 1) {
      await commitAll(made.workspace);
      if (count > 0) edits.edit(`${row} ${round}`, count);
      await settle();
      const { twoThreads, oneThread } = await floors.walks();
      floor.add("walk, 2 threads", twoThreads);
      floor.add("walk, 1 thread", oneThread);
      await inTurn({ contenders, figures, row, round });
    }
  }
}

/**
 * Row b': our contender gets the path. The peers cannot use a path, so they are updated afterward, untimed.
 */
export async function measureKnown({ made, edits, contenders, rounds, floors, figures, floor }) {
  const ours = contenders.find(({ isOurs }) => isOurs);
  await commitAll(made.workspace);
  for (let round = 0; round < rounds * 4; round += 1) {
    const paths = edits.edit(`known ${round}`, 1);
    await settle();
    const steps = [
      async () => floor.add("1 edit", floors.oneEdit(paths[0])),
      async () =>
        figures.get(ours?.key)?.add("1 edit, path known", (await ours.ask("checkpointKnown", { paths })).ms),
    ];
    // The first sync also writes the edit itself, so the steps take turns going first.
    for (const step of rotated(steps, round)) await step();
  }
  for (const contender of contenders) await contender.ask("checkpoint");
}
