import { findCheckpoint } from "../../../app/checkpoints/find-checkpoint.ts";
import { openGround } from "../../../app/sessions/ground.ts";
import { defineCommand } from "../../command/command.ts";
import { optional } from "../../command/parameters.ts";
import { choiceOf } from "./files/choice.ts";
import { pickCheckpoint } from "./pick-checkpoint.ts";
import { pickScope } from "./pick-scope.ts";
import { performRewind, rewindOptions, stay } from "./rewinding/perform-rewind.ts";

export const rewind = defineCommand({
  description:
    "Goes back to a checkpoint: files, conversation, or both. Nothing is lost: the present is captured first, what is left " +
    "behind stays on the timeline, and `worldline redo` goes forward again. Works for any checkpoint, also before a " +
    "compaction or on a branch that was left. What somebody else changed since is kept, unless you say otherwise.",
  arguments: {
    cp: optional("the checkpoint: a number, session:number, or a label (default: choose from a list)"),
  },
  options: rewindOptions,
  examples: [
    { command: "worldline rewind 12 --dry-run", meaning: "what would change, file by file" },
    { command: 'worldline rewind "tests pass"', meaning: "back to where that label stands" },
    { command: "worldline rewind 12 --only src/main.ts", meaning: "one file as it was there" },
    { command: "worldline rewind 12 --scope conversation", meaning: "files stay as they are" },
    { command: "worldline rewind", meaning: "choose from a list" },
  ],
  run: async ({ arguments: { cp }, options, frame }) => {
    // Refused before anybody is asked for a row.
    choiceOf(options);
    const ground = await openGround(frame);
    if (cp !== undefined) {
      const target = await findCheckpoint(frame, ground.store, cp);
      return performRewind(frame, { ground, target, options });
    }
    const target = await pickCheckpoint(frame, ground.store);
    if (target === undefined) return stay(frame);
    return performRewind(frame, {
      ground,
      target,
      options,
      askScope: async (there, here) => pickScope(there, target, here),
    });
  },
});
