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
import { placeText, throughEnd } from "../../show/journey-text.ts";
import type { Strings } from "../../strings/strings.ts";
import { errorOnScreen, remarkText } from "../../strings/wording.ts";
import { checkpointList } from "../dialogs/checkpoint-list.ts";
import { placeOf } from "../dialogs/checkpoint-rows.ts";
import { type Choice, choiceList } from "../dialogs/choice-list.ts";
import { confirm, type Dialog, type MenuState, menu } from "../dialogs/dialog.ts";
import type { ListState } from "../dialogs/list.ts";
import { type PreviewAnswer, type PreviewOptions, previewDialog } from "../dialogs/preview.ts";
import { ago, cut } from "../look/text.ts";
import { type CommandContext, withErrorsShown } from "./command-context.ts";

/**
 * Runs `/rewind`: first the list, then the scope, the preview, and the journey. Esc returns to the previous step. In
 * the list, Esc ends the flow.
 */
export async function rewindFlow(context: CommandContext): Promise<void> {
  await withErrorsShown(context, async () => {
    await context.app.journeys.ready();
    await context.app.journeys.menuOpened();
    const choose = await checkpointChoice(context, context.strings.journeys.pickTitle, "listed");
    if (choose === undefined) return context.say({ tone: "quiet", line: context.strings.checkpoints.none });
    let chosen: CheckpointRow | undefined;
    do {
      chosen = await choose(chosen);
    } while (
      chosen !== undefined &&
      (await rewindToPlace(context, chosen, placeOf(chosen, context.strings))) === "back"
    );
  });
}

/** Asks for the scope if there is more than one, and rewinds. */
export async function rewindToPlace(
  context: CommandContext,
  row: PlaceOfRow,
  place: string,
): Promise<"made" | "back"> {
  await context.app.journeys.ready();
  const offer = await context.app.journeys.scopes(row);
  const only = offer.scopes.length === 1 ? offer.scopes[0] : undefined;
  if (only !== undefined && offer.without === undefined) return rewindTo(context, row, only);
  const title = context.strings.terminal.dialogs.scope.title(place);
  for (;;) {
    const scope = await context.ask(scopeMenu(context.strings, offer, title));
    if (scope === undefined) return "back";
    if ((await rewindTo(context, row, scope)) === "made") return "made";
  }
}

/**
 * Runs `/undo n`. Goes straight to the preview of a rewind, of both the files and the conversation, to the point before
 * the last n prompts.
 */
export async function undoFlow(context: CommandContext, prompts: number): Promise<void> {
  await withErrorsShown(context, async () => {
    await context.app.journeys.ready();
    const row = await context.app.journeys.undoTarget(prompts);
    const { scopes } = await context.app.journeys.scopes(row);
    await rewindTo(context, row, scopes.includes("both") ? "both" : (scopes[0] ?? "conversation"));
  });
}

/** Shows the preview of a rewind, and rewinds if the user confirms it. */
export function rewindTo(
  context: CommandContext,
  { session, number }: PlaceOfRow,
  scope: Scope,
): Promise<"made" | "back"> {
  const { journeys } = context.app;
  const place = { session, number, scope };
  return runJourney(context, {
    kind: "rewind",
    preview: (choice, progress) => journeys.preview({ ...place, ...choice }, progress),
    make: (choice, progress) => journeys.rewind({ ...place, ...choice }, progress),
  });
}

/**
 * Runs `/redo`, which undoes the last rewind or backtrack. With `list`, the user first chooses among all places to
 * return to.
 */
export async function redoFlow(context: CommandContext, words: string): Promise<void> {
  const { none, noneBut } = context.strings.terminal.dialogs.redo;
  await withErrorsShown(context, async () => {
    await context.app.journeys.ready();
    const rows = await context.app.journeys.redoable();
    if (rows.length === 0) return context.say({ tone: "quiet", line: none });
    const typed = words.trim();
    if (typed === "list" || typed === "--list") return redoChosen(context, rows);
    const isThere = typed !== "" || rows.some(({ order }) => order === "next");
    if (!isThere) return context.say({ tone: "quiet", line: noneBut });
    await redo(context, typed === "" ? {} : { journey: typed as EntryId });
  });
}

async function redoChosen(context: CommandContext, rows: readonly RedoRow[]): Promise<void> {
  let chosen: Choice<RedoRow> | undefined;
  do {
    chosen = await context.ask(redoList(context.strings, rows));
  } while (
    chosen !== undefined &&
    (await returnTo(context, chosen.item.journey, placeText(chosen.item.place, context.strings))) === "back"
  );
}

/**
 * Returns to the place that the user chose, by undoing the journey that left it. Asks for the scope if there is more
 * than one.
 */
