import type { RedoRequest, RedoRow } from "../../app/journeys/journey-types.ts";
import type { EntryId } from "../../record/ids.ts";
import type { Desk } from "../commands/desk.ts";
import { redoList } from "../dialogs/journeys/redo-list.ts";
import { scopeMenu } from "../dialogs/journeys/scope-menu.ts";
import type { Choice } from "../dialogs/pieces/choice-list.ts";
import { makeJourney } from "./make-journey.ts";
import { sayingErrors } from "./saying-errors.ts";

/** `/redo`: redoes what was last rewound; with `list`, one of all places to return to is chosen first. */
export async function redoFlow(desk: Desk, words: string): Promise<void> {
  const { none, noneBut } = desk.strings.terminal.dialogs.redo;
  await sayingErrors(desk, async () => {
    await desk.station.journeys.ready();
    const rows = await desk.station.journeys.redoable();
    if (rows.length === 0) return desk.say({ tone: "quiet", line: none });
    const typed = words.trim();
    if (typed === "list" || typed === "--list") return redoChosen(desk, rows);
    const isThere = typed !== "" || rows.some(({ order }) => order === "next");
    if (!isThere) return desk.say({ tone: "quiet", line: noneBut });
    await redo(desk, typed === "" ? {} : { journey: typed as EntryId });
  });
}

async function redoChosen(desk: Desk, rows: readonly RedoRow[]): Promise<void> {
  let chosen: Choice<RedoRow> | undefined;
  do {
    chosen = await desk.ask(redoList(desk.strings, rows));
  } while (chosen !== undefined && (await returnTo(desk, chosen.item.journey, chosen.item.place)) === "back");
}

/** Undoes a journey that was chosen by its place. Asks for the scope where there is more than one. */
export async function returnTo(desk: Desk, journey: EntryId, place: string): Promise<"made" | "back"> {
  await desk.station.journeys.ready();
  const offer = await desk.station.journeys.redoScopes(journey);
  const only = offer.scopes.length === 1 ? offer.scopes[0] : undefined;
  if (only !== undefined && offer.without === undefined) return redo(desk, { journey, scope: only });
  const title = desk.strings.terminal.dialogs.scope.returnTitle(place);
  for (;;) {
    const scope = await desk.ask(scopeMenu(desk.strings, offer, title));
    if (scope === undefined) return "back";
    if ((await redo(desk, { journey, scope })) === "made") return "made";
  }
}

function redo(desk: Desk, wish: Pick<RedoRequest, "journey" | "scope">): Promise<"made" | "back"> {
  const { journeys } = desk.station;
  return makeJourney(desk, {
    kind: "redo",
    preview: (choice, progress) => journeys.previewRedo({ ...wish, ...choice }, progress),
    make: (choice, progress) => journeys.redo({ ...wish, ...choice }, progress),
  });
}
