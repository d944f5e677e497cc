import type { CheckpointRow, PlaceOfRow } from "../../app/journeys/journey-types.ts";
import type { Scope } from "../../record/entry.ts";
import type { Desk } from "../commands/desk.ts";
import { placeOf } from "../dialogs/journeys/checkpoint-line.ts";
import { scopeMenu } from "../dialogs/journeys/scope-menu.ts";
import { checkpointChoice } from "./checkpoint-choice.ts";
import { makeJourney } from "./make-journey.ts";
import { sayingErrors } from "./saying-errors.ts";

/** The list, the scope, the preview, the journey. Esc goes one back each time, and out of the list. */
export async function rewindFlow(desk: Desk): Promise<void> {
  await sayingErrors(desk, async () => {
    await desk.station.journeys.ready();
    await desk.station.journeys.menuOpened();
    const choose = await checkpointChoice(desk, desk.strings.journeys.pickTitle, "listed");
    if (choose === undefined) return desk.say({ tone: "quiet", line: desk.strings.checkpoints.none });
    let chosen: CheckpointRow | undefined;
    do {
      chosen = await choose(chosen);
    } while (chosen !== undefined && (await goTo(desk, chosen, placeOf(chosen, desk.strings))) === "back");
  });
}

/** Asks for the scope where there is more than one, and goes. */
export async function goTo(desk: Desk, row: PlaceOfRow, place: string): Promise<"made" | "back"> {
  await desk.station.journeys.ready();
  const offer = await desk.station.journeys.scopes(row);
  const only = offer.scopes.length === 1 ? offer.scopes[0] : undefined;
  if (only !== undefined && offer.without === undefined) return rewindTo(desk, row, only);
  const title = desk.strings.terminal.dialogs.scope.title(place);
  for (;;) {
    const scope = await desk.ask(scopeMenu(desk.strings, offer, title));
    if (scope === undefined) return "back";
    if ((await rewindTo(desk, row, scope)) === "made") return "made";
  }
}

/** `/undo n`: straight to the preview of going back before the last prompts, files and conversation. */
export async function undoFlow(desk: Desk, prompts: number): Promise<void> {
  await sayingErrors(desk, async () => {
    await desk.station.journeys.ready();
    const row = await desk.station.journeys.undoTarget(prompts);
    const { scopes } = await desk.station.journeys.scopes(row);
    await rewindTo(desk, row, scopes.includes("both") ? "both" : (scopes[0] ?? "conversation"));
  });
}

function rewindTo(desk: Desk, { session, number }: PlaceOfRow, scope: Scope): Promise<"made" | "back"> {
  const { journeys } = desk.station;
  const place = { session, number, scope };
  return makeJourney(desk, {
    kind: "rewind",
    preview: (choice, progress) => journeys.preview({ ...place, ...choice }, progress),
    make: (choice, progress) => journeys.rewind({ ...place, ...choice }, progress),
  });
}
