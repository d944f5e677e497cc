import { findCheckpoint, reachableLabel, warnOfLookalike } from "../../../app/checkpoints/find-checkpoint.ts";
import { withFiles } from "../../../app/files/files.ts";
import { withHeld } from "../../../app/sessions/hold-session.ts";
import { openSessionDeps } from "../../../app/sessions/store.ts";
import type { Strings } from "../../../strings/strings.ts";
import { defineCommand, required } from "../../command.ts";

export const label = defineCommand({
  help: (help) => help.label,
  arguments: {
    cp: required(),
    text: required(),
  },
  run: async ({ arguments: { cp, text }, frame }) => {
    const wanted = text.trim() === "" ? "" : reachableLabel(text);
    const deps = await openSessionDeps(frame);
    const { view, row } = await findCheckpoint(frame, deps.store, cp);
    const labels = await view.labels();
    const before = labels.get(row.id) ?? "";
    if (wanted !== "") warnOfLookalike(frame, labels, wanted, row.id);
    if (before !== wanted) {
      // The files are opened because the store must also know the label: it keeps the files of labeled checkpoints.
      await withFiles(frame, view.header.workspace, async ({ files }) => {
        const hold = { context: frame, deps, session: view.id, name: "worldline label", files };
        await withHeld(hold, (session) => session.label(row.number, wanted));
      });
    }
    const document = { session: view.id, number: row.number, label: wanted || null, before: before || null };
    frame.output.answer(document, () => outcome(`#${row.number}`, { before, wanted }, frame.strings));
  },
});

function outcome(
  reference: string,
  label: { before: string; wanted: string },
  { checkpoints }: Strings,
): string {
  const { before, wanted } = label;
  if (wanted !== "") {
    return before === wanted
      ? checkpoints.alreadyLabelled(reference, wanted)
      : checkpoints.labelled(reference, wanted);
  }
  return before === "" ? checkpoints.hadNoLabel(reference) : checkpoints.unlabelled(reference, before);
}
