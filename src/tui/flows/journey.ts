import type {
  FilesChoice,
  FilesMade,
  JourneyMade,
  JourneyPreview,
  OnProgress,
} from "../../app/journeys/journey-types.ts";
import { WorldlineError } from "../../record/error.ts";
import { placeText } from "../../show/checkpoint-text.ts";
import { throughEnd } from "../../show/files/journey-text.ts";
import { errorOnScreen } from "../../strings/errors/wording.ts";
import type { Strings } from "../../strings/strings.ts";
import { confirm } from "../dialogs/menu.ts";
import { type PreviewAnswer, type PreviewOptions, previewDialog } from "../dialogs/preview.ts";
import type { Desk } from "./command-context.ts";

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
  const told = (files?.told ?? []).map(({ path, outcome, why }) => words.outcome(path, outcome, why));
  const forward = kind === "rewind" ? words.forward : words.forwardAgain;
  const parts = [
    headOf(strings, kind, made),
    ...(files === undefined ? [] : [words.counts(files)]),
    ...told.slice(0, MOST_NAMED),
    ...(told.length > MOST_NAMED ? [words.moreKept(told.length - MOST_NAMED)] : []),
    ...(files === undefined ? [] : throughEnd(files, strings)),
    ...(scope === "conversation" && differ > 0 ? [words.differ(differ)] : []),
    ...(visit === undefined ? [] : [words.visited(named(visit.opened), visit.left)]),
    made.redo === undefined ? forward : strings.executions.forward(desk.shellCommand(`redo --session ${made.redo}`)),
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
