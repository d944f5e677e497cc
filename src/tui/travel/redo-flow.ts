import type { RedoRow } from "../../ports/station/journeys.ts";
import type { EntryId } from "../../record/ids.ts";
import type { Desk } from "../commands/desk.ts";
import { redoList } from "../dialogs/journeys/redo-list.ts";
import type { Choice } from "../dialogs/pieces/choice-list.ts";
import { makeJourney } from "./make-journey.ts";
import { sayingErrors } from "./saying-errors.ts";

/** `/redo`: forward again to where the newest journey left from; with `list`, one of them is chosen first. */
export async function redoFlow(desk: Desk, words: string): Promise<void> {
  await sayingErrors(desk, async () => {
    await desk.station.journeys.ready();
    const rows = await desk.station.journeys.redoable();
    if (rows.length === 0) return desk.say({ tone: "quiet", line: desk.strings.terminal.dialogs.redo.none });
    const typed = words.trim();
    if (typed === "list" || typed === "--list") return redoChosen(desk, rows);
    await redo(desk, typed === "" ? undefined : (typed as EntryId));
  });
}

async function redoChosen(desk: Desk, rows: readonly RedoRow[]): Promise<void> {
  let chosen: Choice<RedoRow> | undefined;
  do {
    chosen = await desk.ask(redoList(desk.strings, rows));
  } while (chosen !== undefined && (await redo(desk, chosen.item.journey)) === "back");
}

function redo(desk: Desk, journey: EntryId | undefined): Promise<"made" | "back"> {
  const { journeys } = desk.station;
  const wish = journey === undefined ? {} : { journey };
  return makeJourney(desk, {
    kind: "redo",
    preview: (choice, progress) => journeys.previewRedo({ ...wish, ...choice }, progress),
    make: (choice, progress) => journeys.redo({ ...wish, ...choice }, progress),
  });
}