export async function returnTo(
  context: CommandContext,
  journey: EntryId,
  place: string,
): Promise<"made" | "back"> {
  await context.app.journeys.ready();
  const offer = await context.app.journeys.redoScopes(journey);
  const only = offer.scopes.length === 1 ? offer.scopes[0] : undefined;
  if (only !== undefined && offer.without === undefined) return redo(context, { journey, scope: only });
  const title = context.strings.terminal.dialogs.scope.returnTitle(place);
  for (;;) {
    const scope = await context.ask(scopeMenu(context.strings, offer, title));
    if (scope === undefined) return "back";
    if ((await redo(context, { journey, scope })) === "made") return "made";
  }
}

function redo(
  context: CommandContext,
  request: Pick<RedoRequest, "journey" | "scope">,
): Promise<"made" | "back"> {
  const { journeys } = context.app;
  return runJourney(context, {
    kind: "redo",
    preview: (choice, progress) => journeys.previewRedo({ ...request, ...choice }, progress),
    make: (choice, progress) => journeys.redo({ ...request, ...choice }, progress),
  });
}

/** Asks for a checkpoint. The checkpoint that the user chose before is selected again. */
type ChooseCheckpoint = (before: CheckpointRow | undefined) => Promise<CheckpointRow | undefined>;

/**
 * Returns a function that shows the list of all checkpoints in the workspace. The function can be called several times.
 * The list shows this session's checkpoints immediately, and the other checkpoints once they have been read. Returns
 * undefined if there are no checkpoints.
 */
export async function checkpointChoice(
  context: CommandContext,
  title: string,
  executions: "listed" | "left-out",
): Promise<ChooseCheckpoint | undefined> {
  const { journeys } = context.app;
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
    context.ask(
      checkpointList(context.strings, {
        rows: [...rows, ...(others ?? [])],
        ...(others === undefined ? { elsewhere: look } : {}),
        unreadable: () => journeys.unreadable(),
        changedSince: async (row) => journeys.changedSince(row),
        title,
        ...(before === undefined ? {} : { chosen: before }),
      }),
    );
}

/** Creates a menu that asks what to restore: files and conversation, or only one of them. `title` names the place. */
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

/** Minimum number of columns for a place's name, no matter how narrow the screen is. */
const MIN_PLACE = 12;

/** Creates a list of places that the user can return to by undoing a journey, newest first. */
export function redoList(strings: Strings, rows: readonly RedoRow[]): Dialog<ListState, Choice<RedoRow>> {
  const { redo, keys } = strings.terminal.dialogs;
  const { kinds, leftBy } = strings.journeys;
  return choiceList({
    title: redo.title,
    items: rows,
    words: ({ kind, place }) => `${kinds[kind]} ${oneLine(placeText(place, strings))}`,
    row: ({ kind, place, to, at }, { width, look }) => {
      const left = ` (${leftBy(ago(at, look.now, look.strings), kinds[kind], to)})`;
      const room = Math.max(MIN_PLACE, width - visibleWidth(left));
      return cut(`${cut(oneLine(placeText(place, look.strings)), room, look)}${left}`, width, look);
    },
    empty: redo.none,
    keys: keys.list,
  });
}

/** A journey that can be previewed and then performed: a rewind to a place, or the redo of another journey. */
interface JourneyRequest {
  readonly kind: "rewind" | "redo";
  readonly preview: (choice: FilesChoice, progress: OnProgress) => Promise<JourneyPreview>;
  readonly make: (choice: FilesChoice, progress: OnProgress) => Promise<JourneyMade>;
}

/**
 * Shows the preview, performs the journey if the user confirms it, and reports the result. "back" means that the user
 * left the preview and nothing was changed.
 */
async function runJourney(context: CommandContext, request: JourneyRequest): Promise<"made" | "back"> {
  const words = context.strings.terminal.dialogs.travel;
  const look = (choice: FilesChoice) =>
    context.wait(words.looking, ({ onProgress }) => request.preview(choice, onProgress));
  let preview = await look({});
  const title = titleOf(context.strings, request.kind, preview);
  let before: Pick<PreviewOptions, "from"> = {};
  for (;;) {
    const running = preview.files === undefined ? [] : await context.app.journeys.running();
    const answer = await context.ask(previewDialog(context.strings, { title, preview, running, ...before }));
    if (answer === undefined) return "back";
    const choice: FilesChoice = answer.choices.size === 0 ? {} : { choices: answer.choices };
    // Overwriting conflicting files with the checkpoint may delete files that would otherwise be kept, so the preview
    // is computed again.
    const chosen = answer.choices.size === 0 ? preview : await look(choice);
    before = { from: answer };
    const unmerged = unmergedIn(chosen);
    if (unmerged.size > 0) {
      // The user confirmed before any merge was tried. The preview is shown again with the paths that did not merge.
      preview = withUnmerged(preview, unmerged);
      const choices = new Map([...answer.choices].filter(([path]) => !unmerged.has(path)));
      before = { from: { ...answer, choices } };
      continue;
    }
    if (!(await confirmDeletions(context, chosen))) continue;
    await performJourney(context, request, { choice, running: answer.running });
    return "made";
  }
}

