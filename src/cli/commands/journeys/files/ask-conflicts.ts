import { WorldlineError } from "../../../../record/error.ts";
import { pathText } from "../../../../app/files/path-text.ts";
import type { DescribedPreview } from "../../../../app/journeys/described-preview.ts";
import type { FilesPreview } from "../../../../machine/files/requests.ts";
import type { Choice } from "../../../../record/entry.ts";
import type { PathBytes } from "../../../../record/files.ts";
import { duringLines } from "../../../../show/files/during-text.ts";
import { askAgain, canAsk } from "../../../ask.ts";
import type { Frame } from "../../../command/frame.ts";
import type { FilesWork } from "./look.ts";

type Conflict = FilesPreview["conflicts"][number];
type Choices = ReadonlyMap<PathBytes, Choice>;

/**
 * Asks of each path that somebody else changed since what becomes of it. Undefined where nobody can be asked, or where it
 * was said already. Who gives no answer keeps what is there.
 */
export async function askConflicts(
  frame: Frame,
  { mode, choice }: Pick<FilesWork, "mode" | "choice">,
  { conflicts }: Pick<FilesPreview, "conflicts">,
): Promise<Choices | undefined> {
  // Where no agent works, everything was changed by the person or their program, who know.
  const isSaid = choice !== undefined || mode !== "agent";
  if (isSaid || conflicts.length === 0 || !canAsk(frame)) return undefined;
  const choices = new Map<PathBytes, Choice>();
  for (const [index, conflict] of conflicts.entries()) {
    const { choice: chosen, of } = await askFor(frame, conflict);
    const meant = of === "this" ? [conflict] : conflicts.slice(index);
    // What is known not to merge is not said to be merged.
    for (const { path, merge } of meant) {
      choices.set(path, chosen === "merge" && merge === "unclean" ? "keep" : chosen);
    }
    if (of === "all") break;
  }
  return choices;
}

/**
 * Shows what changed while commands ran, and asks whether it goes back too. Undefined where it does: who gives no answer gets
 * what would happen without a question.
 */
export async function askDuring(
  frame: Frame,
  { choice }: Pick<FilesWork, "choice">,
  { during }: Pick<DescribedPreview, "during">,
): Promise<Choices | undefined> {
  if (choice !== undefined || during.length === 0 || !canAsk(frame)) return undefined;
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
  /** "all": this one and those that have not been asked for. */
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

/** The first letter is enough, a capital means all that are left; nothing at all keeps. */
function meaningOf(typed: string): Answer | undefined {
  const choice = words.find((word) => word.startsWith(typed.toLowerCase()));
  if (choice === undefined) return undefined;
  return { choice, of: /^[A-Z]/u.test(typed) ? "all" : "this" };
}
