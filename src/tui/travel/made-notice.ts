import type { FilesMade, FilesPreviewed, JourneyMade, JourneyPreview } from "../../ports/station/journeys.ts";
import type { Strings } from "../../strings/strings.ts";
import type { Desk } from "../commands/desk.ts";
import { countOf } from "../dialogs/journeys/preview-rows.ts";

/** How many of the paths that were kept or failed are named in the line itself. */
const MOST_NAMED = 3;

interface Made {
  readonly made: JourneyMade;
  /** What it was to do, with what was chosen. */
  readonly preview: JourneyPreview;
}

/** What is said after a journey: where one is now, what became of the files and why not of all, and the way back. */
export function madeNotice(
  strings: Strings,
  kind: "rewind" | "redo",
  { made, preview }: Made,
): Parameters<Desk["say"]>[0] {
  const words = strings.terminal.dialogs.travel;
  const { files, differ, scope, visit } = made;
  const told = (files?.told ?? []).map(({ path, outcome, why }) => words.outcome(path, outcome, why));
  const forward = kind === "rewind" ? words.forward : words.forwardAgain;
  const parts = [
    headOf(strings, kind, made),
    ...(files === undefined ? [] : [words.counts(countsOf(files, preview.files))]),
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

function headOf(strings: Strings, kind: "rewind" | "redo", { place, files }: JourneyMade): string {
  const words = strings.terminal.dialogs.travel;
  if (kind === "redo") return words.redone(place);
  return toneOf(files) === "error" ? strings.files.restoreFailed(place) : words.restored(place);
}

/** Files of which not one went back, and of which some should have, were not restored, whatever else was done. */
function toneOf(files: FilesMade | undefined): "good" | "warning" | "error" {
  if (files === undefined || files.failed === 0) return "good";
  return files.restored === 0 ? "error" : "warning";
}

function notesOf({ files }: JourneyMade): readonly string[] {
  return files?.notes ?? [];
}

function named({ title, session }: NonNullable<JourneyMade["visit"]>["opened"]): string {
  return title === undefined ? session : `"${title}"`;
}

type Counts = Parameters<Strings["terminal"]["dialogs"]["travel"]["counts"]>[0];

/** By what the preview said of each path, which is what was done to those that were neither kept nor failed. */
function countsOf({ restored, kept, failed, told }: FilesMade, foreseen: FilesPreviewed | undefined): Counts {
  const others = new Set(told.map(({ path }) => path));
  const steps = (foreseen?.steps ?? []).filter(({ path }) => !others.has(path));
  // Somebody was faster: what was done is then not what had been foreseen.
  if (steps.length !== restored) return { created: 0, changed: restored, deleted: 0, kept, failed };
  const counts = { created: 0, changed: 0, deleted: 0, kept, failed };
  for (const step of steps) if (step.kind !== "folder") counts[countOf(step)] += 1;
  return counts;
}
