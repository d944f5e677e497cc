import type { SessionView } from "../../../machine/view.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { EntryId } from "../../../record/ids.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { flag, optional } from "../../command/parameters.ts";
import { requireSession } from "../../timeline/choose-session.ts";
import { openGround, openStore } from "../../timeline/ground.ts";
import { withHeld } from "../../timeline/hold.ts";
import { effectText } from "./effect-text.ts";
import { findJourney } from "./find-journey.ts";
import { journeyDocument, journeyName, journeyRows } from "./journey-text.ts";
import { previewRedo, type RedoPreview } from "./redo-preview.ts";

export const redo = defineCommand({
  description:
    "Goes forward again: undoes the newest rewind or backtrack that is in effect, or the one that is named.",
  arguments: { journey: optional("a journey's id, or the beginning of it") },
  options: {
    list: flag("show all journeys of the session, newest first"),
    dryRun: flag("show what would happen, and change nothing"),
  },
  examples: [
    { command: "worldline redo", meaning: "undo the newest journey that is in effect" },
    { command: "worldline redo --list", meaning: "all journeys, and which are in effect" },
    { command: "worldline redo k3f9 --dry-run", meaning: "what undoing that journey would bring back" },
  ],
  run: async ({ arguments: { journey }, options, frame }) => {
    if (options.list) {
      if (journey !== undefined) throw listTakesNone();
      return list(frame);
    }
    const ground = await openGround(frame);
    const view = await requireSession(frame, ground.store);
    const wanted = journey === undefined ? undefined : await findJourney(view, journey);
    const preview = await previewRedo(view, wanted);
    if (options.dryRun) return answer(frame, view, { preview });
    const made = await withHeld(
      { frame, ground, session: view.id, name: "worldline redo" },
      async (session) => {
        const now = await previewRedo(session, wanted);
        return { preview: now, made: (await session.redo(now.undone.id)).journey };
      },
    );
    return answer(frame, view, made);
  },
});

interface Outcome {
  readonly preview: RedoPreview;
  /** Not there when nothing was done. */
  readonly made?: EntryId;
}

function answer({ output, strings }: Frame, view: SessionView, { preview, made }: Outcome): void {
  const { undone, effect } = preview;
  const document = {
    session: view.id,
    changed: made !== undefined,
    journey: made ?? null,
    undone: undone.id,
    ...effect,
  };
  output.answer(document, () => {
    const { journeys } = strings;
    const name = journeyName(undone, { outline: view.outline, strings });
    return [
      made === undefined ? journeys.wouldRedo(name) : journeys.redone(name),
      ...effectText(effect, strings),
      made === undefined ? journeys.dryRun : journeys.redoWith(`worldline redo ${made}`),
    ].join("\n");
  });
}

async function list(frame: Frame): Promise<void> {
  const { output, strings } = frame;
  const view = await requireSession(frame, openStore(frame));
  const states = (await view.journeys()).toReversed();
  const document = { session: view.id, journeys: states.map((each) => journeyDocument(each, view.outline)) };
  output.answer(document, () =>
    states.length === 0 ? strings.journeys.noJourneys : journeyRows(states, view.outline, strings).join("\n"),
  );
}

function listTakesNone(): WorldlineError {
  return new WorldlineError("USAGE", "--list shows all journeys; it takes none.", {
    hint: "Leave out --list to redo the one that you named.",
  });
}
