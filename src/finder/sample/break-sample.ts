import type { Session } from "../../machine/session.ts";
import { textPart } from "../../record/parts.ts";
import type { SampleStep, SampleWay } from "./ways.ts";

export interface BrokenSample {
  /** For each step the checkpoint whose files are the first to have it. */
  readonly checkpoints: readonly number[];
}

/** Lets an agent's session break the sample, with a checkpoint of the files before each step and one behind the last. */
export async function breakSample(
  session: Session,
  way: SampleWay,
  folder: string = session.header.workspace,
): Promise<BrokenSample> {
  const { checkpoint } = await session.prompt("Tidy up the shop.");
  await session.capture({ checkpoint, author: "outside" });
  const checkpoints: number[] = [];
  for (const [index, step] of way.steps.entries()) {
    const isOutside = step.call === undefined;
    await play(session, step, { folder, call: `sample-${index}` });
    const number = await session.step();
    await session.capture({ checkpoint: number, author: isOutside ? "outside" : "timeline" });
    checkpoints.push(number);
  }
  await session.reply({ model: "sample", parts: [textPart("Done.")] });
  return { checkpoints };
}

async function play(
  session: Session,
  { call, apply }: SampleStep,
  { folder, call: id }: { readonly folder: string; readonly call: string },
): Promise<void> {
  if (call === undefined) {
    apply(folder);
    return;
  }
  const { name, input } = call;
  await session.reply({ model: "sample", parts: [{ type: "tool-call", call: id, name, input }] });
  await session.toolStart(id, name);
  apply(folder);
  await session.toolEnd(id, "ok", "Done.");
}
