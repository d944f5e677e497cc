import { visibleWidth } from "@earendil-works/pi-tui";
import type { CheckpointRow, PlaceOfRow } from "../../app/checkpoints/checkpoint-rows.ts";
import type {
  FilesChoice,
  FilesMade,
  JourneyMade,
  JourneyPreview,
  OnProgress,
  RedoRequest,
  RedoRow,
  ScopeOffer,
} from "../../app/journeys/journey-types.ts";
import type { Scope } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import type { EntryId } from "../../record/ids.ts";
import { oneLine } from "../../record/visible-text.ts";
import { placeText } from "../../show/checkpoint-text.ts";
import { throughEnd } from "../../show/files/journey-text.ts";
import { errorOnScreen, remarkText } from "../../strings/errors/wording.ts";
import type { Strings } from "../../strings/strings.ts";
import { checkpointList } from "../dialogs/checkpoint-list.ts";
import { placeOf } from "../dialogs/checkpoint-rows.ts";
import { type Choice, choiceList } from "../dialogs/choice-list.ts";
import { confirm, type Dialog, type MenuState, menu } from "../dialogs/dialog.ts";
import type { ListState } from "../dialogs/list.ts";
import { type PreviewAnswer, type PreviewOptions, previewDialog } from "../dialogs/preview.ts";
import { ago, cut } from "../look/text.ts";
import { type Desk, sayingErrors } from "./command-context.ts";

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

/** A journey that can be looked at and then made: a rewind to a place, or the redo of another journey. */
interface Wish {
  readonly kind: "rewind" | "redo";
  readonly preview: (choice: FilesChoice, progress: OnProgress) => Promise<JourneyPreview>;
  readonly make: (choice: FilesChoice, progress: OnProgress) => Promise<JourneyMade>;
}

/** Preview, consent, journey, notice. "back": the person left the preview, and nothing was changed. */
export async function makeJourney(desk: Desk, wish: Wish): Promise<"made" | "back"> {
  const words = desk.strings.terminal.dialogs.travel;
  const look = (choice: FilesChoice) =>
    desk.wait(words.looking, ({ onProgress }) => wish.preview(choice, onProgress));
  let preview = await look({});
  const title = titleOf(desk.strings, wish.kind, preview);
  let before: Pick<PreviewOptions, "from"> = {};
  for (;;) {
    const running = preview.files === undefined ? [] : await desk.station.journeys.running();
    const answer = await desk.ask(previewDialog(desk.strings, { title, preview, running, ...before }));
    if (answer === undefined) return "back";
    const choice: FilesChoice = answer.choices.size === 0 ? {} : { choices: answer.choices };
    // Taking the past of a conflict may delete what keeping it would not.
    const chosen = answer.choices.size === 0 ? preview : await look(choice);
    before = { from: answer };
    const unmerged = unmergedIn(chosen);
    if (unmerged.size > 0) {
      // It was accepted before anybody had tried: shown again, with what came of that.
      preview = withUnmerged(preview, unmerged);
      const choices = new Map([...answer.choices].filter(([path]) => !unmerged.has(path)));
      before = { from: { ...answer, choices } };
      continue;
    }
    if (!(await consents(desk, chosen))) continue;
    await carryOut(desk, wish, { choice, running: answer.running });
    return "made";
  }
}

/** What was to be merged, and does not merge cleanly. */
function unmergedIn({ files }: JourneyPreview): ReadonlySet<string> {
  const conflicts = files?.conflicts ?? [];
  return new Set(
    conflicts.flatMap(({ path, choice, merge }) => (choice === "merge" && merge === "unclean" ? [path] : [])),
  );
}

function withUnmerged(preview: JourneyPreview, unmerged: ReadonlySet<string>): JourneyPreview {
  if (preview.files === undefined) return preview;
  const conflicts = preview.files.conflicts.map((conflict) =>
    unmerged.has(conflict.path) ? { ...conflict, merge: "unclean" as const } : conflict,
  );
  return { ...preview, files: { ...preview.files, conflicts } };
}

/** A redo that leaves newer work says which journey it undoes, and what that leaves. */
function titleOf(strings: Strings, kind: Wish["kind"], { place, newer }: JourneyPreview): string {
  if (newer !== undefined) return strings.journeys.undoQuestion(newer.kind, newer.to, newer.leaves);
  return strings.terminal.dialogs.travel.previewTitles[kind](placeText(place, strings));
}

