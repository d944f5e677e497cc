import { previewFiles } from "../../../machine/files/preview.ts";
import type { FilesOutcome } from "../../../machine/files/requests.ts";
import type { Ground } from "../../../machine/open.ts";
import type { SessionView } from "../../../machine/view.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { EntryId } from "../../../record/ids.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { flag, optional } from "../../command/parameters.ts";
import type { ExitCode } from "../../exit.ts";
import { requireSession } from "../../timeline/choose-session.ts";
import {
  type FilesHere,
  isTouchedOnly,
  requireFiles,
  touchedIn,
  withFiles,
} from "../../timeline/files/files.ts";
import { frameOfSession } from "../../timeline/frame-of-session.ts";
import { openGround, openStore } from "../../timeline/ground.ts";
import { withHeld } from "../../timeline/hold.ts";
import { effectText } from "./effect-text.ts";
import { choiceOf, choiceOptions } from "./files/choice.ts";
import {
  type FilesWork,
  filesDocument,
  filesWork,
  lookAndAsk,
  lookAtFiles,
  showFiles,
} from "./files/look.ts";
import { outcomeLines } from "./files/outcome-text.ts";
import { type DescribedPreview, previewLines } from "./files/preview-text.ts";
import { endLostProcesses, warnOfRunning } from "./files/still-running.ts";
import { findJourney } from "./find-journey.ts";
import { journeyDocument, journeyName, journeyRows } from "./journey-text.ts";
import { isTalk, previewRedo, type RedoPreview } from "./redo-preview.ts";
import { redoCommand } from "./rewinding/redo-command.ts";

export const redo = defineCommand({
  description:
    "Goes forward again: undoes the newest rewind or backtrack that is in effect, or the one that is named, with the " +
    "files that it took along. What somebody else changed since is kept, unless you say otherwise.",
  arguments: { journey: optional("a journey's id, or the beginning of it") },
  options: {
    list: flag("show all journeys of the session, newest first"),
    ...choiceOptions,
    dryRun: flag("show what would happen, and change nothing"),
    yes: flag("do not ask, also where more paths are deleted than rewind.confirmDeletes says"),
  },
  examples: [
    { command: "worldline redo", meaning: "undo the newest journey that is in effect" },
    { command: "worldline redo --list", meaning: "all journeys, and which are in effect" },
    { command: "worldline redo k3f9 --dry-run", meaning: "what undoing that journey would bring back" },
  ],
  run: async ({ arguments: { journey }, options, frame: bare }) => {
    if (options.list) {
      if (journey !== undefined) throw listTakesNone();
      return list(bare);
    }
    const choice = choiceOf(options);
    const ground = await openGround(bare);
    const view = await requireSession(bare, ground.store);
    const frame = await frameOfSession(bare, view.header);
    const wanted = journey === undefined ? undefined : await findJourney(view, journey);
    // Refused before anything is held, so that a refusal leaves no trace.
    const preview = await previewRedo(view, wanted);
    return withFiles(frame, view.header.workspace, async (here) => {
      if (preview.scope === "files" && !isTouchedOnly(here)) requireFiles(here);
      const work = filesWork(frame, { files: here.files, mode: view.header.mode, only: [], choice });
      const yes = options.yes ? "given" : "absent";
      const held = { ...ground, ...touchedIn(here) };
      const travel: Travel = { bare, frame, ground: held, view, here, work, wanted, yes };
      return options.dryRun ? foresee(travel, preview) : perform(travel);
    });
  },
});

interface Travel {
  /** Where the person stands. */
  readonly bare: Frame;
  readonly frame: Frame;
  readonly ground: Ground;
  readonly view: SessionView;
  readonly here: FilesHere;
  readonly work: FilesWork;
  readonly wanted: EntryId | undefined;
  readonly yes: "given" | "absent";
}

async function foresee(travel: Travel, preview: RedoPreview): Promise<ExitCode> {
  const { frame, view, here, work } = travel;
  const { files } = here;
  if (isTalk(here, preview)) {
    await answer(travel, { preview });
    return 0;
  }
  warnOfRunning(frame, view);
  const { described } = await lookAtFiles(frame, work, (wish) =>
    previewFiles({ view, files }, { ...wish, journey: preview.undone.id }),
  );
  await answer(travel, { preview, described });
  return 0;
}

async function perform(travel: Travel): Promise<ExitCode> {
  const { frame, ground, view, here, work, wanted, yes } = travel;
  const hold = { frame, ground, session: view.id, name: "worldline redo", files: here.files };
  const made = await withHeld(hold, async (session) => {
    const preview = await previewRedo(session, wanted);
    const undone = preview.undone.id;
    if (isTalk(here, preview)) {
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
    const done = await work.patiently((wish) => session.redo({ ...wish, ...looked.wish, wanted: undone }));
    return { preview, made: done.journey, outcome: done.files, described: looked.described };
  });
  await answer(travel, made);
  return made.outcome.failed > 0 ? 1 : 0;
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
    ...preview.effect,
    files: filesDocument(described, outcome),
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
  const document = { session: view.id, journeys: states.map((each) => journeyDocument(each, view.outline)) };
  output.answer(document, () =>
    states.length === 0 ? strings.journeys.noJourneys : journeyRows(states, view.outline, strings).join("\n"),
  );
  return 0;
}

function listTakesNone(): WorldlineError {
  return new WorldlineError("USAGE", "--list shows all journeys; it takes none.", {
    hint: "Leave out --list to redo the one that you named.",
  });
}
