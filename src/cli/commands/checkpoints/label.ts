import { labelCheckpoint } from "../../../app/checkpoints/make-checkpoint.ts";
import type { Strings } from "../../../strings/strings.ts";
import { defineCommand, required } from "../../command.ts";

export const label = defineCommand({
  help: (help) => help.label,
  arguments: {
    cp: required(),
    text: required(),
  },
  run: async ({ arguments: { cp, text }, frame }) => {
    const labeled = await labelCheckpoint(frame, { checkpoint: cp, text, name: "worldline label" });
    const { session, number, label: wanted, before } = labeled;
    const document = { session, number, label: wanted || null, before: before || null };
    frame.output.answer(document, () => outcome(labeled, frame.strings));
  },
});

function outcome(
  { number, label: wanted, before }: Awaited<ReturnType<typeof labelCheckpoint>>,
  { checkpoints }: Strings,
): string {
  const reference = `#${number}`;
  if (wanted !== "") {
    return before === wanted
      ? checkpoints.alreadyLabelled(reference, wanted)
      : checkpoints.labelled(reference, wanted);
  }
  return before === "" ? checkpoints.hadNoLabel(reference) : checkpoints.unlabelled(reference, before);
}