async function consents(desk: Desk, { files }: JourneyPreview): Promise<boolean> {
  if (files?.consent !== "needed") return true;
  const { consent } = desk.strings.terminal.dialogs;
  const answer = await desk.ask(
    confirm(desk.strings, {
      question: consent.question(files.deletions),
      about: [consent.about],
      yes: consent.yes,
      no: consent.no,
    }),
  );
  return answer === "yes";
}

interface Chosen {
  readonly choice: FilesChoice;
  readonly running: PreviewAnswer["running"];
}

async function carryOut(desk: Desk, wish: Wish, { choice, running }: Chosen): Promise<void> {
  const words = desk.strings.terminal.dialogs.travel;
  let made: JourneyMade;
  try {
    made = await desk.wait(words.making, async ({ onProgress }) => {
      if (running === "stop") await desk.station.journeys.stopRunning();
      return wish.make(choice, onProgress);
    });
  } catch (error) {
    if (!(error instanceof WorldlineError)) throw error;
    const { message, hint } = errorOnScreen(desk.strings, error);
    const line = words.failed(message);
    desk.say({ tone: "error", line, ...(hint === undefined ? {} : { details: hint }) });
    return;
  }
  await desk.reload();
  if (made.prompt !== undefined) desk.edit(made.prompt);
  desk.say(madeNotice(desk, wish.kind, made));
}

/** How many of the paths that were kept or failed are named in the line itself. */
const MOST_NAMED = 3;

/** What is said after a journey: where one is now, what became of the files and why not of all, and the way back. */
function madeNotice(
  desk: Pick<Desk, "strings" | "shellCommand">,
  kind: "rewind" | "redo",
  made: JourneyMade,
): Parameters<Desk["say"]>[0] {
  const { strings } = desk;
  const words = strings.terminal.dialogs.travel;
  const { files, differ, scope, visit } = made;
  const told = (files?.told ?? []).map(({ path, outcome, ...why }) =>
    words.outcome(path, outcome, remarkText(strings, why)),
  );
  const forward = kind === "rewind" ? words.forward : words.forwardAgain;
  const parts = [
    headOf(strings, kind, made),
    ...(files === undefined ? [] : [words.counts(files)]),
    ...told.slice(0, MOST_NAMED),
    ...(told.length > MOST_NAMED ? [words.moreKept(told.length - MOST_NAMED)] : []),
    ...(files === undefined ? [] : throughEnd(files, strings)),
    ...(scope === "conversation" && differ > 0 ? [words.differ(differ)] : []),
    ...(visit === undefined ? [] : [words.visited(named(visit.opened), visit.left)]),
    made.redo === undefined
      ? forward
      : strings.executions.forward(desk.shellCommand(`redo --session ${made.redo}`)),
  ];
  return {
    tone: toneOf(files),
    line: parts.join(" · "),
    ...(told.length > MOST_NAMED ? { details: told.join("\n") } : {}),
  };
}

/** What was meant to go back and did not is not called restored. */
function headOf(strings: Strings, kind: "rewind" | "redo", made: JourneyMade): string {
  const { files, scope } = made;
  const place = placeText(made.place, strings);
  const words = strings.terminal.dialogs.travel;
  if (kind === "redo") return words.redone(place);
  if (toneOf(files) === "error") return strings.files.restoreFailed(place);
  if (toneOf(files) === "warning") return strings.files.restoredInPart(place);
  const isKept = files !== undefined && doneIn(files) === 0 && files.kept + files.notRestorable > 0;
  if (!isKept) return words.restored(place);
  return scope === "files" ? strings.files.filesKept(place) : strings.files.talkRestored(place);
}

function doneIn({ restored, created, removed, merged }: FilesMade): number {
  return restored + created + removed + merged;
}

/** Files of which not one went back, and of which some should have, were not restored, whatever else was done. */
function toneOf(files: FilesMade | undefined): "good" | "warning" | "error" {
  if (files === undefined || files.failed === 0) return "good";
  return doneIn(files) === 0 ? "error" : "warning";
}

function named({ title, session }: NonNullable<JourneyMade["visit"]>["opened"]): string {
  return title === undefined ? session : `"${title}"`;
}
