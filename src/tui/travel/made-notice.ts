import type { FilesMade, JourneyMade } from "../../app/journeys/journey-types.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Desk } from "../commands/desk.ts";

/** How many of the paths that were kept or failed are named in the line itself. */
const MOST_NAMED = 3;

/** What is said after a journey: where one is now, what became of the files and why not of all, and the way back. */
export function madeNotice(
  strings: Strings,
  kind: "rewind" | "redo",
  made: JourneyMade,
): Parameters<Desk["say"]>[0] {
  const words = strings.terminal.dialogs.travel;
  const { files, differ, scope, visit } = made;
  const told = (files?.told ?? []).map(({ path, outcome, why }) => words.outcome(path, outcome, why));
  const forward = kind === "rewind" ? words.forward : words.forwardAgain;
  const parts = [
    headOf(strings, kind, made),
    ...(files === undefined ? [] : [words.counts(files)]),
    ...told.slice(0, MOST_NAMED),
    ...(told.length > MOST_NAMED ? [words.moreKept(told.length - MOST_NAMED)] : []),
    ...notesOf(made),
    ...(scope === "conversation" && differ > 0 ? [words.differ(differ)] : []),
    ...(visit === undefined ? [] : [words.visited(named(visit.opened), visit.left)]),
    made.redo === undefined ? forward : strings.executions.forward(made.redo),
  ];
  return {
    tone: toneOf(files),
    line: parts.join(" · "),
    ...(told.length > MOST_NAMED ? { details: told.join("\n") } : {}),
  };
}

/** What was meant to go back and did not is not called restored. */
function headOf(strings: Strings, kind: "rewind" | "redo", { place, files, scope }: JourneyMade): string {
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

function notesOf({ files }: JourneyMade): readonly string[] {
  return files?.notes ?? [];
}

function named({ title, session }: NonNullable<JourneyMade["visit"]>["opened"]): string {
  return title === undefined ? session : `"${title}"`;
}
