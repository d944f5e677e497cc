import type { EntryId } from "../../../record/ids.ts";
import { planRewind } from "../../../travel/rewind.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { choice, flag, optional } from "../../command/parameters.ts";
import { type FoundCheckpoint, findCheckpoint } from "../../timeline/find-checkpoint.ts";
import { openGround } from "../../timeline/ground.ts";
import { withHeld } from "../../timeline/hold.ts";
import { pickCheckpoint } from "./pick-checkpoint.ts";
import { type FilesAsked, previewRewind, type RewindPreview, rewindText } from "./rewind-preview.ts";
import { DEFAULT_SCOPE, requireConversationOnly } from "./scope.ts";

export const rewind = defineCommand({
  description:
    "Goes back to a checkpoint. Nothing is lost: what is left behind stays on the timeline, and `worldline redo` " +
    "goes forward again. Works for any checkpoint, also before a compaction or on a branch that was left. This version " +
    "does not capture files: they stay as they are.",
  arguments: {
    cp: optional("the checkpoint: a number, session:number, or a label (default: choose from a list)"),
  },
  options: {
    scope: choice(
      ["files", "conversation", "both"],
      "what goes back (default, and in this version the only one: conversation)",
    ),
    dryRun: flag("show what would happen, and change nothing"),
  },
  examples: [
    { command: "worldline rewind 12 --dry-run", meaning: "what would be left behind" },
    { command: 'worldline rewind "tests pass"', meaning: "back to where that label stands" },
    { command: "worldline rewind", meaning: "choose from a list" },
  ],
  run: async ({ arguments: { cp }, options, frame }) => {
    const { scope = DEFAULT_SCOPE, dryRun } = options;
    const ground = await openGround(frame);
    const target =
      cp === undefined
        ? await pickCheckpoint(frame, ground.store, scope)
        : await findCheckpoint(frame, ground.store, cp);
    if (target === undefined) {
      frame.output.answer({ changed: false }, () => frame.strings.journeys.stayed);
      return;
    }
    const { view, row } = target;
    await requireConversationOnly(frame, scope, `worldline rewind ${view.id}:${row.number}`);
    // Refused before anything is held, so that a refusal leaves no trace.
    planRewind(view.outline, { to: row.number, scope }, {});
    const files = options.scope === undefined ? "unsaid" : "left-out";
    if (dryRun) {
      answer(frame, target, { preview: await previewRewind(view, row), files });
      return;
    }
    const made = await withHeld(
      { frame, ground, session: view.id, name: "worldline rewind" },
      async (session) => {
        const preview = await previewRewind(session, row);
        const { journey } = await session.rewind(row.number);
        return { preview, journey, files } as const;
      },
    );
    answer(frame, target, made);
  },
});

interface Outcome {
  readonly preview: RewindPreview;
  /** Not there when nothing was done. */
  readonly journey?: EntryId;
  readonly files: FilesAsked;
}

function answer(frame: Frame, { view, row }: FoundCheckpoint, { preview, journey, files }: Outcome): void {
  const { checkpoint, effect, prompt } = preview;
  const document = {
    session: view.id,
    to: row.number,
    label: checkpoint.label ?? null,
    scope: "conversation",
    changed: journey !== undefined,
    journey: journey ?? null,
    ...effect,
    prompt: prompt ?? null,
  };
  const mode = journey === undefined ? "dry-run" : "made";
  frame.output.answer(document, () => rewindText(preview, { mode, files }, frame.strings).join("\n"));
}
