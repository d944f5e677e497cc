import { blocksOf } from "../disk-blocks.mjs";
import { settle } from "./samples.mjs";

const CHECKPOINTS = 50;

/** Row g: how much each store grows on the disk through fifty checkpoints of one edit each. */
export async function measureDisk({ edits, contenders }) {
  for (const contender of contenders) await contender.ask("checkpoint");
  const before = contenders.map(({ folders }) => blocksOf(folders));
  for (let index = 0; index < CHECKPOINTS; index += 1) {
    edits.edit(`disk ${index}`, 1);
    await settle();
    for (const contender of contenders) await contender.ask("checkpoint");
  }
  return Object.fromEntries(
    contenders.map(({ key, folders }, index) => [key, blocksOf(folders) - before[index]]),
  );
}
