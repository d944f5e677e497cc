import { type DescribedRedo, listJourneys, makeRedo, previewJourneyRedo } from "../../../app/redo.ts";
import type { RedoResult } from "../../../machine/journeys/person-journeys.ts";
import { WorldlineError } from "../../../record/error.ts";
import { outcomeLines, previewLines } from "../../../show/journey-text.ts";
import { requireConsent } from "../../ask.ts";
import { choice, defineCommand, flag, optional } from "../../command.ts";
import { wordingOf } from "../../command-again.ts";
import type { ExitCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import { choiceOf, choiceOptions, countedIn, decideFiles, filesDocument } from "./files.ts";
import { effectText, journeyDocument, journeyName, journeyRows, redoCommand } from "./journey-text.ts";

export const redo = defineCommand({
  help: (help) => help.redo,
  arguments: { journey: optional() },
  options: {
    list: flag(),
    scope: choice(["files", "conversation", "both"]),
    ...choiceOptions,
    dryRun: flag(),
    yes: flag(),
  },
  run: async ({ arguments: { journey }, options, frame }) => {
    if (options.list) {
      if (journey !== undefined) throw new WorldlineError("list-takes-no-journey", {});
      return list(frame);
    }
    const request = {
      ...{ journey, scope: options.scope },
      ...{ choice: choiceOf(options), counted: countedIn(frame) },
    };
    if (options.dryRun) {
      await answer(frame, await previewJourneyRedo(frame, request));
      return 0;
    }
    const yes = options.yes ? "given" : "absent";
    const { preview, result } = await makeRedo(frame, {
      ...request,
      name: "worldline redo",
      decide: async (preview) => {
        const decided = await decideFiles(frame, yes, preview);
        await requireLeaving(frame, decided.preview, yes);
        return decided;
      },
    });
    await answer(frame, preview, result);
    return result.files.failed > 0 ? 1 : 0;
  },
});

/** Requires the user's consent for a redo that would leave behind work done after the journey. */
async function requireLeaving(
  frame: Frame,
  { redo: { undone, landed, newer } }: DescribedRedo,
  yes: "given" | "absent",
): Promise<void> {
  if (newer === undefined) return;
  const question = frame.strings.journeys.undoQuestion(undone.kind, landed, newer.checkpoint);
  await requireConsent({ question, yes }, frame);
}

/** Prints the answer. `result` is absent for a dry run. */
async function answer(frame: Frame, preview: DescribedRedo, result?: RedoResult): Promise<void> {
  const { view, redo, files } = preview;
  const document = {
    session: view.id,
    changed: result !== undefined,
    journey: result?.journey ?? null,
    undone: redo.undone.id,
    scope: redo.scope,
    newer: redo.newer ?? null,
    ...redo.effect,
    files: filesDocument(frame, files, result?.files),
  };
  const { journeys } = frame.strings;
  const end =
    result === undefined
      ? journeys.dryRun
      : journeys.redoWith(await redoCommand(frame, view, result.journey));
  frame.output.answer(document, () => [...textOf(frame, preview, result), end].join("\n"));
}

function textOf(
  frame: Frame,
  { view, redo, files: described }: DescribedRedo,
  result: RedoResult | undefined,
): string[] {
  const { strings } = frame;
  const { journeys, files } = strings;
  const name = journeyName(redo.undone, { outline: view.outline, strings });
  return [
    result === undefined ? journeys.wouldRedo(name) : journeys.redone(name),
    ...(redo.newer === undefined ? [] : [journeys.leavesNewer(redo.newer.checkpoint)]),
    ...(described === undefined
      ? []
      : result === undefined
        ? previewLines(described, strings)
        : outcomeLines(result.files, strings)),
    ...(redo.scope === "files" ? [] : effectText(redo.effect, strings, view.header.mode)),
    ...(redo.filesStay === undefined ? [] : [files.stay(wordingOf(frame).message(redo.filesStay))]),
  ];
}

async function list(frame: Frame): Promise<ExitCode> {
  const { output, strings } = frame;
  const { view, journeys } = await listJourneys(frame);
  const document = {
    session: view.id,
    journeys: journeys.map((each) => journeyDocument(each, { outline: view.outline, strings })),
  };
  output.answer(document, () =>
    journeys.length === 0
      ? strings.journeys.noJourneys
      : [strings.journeys.returnTo, ...journeyRows(journeys, strings)].join("\n"),
  );
  return 0;
}
