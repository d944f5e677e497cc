import { pathText } from "../../../app/files/paths.ts";
import type { DescribedFiles } from "../../../app/journeys/files-preview.ts";
import type { Decision, PreviewJourney } from "../../../app/rewind.ts";
import type { FilesOutcome, FilesPreview } from "../../../machine/files/requests.ts";
import type { Choice } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { PathBytes } from "../../../record/files.ts";
import { MAX_SHOWN } from "../../../show/change-text.ts";
import { duringLines, outcomeDocument, previewDocument, previewLines } from "../../../show/journey-text.ts";
import { askAgain, canAsk, requireConsent } from "../../ask.ts";
import { flag } from "../../command.ts";
import type { Frame } from "../../frame.ts";

/** The options for paths that were changed outside the session. */
export const choiceOptions = {
  keep: flag(),
  take: flag(),
  merge: flag(),
};

/** Returns the choice that the user made with an option, or undefined if no such option was given. */
export function choiceOf(options: Readonly<Record<Choice, boolean>>): Choice | undefined {
  const given = (["keep", "take", "merge"] as const).filter((choice) => options[choice]);
  const [choice, other] = given;
  if (other === undefined) return choice;
  throw new WorldlineError("choices-contradict", { one: String(choice), other });
}

/** Returns the number of files whose lines are counted: as many as the list shows. JSON lists all files. */
export function countedIn({ output }: Frame): number | undefined {
  return output.mode === "json" ? undefined : MAX_SHOWN;
}

interface DecidedFiles<Preview> extends Decision {
  readonly preview: Preview;
}

/**
 * Previews a journey, asks about files that the user may have changed, previews it again with the answers, and shows
 * the effect. Throws if the user does not agree.
 */
export async function decideFiles<Preview extends { readonly files?: DescribedFiles | undefined }>(
  frame: Frame,
  yes: "given" | "absent",
  preview: PreviewJourney<Preview>,
): Promise<DecidedFiles<Preview>> {
  const first = await preview();
  const choices =
    first.files === undefined || yes === "given" ? undefined : await askAboutFiles(frame, first.files);
  const decided = choices === undefined ? first : await preview(choices);
  if (decided.files !== undefined) await showFiles(frame, decided.files, yes);
  return { preview: decided, chosen: decided.files?.chosen };
}

/**
 * Asks about paths that the user may have changed. Returns undefined if there is nothing to ask, if the user cannot be
 * asked, or if the user has already chosen with an option. In a session without an agent, the user or their program
 * made all changes and knows about them.
 */
async function askAboutFiles(frame: Frame, described: DescribedFiles): Promise<Choices | undefined> {
  if (described.conflicts !== "open" || !canAsk(frame)) return undefined;
  const conflicts = await askConflicts(frame, described.preview);
  const during = await askDuring(frame, described);
  if (conflicts === undefined && during === undefined) return undefined;
  return new Map([...(conflicts ?? []), ...(during ?? [])]);
}

/** Shows the preview before the journey is performed, and asks for consent if necessary. */
export async function showFiles(
  frame: Frame,
  described: DescribedFiles,
  yes: "given" | "absent",
): Promise<void> {
  if (frame.output.mode === "text") {
    for (const line of previewLines(described, frame.strings)) frame.output.notice(line);
  }
  if (described.consent === "given") return;
  const { deletions } = described.preview;
  await requireConsent({ question: frame.strings.files.deleteQuestion(deletions), yes }, frame);
}

/** Returns the preview of a journey's files and their outcome as JSON; null if the journey did not affect files. */
export function filesDocument(
  { strings }: Pick<Frame, "strings">,
  described: DescribedFiles | undefined,
  outcome: FilesOutcome | undefined,
) {
  if (described === undefined) return null;
  return {
    ...previewDocument(described, strings),
    ...(outcome === undefined ? {} : { outcome: outcomeDocument(outcome) }),
  };
}

type Conflict = FilesPreview["conflicts"][number];
type Choices = ReadonlyMap<PathBytes, Choice>;

/** Asks what to do with each path that was also changed outside the session. Without an answer, the path is kept. */
async function askConflicts(
  frame: Frame,
  { conflicts }: Pick<FilesPreview, "conflicts">,
): Promise<Choices | undefined> {
  if (conflicts.length === 0) return undefined;
  const choices = new Map<PathBytes, Choice>();
  for (const [index, conflict] of conflicts.entries()) {
    const { choice: chosen, of } = await askFor(frame, conflict);
    const meant = of === "this" ? [conflict] : conflicts.slice(index);
    // A path that cannot be merged cleanly is kept, and not reported as merged.
    for (const { path, merge } of meant) {
      choices.set(path, chosen === "merge" && merge === "unclean" ? "keep" : chosen);
    }
    if (of === "all") break;
  }
  return choices;
}

/**
 * Shows the paths that changed while commands ran, and asks whether to restore them too. Returns undefined if they are
 * restored, which is the default if the user does not answer.
 */
async function askDuring(
  frame: Frame,
  { during }: Pick<DescribedFiles, "during">,
): Promise<Choices | undefined> {
  if (during.length === 0) return undefined;
  const { files } = frame.strings;
  for (const line of duringLines(during, frame.strings)) frame.output.notice(line);
  for await (const typed of askAgain(files.during.question(during.length), frame)) {
    const answer = meaningOf(typed.trim() === "" ? "take" : typed.trim())?.choice;
    if (answer === "take") return undefined;
    if (answer === "keep") return new Map(during.map(({ path }) => [path, "keep"] as const));
    frame.output.notice(files.conflictNotUnderstood(typed.trim(), "unclean"));
  }
  if (frame.surroundings.cancelled.aborted) throw new WorldlineError("cancelled", { left: "unchanged" });
  return undefined;
}

interface Answer {
  readonly choice: Choice;
  /** "all": this path and all paths that the user has not been asked about yet. */
  readonly of: "this" | "all";
}

async function askFor(frame: Frame, { path, merge }: Conflict): Promise<Answer> {
  const { files } = frame.strings;
  for await (const typed of askAgain(files.conflictQuestion(pathText(path), merge), frame)) {
    const answer = meaningOf(typed.trim());
    const isOffered = answer?.choice !== "merge" || merge !== "unclean";
    if (answer !== undefined && isOffered) return answer;
    frame.output.notice(files.conflictNotUnderstood(typed.trim(), merge));
  }
  if (frame.surroundings.cancelled.aborted) throw new WorldlineError("cancelled", { left: "unchanged" });
  return { choice: "keep", of: "all" };
}

const words = ["keep", "take", "merge"] as const;

/**
 * Interprets an answer. The first letter is enough, and a capital letter applies to all remaining paths. An empty
 * answer keeps the path.
 */
function meaningOf(typed: string): Answer | undefined {
  const choice = words.find((word) => word.startsWith(typed.toLowerCase()));
  if (choice === undefined) return undefined;
  return { choice, of: /^[A-Z]/u.test(typed) ? "all" : "this" };
}
