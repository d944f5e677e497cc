import type { FoundCheckpoint } from "../../../app/checkpoints/find-checkpoint.ts";
import { findCheckpoint } from "../../../app/checkpoints/find-checkpoint.ts";
import { pathDocument } from "../../../app/files/paths.ts";
import type { ScopeOffer } from "../../../app/journeys/journey-types.ts";
import { type DescribedRewind, makeRewind, previewCheckpointRewind } from "../../../app/rewind.ts";
import { openStore } from "../../../app/sessions/store.ts";
import type { RewindResult } from "../../../machine/journeys/person-journeys.ts";
import type { Scope } from "../../../record/entry.ts";
import { choice, defineCommand, flag, list, type OptionValues, optional } from "../../command.ts";
import type { ExitCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import { choiceOf, choiceOptions, countedIn, decideFiles, filesDocument } from "./files.ts";
import { redoCommand } from "./journey-text.ts";
import { pickCheckpoint, pickScope } from "./pick-checkpoint.ts";
import { previewText, resultText } from "./rewind-text.ts";

/** Options shared by all commands that rewind to a checkpoint. */
export const rewindOptions = {
  scope: choice(["files", "conversation", "both"]),
  only: list("<path>"),
  ...choiceOptions,
  dryRun: flag(),
  yes: flag(),
};

export const rewind = defineCommand({
  help: (help) => help.rewind,
  arguments: {
    cp: optional(),
  },
  options: rewindOptions,
  run: async ({ arguments: { cp }, options, frame }) => {
    // Checks the options before the user is asked for a checkpoint.
    choiceOf(options);
    if (cp !== undefined) {
      return runRewind(frame, { checkpoint: await findCheckpoint(frame, openStore(frame), cp), options });
    }
    const checkpoint = await pickCheckpoint(frame);
    if (checkpoint === undefined) return stay(frame);
    return runRewind(frame, { checkpoint, options, askScope: async (offer) => pickScope(frame, offer) });
  },
});

export interface RewindWay {
  readonly checkpoint: FoundCheckpoint;
  readonly options: OptionValues<typeof rewindOptions>;
  /** The frame for the folder that the user is in, if it differs from the given frame. */
  readonly standing?: Frame;
  /** Asks for the scope if the command line does not name one. "stay": the user declined. */
  readonly askScope?: (offer: ScopeOffer) => Promise<Scope | "stay">;
}

/** Previews the rewind, asks the user any necessary questions, and performs the rewind. */
export async function runRewind(frame: Frame, way: RewindWay): Promise<ExitCode> {
  const { checkpoint, options, askScope, standing = frame } = way;
  const { scope, only } = options;
  const request = {
    ...{ checkpoint, scope, only, askScope },
    ...{ choice: choiceOf(options), counted: countedIn(frame) },
  };
  const redo = await redoCommand(standing, checkpoint.view);
  if (options.dryRun) {
    const preview = await previewCheckpointRewind(frame, request);
    if (preview === "stay") return stay(frame);
    answer(frame, { checkpoint, redo, preview });
    return 0;
  }
  const made = await makeRewind(frame, {
    ...request,
    name: "worldline rewind",
    decide: async (preview) => decideFiles(frame, options.yes ? "given" : "absent", preview),
  });
  if (made === "stay") return stay(frame);
  answer(frame, { checkpoint, redo, ...made });
  return made.result.files.failed > 0 ? 1 : 0;
}

function stay({ output, strings }: Frame): ExitCode {
  output.answer({ changed: false }, () => strings.journeys.stayed);
  return 0;
}

interface Answer {
  readonly checkpoint: FoundCheckpoint;
  /** The command line that undoes the rewind. */
  readonly redo: string;
  readonly preview: DescribedRewind;
  /** The result; absent for a dry run. */
  readonly result?: RewindResult;
}

function answer(frame: Frame, { checkpoint: { view, row }, redo, preview, result }: Answer): void {
  const { checkpoint, effect, prompt, scope, files, filesStay } = preview;
  const outcome = result?.files;
  const document = {
    session: view.id,
    to: row.number,
    label: checkpoint.label ?? null,
    scope,
    changed: result !== undefined,
    journey: result?.journey ?? null,
    ...effect,
    prompt: prompt ?? null,
    files: filesDocument(frame, files, outcome),
    filesStay: filesStay?.message ?? null,
    differ: (outcome?.differ ?? []).map(({ path }) => pathDocument(path)),
  };
  const { strings } = frame;
  const shown = { preview, redo };
  frame.output.answer(document, () =>
    (outcome === undefined ? previewText(shown, strings) : resultText(shown, outcome, strings)).join("\n"),
  );
}
