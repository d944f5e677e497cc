import { visibleWidth } from "@earendil-works/pi-tui";
import type { CheckpointRow, PlaceOfRow } from "../../app/checkpoints/checkpoint-rows.ts";
import type { RedoRequest, RedoRow, ScopeOffer } from "../../app/journeys/journey-types.ts";
import type { Scope } from "../../record/entry.ts";
import type { EntryId } from "../../record/ids.ts";
import { oneLine } from "../../record/visible-text.ts";
import { placeText } from "../../show/checkpoint-text.ts";
import { errorOnScreen } from "../../strings/errors/wording.ts";
import type { Strings } from "../../strings/strings.ts";
import { checkpointList } from "../dialogs/checkpoint-list.ts";
import { placeOf } from "../dialogs/checkpoint-rows.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import { type Choice, choiceList, type ListState } from "../dialogs/list.ts";
import { type MenuState, menu } from "../dialogs/menu.ts";
import { cut } from "../look/lines.ts";
import { ago } from "../look/measures.ts";
import { type Desk, sayingErrors } from "./command-context.ts";
import { makeJourney } from "./journey.ts";

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
  } while (
    chosen !== undefined &&
    (await returnTo(desk, chosen.item.journey, placeText(chosen.item.place, desk.strings))) === "back"
  );
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

/** Asks for a checkpoint, with the one that was chosen before chosen again. */
type ChooseCheckpoint = (before: CheckpointRow | undefined) => Promise<CheckpointRow | undefined>;

/**
 * The list of all checkpoints of the workspace, to be asked once or several times: with this session's at once, and the others when
 * they are there. Undefined where there are none at all.
 */
export async function checkpointChoice(
  desk: Desk,
  title: string,
  executions: "listed" | "left-out",
): Promise<ChooseCheckpoint | undefined> {
  const { journeys } = desk.station;
  const rowsElsewhere = async (): Promise<readonly CheckpointRow[]> =>
    (await journeys.rowsElsewhere()).filter(({ place }) => executions === "listed" || place !== "execution");
  const rows = await journeys.rowsHere();
  let others: readonly CheckpointRow[] | undefined = rows.length > 0 ? undefined : await rowsElsewhere();
  if (rows.length === 0 && others?.length === 0) return undefined;
  const look = async (): Promise<readonly CheckpointRow[]> => {
    others = await rowsElsewhere();
    return others;
  };
  return async (before) =>
    desk.ask(
      checkpointList(desk.strings, {
        rows: [...rows, ...(others ?? [])],
        ...(others === undefined ? { elsewhere: look } : {}),
        unreadable: () => journeys.unreadable(),
        changedSince: async (row) => journeys.changedSince(row),
        title,
        ...(before === undefined ? {} : { chosen: before }),
      }),
    );
}

/** What goes: files and conversation, or one of them. `title` says where. */
export function scopeMenu(strings: Strings, offer: ScopeOffer, title: string): Dialog<MenuState, Scope> {
  const { scope, keys } = strings.terminal.dialogs;
  return menu({
    title,
    about: [
      ...(offer.without === undefined ? [] : [scope.without(errorOnScreen(strings, offer.without).message)]),
      ...(offer.scopes.length === 0 ? [scope.nothing] : []),
    ],
    rows: offer.scopes.map((answer) => ({
      text: scope.names[answer],
      description: scope.descriptions[answer],
      answer,
    })),
    keys: offer.scopes.length === 0 ? keys.back : keys.menuBack,
  });
}

/** However narrow the screen, something of the place is shown. */
const LEAST_PLACE = 12;

/** The places that undoing a journey returns to, newest first. */
export function redoList(strings: Strings, rows: readonly RedoRow[]): Dialog<ListState, Choice<RedoRow>> {
  const { redo, keys } = strings.terminal.dialogs;
  const { kinds, leftBy } = strings.journeys;
  return choiceList({
    title: redo.title,
    items: rows,
    words: ({ kind, place }) => `${kinds[kind]} ${oneLine(placeText(place, strings))}`,
    row: ({ kind, place, to, at }, { width, look }) => {
      const left = ` (${leftBy(ago(at, look.now, look.strings), kinds[kind], to)})`;
      const room = Math.max(LEAST_PLACE, width - visibleWidth(left));
      return cut(`${cut(oneLine(placeText(place, look.strings)), room, look)}${left}`, width, look);
    },
    empty: redo.none,
    keys: keys.list,
  });
}