/** Returns the paths that the user chose to merge but that do not merge cleanly. */
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

/**
 * Returns the title of the preview. If a redo would leave newer work behind, the title says which journey is undone and
 * what is left behind.
 */
function titleOf(strings: Strings, kind: JourneyRequest["kind"], { place, newer }: JourneyPreview): string {
  if (newer !== undefined) return strings.journeys.undoQuestion(newer.kind, newer.to, newer.leaves);
  return strings.terminal.dialogs.travel.previewTitles[kind](placeText(place, strings));
}

async function confirmDeletions(context: CommandContext, { files }: JourneyPreview): Promise<boolean> {
  if (files?.consent !== "needed") return true;
  const { consent } = context.strings.terminal.dialogs;
  const answer = await context.ask(
    confirm(context.strings, {
      question: consent.question(files.deletions),
      about: [consent.about],
      yes: consent.yes,
      no: consent.no,
    }),
  );
  return answer === "yes";
}

async function performJourney(
  context: CommandContext,
  request: JourneyRequest,
  { choice, running }: { readonly choice: FilesChoice; readonly running: PreviewAnswer["running"] },
): Promise<void> {
  const words = context.strings.terminal.dialogs.travel;
  let made: JourneyMade;
  try {
    made = await context.wait(words.making, async ({ onProgress }) => {
      if (running === "stop") await context.app.journeys.stopRunning();
      return request.make(choice, onProgress);
    });
  } catch (error) {
    if (!(error instanceof WorldlineError)) throw error;
    const { message, hint } = errorOnScreen(context.strings, error);
    const line = words.failed(message);
    context.say({ tone: "error", line, ...(hint === undefined ? {} : { details: hint }) });
    return;
  }
  await context.reload();
  if (made.prompt !== undefined) context.edit(made.prompt);
  context.say(journeyNotice(context, request.kind, made));
}

/** Maximum number of kept or failed paths that are named on the line itself. */
const MAX_NAMED = 3;

/**
 * Returns the notice after a journey. The notice says where the session is now, what happened to the files, why some
 * were not restored, and how to undo the journey.
 */
function journeyNotice(
  context: Pick<CommandContext, "strings" | "shellCommand">,
  kind: "rewind" | "redo",
  made: JourneyMade,
): Parameters<CommandContext["say"]>[0] {
  const { strings } = context;
  const words = strings.terminal.dialogs.travel;
  const { files, differ, scope, visit } = made;
  const unrestored = (files?.unrestored ?? []).map(({ path, outcome, ...why }) =>
    words.outcome(path, outcome, remarkText(strings, why)),
  );
  const forward = kind === "rewind" ? words.forward : words.forwardAgain;
  const parts = [
    headOf(strings, kind, made),
    ...(files === undefined ? [] : [words.counts(files)]),
    ...unrestored.slice(0, MAX_NAMED),
    ...(unrestored.length > MAX_NAMED ? [words.moreKept(unrestored.length - MAX_NAMED)] : []),
    ...(files === undefined ? [] : throughEnd(files, strings)),
    ...(scope === "conversation" && differ > 0 ? [words.differ(differ)] : []),
    ...(visit === undefined ? [] : [words.visited(named(visit.opened), visit.left)]),
    made.redo === undefined
      ? forward
      : strings.executions.forward(context.shellCommand({ do: "redo", session: made.redo })),
  ];
  return {
    tone: toneOf(files),
    line: parts.join(" · "),
    ...(unrestored.length > MAX_NAMED ? { details: unrestored.join("\n") } : {}),
  };
}

/** Returns the heading of the notice. It does not say "restored" if the files were not restored. */
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

/**
 * Returns the tone of the notice. The tone is "error" if files failed and none were restored, no matter what else was
 * done.
 */
function toneOf(files: FilesMade | undefined): "good" | "warning" | "error" {
  if (files === undefined || files.failed === 0) return "good";
  return doneIn(files) === 0 ? "error" : "warning";
}

function named({ title, session }: NonNullable<JourneyMade["visit"]>["opened"]): string {
  return title === undefined ? session : `"${title}"`;
}
