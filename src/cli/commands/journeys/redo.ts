import { type OpenedFiles, touchedIn, withFiles } from "../../../app/files/files.ts";
import type { DescribedPreview, FilesWork } from "../../../app/journeys/files-preview.ts";
import { journeyEnds, landedAt } from "../../../app/journeys/journey-ends.ts";
import { reportRunning } from "../../../app/journeys/left-running.ts";
import {
  findJourney,
  previewRedo,
  type Redo,
  type RedoTarget,
  redoSession,
  settleRedo,
} from "../../../app/redo.ts";
import { contextOfSession, requireSession } from "../../../app/sessions/find-session.ts";
import { openSessionDeps, openStore } from "../../../app/sessions/store.ts";
import type { RedoResult } from "../../../machine/journeys/person-journeys.ts";
import type { SessionContext } from "../../../machine/open.ts";
import type { SessionView } from "../../../machine/view.ts";
import { WorldlineError } from "../../../record/error.ts";
import { outcomeLines, previewLines } from "../../../show/journey-text.ts";
import { requireConsent } from "../../ask.ts";
import { choice, defineCommand, flag, optional } from "../../command.ts";
import { wordingOf } from "../../command-again.ts";
import type { ExitCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import { choiceOf, choiceOptions, decideFiles, describeFiles, filesDocument, filesWork } from "./files.ts";
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
  run: async ({ arguments: { journey }, options, frame: bare }) => {
    if (options.list) {
      if (journey !== undefined) throw listTakesNone();
      return list(bare);
    }
    const choice = choiceOf(options);
    const deps = await openSessionDeps(bare);
    const view = await requireSession(bare, deps.store);
    const frame = await contextOfSession(bare, view.header);
    const wanted = journey === undefined ? undefined : await findJourney(view, journey);
    const target = { journey: wanted, scope: options.scope };
    return withFiles(frame, view.header.workspace, async (here) => {
      const redo = await settleRedo(view, here, target);
      const { mode } = view.header;
      const travel: Travel = {
        ...{ bare, frame, deps: { ...deps, ...touchedIn(here) }, view, here, target, redo },
        work: filesWork(frame, { files: here.files, mode, choice }),
        yes: options.yes ? "given" : "absent",
      };
      return options.dryRun ? preview(travel) : perform(travel);
    });
  },
});

interface Travel {
  /** The frame of the folder that the user is in. */
  readonly bare: Frame;
  readonly frame: Frame;
  readonly deps: SessionContext;
  readonly view: SessionView;
  readonly here: OpenedFiles;
  readonly target: RedoTarget;
  readonly redo: Redo;
  readonly work: FilesWork;
  readonly yes: "given" | "absent";
}

async function preview(travel: Travel): Promise<ExitCode> {
  const { frame, deps, view, here, work, redo } = travel;
  if (redo.scope !== "conversation") await reportRunning(frame, deps.store, view);
  const files = await previewRedo(frame, redo, { view, here, work });
  const described = files === undefined ? {} : { described: await describeFiles(frame, work, files) };
  await answer(travel, { redo, ...described });
  return 0;
}

async function perform(travel: Travel): Promise<ExitCode> {
  const { frame, deps, target, work, yes } = travel;
  const made = await redoSession(frame, travel, {
    session: { deps, name: "worldline redo" },
    target,
    work,
    decide: async (preview, redo) => {
      const decided = await decideFiles(frame, { work, yes }, preview);
      await requireLeaving(travel, redo);
      return decided;
    },
  });
  await answer(travel, made);
  return made.result.files.failed > 0 ? 1 : 0;
}

/** Requires the user's consent for a redo that would leave behind work done after the journey. */
async function requireLeaving({ frame, view, yes }: Travel, { undone, newer }: Redo): Promise<void> {
  if (newer === undefined) return;
  const landed = landedAt(view.outline, undone);
  const question = frame.strings.journeys.undoQuestion(undone.kind, landed, newer.checkpoint);
  await requireConsent({ question, yes }, frame);
}

interface Answer {
  readonly redo: Redo;
  readonly described?: DescribedPreview;
  /** Absent for a dry run. */
  readonly result?: RedoResult;
}

async function answer(travel: Travel, given: Answer): Promise<void> {
  const { bare, frame, view } = travel;
  const { redo, described, result } = given;
  const document = {
    session: view.id,
    changed: result !== undefined,
    journey: result?.journey ?? null,
    undone: redo.undone.id,
    scope: redo.scope,
    newer: redo.newer ?? null,
    ...redo.effect,
    files: filesDocument(frame, described, result?.files),
  };
  const { journeys } = frame.strings;
  const end =
    result === undefined ? journeys.dryRun : journeys.redoWith(await redoCommand(bare, view, result.journey));
  frame.output.answer(document, () => [...textOf(travel, given), end].join("\n"));
}

function textOf({ frame, view }: Travel, { redo, described, result }: Answer): string[] {
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
  const view = await requireSession(frame, openStore(frame));
  const states = (await view.journeys()).toReversed();
  const ends = await journeyEnds(view, states);
  const document = {
    session: view.id,
    journeys: ends.map((each) => journeyDocument(each, { outline: view.outline, strings })),
  };
  output.answer(document, () =>
    ends.length === 0
      ? strings.journeys.noJourneys
      : [strings.journeys.returnTo, ...journeyRows(ends, strings)].join("\n"),
  );
  return 0;
}

function listTakesNone(): WorldlineError {
  return new WorldlineError("list-takes-no-journey", {});
}
