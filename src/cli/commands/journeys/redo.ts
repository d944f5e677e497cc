import {
  type FilesHere,
  isTouchedOnly,
  requireFiles,
  touchedIn,
  withFiles,
} from "../../../app/files/files.ts";
import type { DescribedPreview } from "../../../app/journeys/files-preview.ts";
import { journeyEnds, landedAt } from "../../../app/journeys/journey-ends.ts";
import { findJourney, isTalk, previewRedo, type RedoAim, type RedoPreview } from "../../../app/redo.ts";
import { contextOfSession, requireSession } from "../../../app/sessions/find-session.ts";
import { withHeld } from "../../../app/sessions/hold-session.ts";
import { openGround, openStore } from "../../../app/sessions/store.ts";
import { previewFiles } from "../../../machine/files/preview.ts";
import type { FilesOutcome } from "../../../machine/files/requests.ts";
import type { SessionContext } from "../../../machine/open.ts";
import type { SessionView } from "../../../machine/view.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { EntryId } from "../../../record/ids.ts";
import { outcomeLines, previewLines } from "../../../show/journey-text.ts";
import { requireConsent } from "../../ask.ts";
import { choice, defineCommand, flag, optional } from "../../command.ts";
import type { ExitCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import {
  choiceOf,
  choiceOptions,
  endLostProcesses,
  type FilesWork,
  filesDocument,
  filesWork,
  lookAndAsk,
  lookAtFiles,
  showFiles,
  warnOnlookers,
} from "./files.ts";
import { effectText, journeyDocument, journeyName, journeyRows, redoCommand } from "./journey-text.ts";

export const redo = defineCommand({
  description:
    "Redoes what you last rewound, with the files that it took along. It applies while nothing new has happened since: after " +
    "new work there is nothing to redo, and an older rewind or backtrack is undone only by its id, after showing what that " +
    "leaves. What somebody else changed since is kept, unless you say otherwise.",
  arguments: { journey: optional("a journey's id, or the beginning of it; --list shows them") },
  options: {
    list: flag("show every place that you can return to, newest first"),
    scope: choice(
      ["files", "conversation", "both"],
      "what goes (default: what the rewind or backtrack took along)",
    ),
    ...choiceOptions,
    dryRun: flag("show what would happen, and change nothing"),
    yes: flag("do not ask, also where newer work is left or many paths are deleted"),
  },
  examples: [
    { command: "worldline redo", meaning: "redo what you last rewound" },
    { command: "worldline redo --list", meaning: "every place that you can return to" },
    {
      command: "worldline redo k3f9 --dry-run",
      meaning: "what undoing that journey would bring back, and leave",
    },
  ],
  run: async ({ arguments: { journey }, options, frame: bare }) => {
    if (options.list) {
      if (journey !== undefined) throw listTakesNone();
      return list(bare);
    }
    const chosen = choiceOf(options);
    const ground = await openGround(bare);
    const view = await requireSession(bare, ground.store);
    const frame = await contextOfSession(bare, view.header);
    const wanted = journey === undefined ? undefined : await findJourney(view, journey);
    // Refused before anything is held, so that a refusal leaves no trace.
    const aim = { wanted, scope: options.scope };
    const preview = await previewRedo(view, aim);
    return withFiles(frame, view.header.workspace, async (here) => {
      const isAskedFor = options.scope !== undefined && preview.scope !== "conversation";
      if ((preview.scope === "files" || isAskedFor) && !isTouchedOnly(here)) requireFiles(here);
      const work = filesWork(frame, { files: here.files, mode: view.header.mode, only: [], choice: chosen });
      const yes = options.yes ? "given" : "absent";
      const held = { ...ground, ...touchedIn(here) };
      const travel: Travel = { bare, frame, ground: held, view, here, work, aim, yes };
      return options.dryRun ? foresee(travel, preview) : perform(travel);
    });
  },
});

interface Travel {
  /** In the folder that the user is in. */
  readonly bare: Frame;
  readonly frame: Frame;
  readonly ground: SessionContext;
  readonly view: SessionView;
  readonly here: FilesHere;
  readonly work: FilesWork;
  readonly aim: RedoAim;
  readonly yes: "given" | "absent";
}

async function foresee(travel: Travel, preview: RedoPreview): Promise<ExitCode> {
  const { frame, ground, view, here, work } = travel;
  const { files } = here;
  if (isTalk(here, preview)) {
    await answer(travel, { preview });
    return 0;
  }
  await warnOnlookers(frame, ground.store, view);
  const { described } = await lookAtFiles(frame, work, (wish) =>
    previewFiles({ view, files }, { ...wish, journey: preview.undone.id }),
  );
  await answer(travel, { preview, described });
  return 0;
}

async function perform(travel: Travel): Promise<ExitCode> {
  const { frame, ground, view, here, work, aim, yes } = travel;
  const hold = { context: frame, ground, session: view.id, name: "worldline redo", files: here.files };
  const made = await withHeld(hold, async (session) => {
    const preview = await previewRedo(session, aim);
    const { scope } = preview;
    const undone = preview.undone.id;
    if (isTalk(here, preview)) {
      await requireLeaving(travel, preview);
      const done = await work.patiently((wish) =>
        session.redo({ ...wish, wanted: undone, scope: "conversation" }),
      );
      return { preview, made: done.journey, outcome: done.files };
    }
    await endLostProcesses(frame, session);
    const looked = await lookAndAsk(frame, work, {
      yes,
      preview: (wish) => session.previewFiles({ ...wish, journey: undone }),
    });
    await showFiles(frame, looked, yes);
    await requireLeaving(travel, preview);
    const done = await work.patiently((wish) =>
      session.redo({ ...wish, ...looked.wish, wanted: undone, scope }),
    );
    return { preview, made: done.journey, outcome: done.files, described: looked.described };
  });
  await answer(travel, made);
  return made.outcome.failed > 0 ? 1 : 0;
}

/** What lies after the journey is newer: it is left only when the user agrees. */
async function requireLeaving({ frame, view, yes }: Travel, { undone, newer }: RedoPreview): Promise<void> {
  if (newer === undefined) return;
  const landed = landedAt(view.outline, undone);
  const question = frame.strings.journeys.undoQuestion(undone.kind, landed, newer.checkpoint);
  await requireConsent({ question, yes }, frame);
}

interface Outcome {
  readonly preview: RedoPreview;
  readonly described?: DescribedPreview;
  /** Not there when nothing was done. */
  readonly made?: EntryId;
  readonly outcome?: FilesOutcome;
}

async function answer(travel: Travel, result: Outcome): Promise<void> {
  const { bare, frame, view } = travel;
  const { preview, made, described, outcome } = result;
  const document = {
    session: view.id,
    changed: made !== undefined,
    journey: made ?? null,
    undone: preview.undone.id,
    scope: described === undefined ? "conversation" : preview.scope,
    newer: preview.newer ?? null,
    ...preview.effect,
    files: filesDocument(frame, described, outcome),
  };
  const { journeys } = frame.strings;
  const end = made === undefined ? journeys.dryRun : journeys.redoWith(await redoCommand(bare, view, made));
  frame.output.answer(document, () => [...textOf(travel, result), end].join("\n"));
}

function textOf({ frame, view, here }: Travel, { preview, made, described, outcome }: Outcome): string[] {
  const { strings } = frame;
  const { journeys, files } = strings;
  const name = journeyName(preview.undone, { outline: view.outline, strings });
  const isLeft = preview.scope !== "conversation" && isTalk(here, preview);
  return [
    made === undefined ? journeys.wouldRedo(name) : journeys.redone(name),
    ...(preview.newer === undefined ? [] : [journeys.leavesNewer(preview.newer.checkpoint)]),
    ...(described === undefined
      ? []
      : outcome === undefined
        ? previewLines(described, strings)
        : outcomeLines(outcome, strings)),
    ...(preview.scope === "files" ? [] : effectText(preview.effect, strings, view.header.mode)),
    ...(isLeft && here.state !== "on" ? [files.stay(here.why)] : []),
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
