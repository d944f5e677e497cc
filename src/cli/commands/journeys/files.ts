import { BackgroundCommands } from "../../../agent/tools/bash/bash.ts";
import { type Patience, patiently } from "../../../app/files/files.ts";
import { meantPaths, pathText, requireKnown } from "../../../app/files/paths.ts";
import { type DescribedPreview, describePreview } from "../../../app/journeys/files-preview.ts";
import { sdkProcesses } from "../../../hosts/claude-agent-sdk/sdk/process.ts";
import type { FileChoices, FilesOutcome, FilesPreview } from "../../../machine/files/requests.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import type { WorkspaceFiles } from "../../../ports/workspace-files.ts";
import type { Choice, SessionBody } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { PathBytes } from "../../../record/files.ts";
import { MOST_SHOWN } from "../../../show/change-text.ts";
import { duringLines, outcomeDocument, previewDocument, previewLines } from "../../../show/journey-text.ts";
import { askAgain, canAsk, requireConsent } from "../../ask.ts";
import { flag } from "../../command.ts";
import type { Frame } from "../../frame.ts";

/** What happens to a path that was changed outside the session since. */
export const choiceOptions = {
  keep: flag(
    "what somebody else changed since stays as it is (the default in an agent's session), and so does what changed while commands ran",
  ),
  take: flag("what somebody else changed since is restored too (the default in the workspace's own session)"),
  merge: flag("what somebody else changed since is merged line by line; what does not fit stays"),
};

/** Undefined where the command line does not say. */
export function choiceOf(options: Readonly<Record<Choice, boolean>>): Choice | undefined {
  const given = (["keep", "take", "merge"] as const).filter((choice) => options[choice]);
  const [choice, other] = given;
  if (other === undefined) return choice;
  throw new WorldlineError("choices-contradict", { one: String(choice), other });
}

/** What a journey's work on files needs to know of the command line. */
export interface FilesWork {
  readonly files: WorkspaceFiles | undefined;
  /** Of the session. */
  readonly mode: SessionBody["mode"];
  readonly only: readonly string[];
  readonly choice: Choice | undefined;
  /** For single paths. */
  readonly choices?: ReadonlyMap<PathBytes, Choice>;
  /** Does work that takes its time: with a line of progress, and stopped by Ctrl-C where it can be. */
  patiently<Result>(work: (wish: Patience) => Promise<Result>): Promise<Result>;
}

export function filesWork(frame: Frame, known: Omit<FilesWork, "patiently">): FilesWork {
  return { ...known, patiently: (work) => patiently(frame, work) };
}

interface Looked {
  /** For the journey itself, so that it does what was shown. */
  readonly wish: FileChoices;
  readonly described: DescribedPreview;
}

/** Looks at what would happen to the files. */
export async function lookAtFiles(
  frame: Frame,
  work: FilesWork,
  preview: (wish: FileChoices & Patience) => Promise<FilesPreview>,
): Promise<Looked> {
  const meant = await meantPaths(frame, work.files?.folder ?? "", work.only);
  const wish: FileChoices = {
    ...(meant.length === 0 ? {} : { only: meant.flatMap(({ paths }) => paths) }),
    ...(work.choice === undefined ? {} : { choice: work.choice }),
    ...(work.choices === undefined ? {} : { choices: work.choices }),
  };
  const first = await work.patiently((patience) => preview({ ...wish, ...patience }));
  const kept = keptDuring(work, first);
  const found =
    kept === undefined
      ? first
      : await work.patiently((patience) => preview({ ...wish, choices: kept, ...patience }));
  const isOpen = work.choice === undefined && work.choices === undefined;
  const conflicts = work.mode !== "agent" ? "expected" : isOpen ? "open" : "decided";
  const snapshots = [found.target, found.present].filter((id) => id !== undefined);
  if (work.files !== undefined) await requireKnown(meant, { files: work.files, snapshots });
  const counted = frame.output.mode === "json" ? {} : { counted: MOST_SHOWN };
  return {
    wish: kept === undefined ? wish : { ...wish, choices: kept },
    described: await describePreview(found, work.files, { ...counted, conflicts }),
  };
}

/** With `--keep` what changed while commands ran stays too: some of it may be the user's. */
function keptDuring(work: FilesWork, { during }: FilesPreview): FilesWork["choices"] {
  if (work.mode !== "agent" || work.choice !== "keep" || during.length === 0) return undefined;
  return new Map([...during.map(({ path }) => [path, "keep"] as const), ...(work.choices ?? [])]);
}

/** The same before a journey is made: what may be the user's is asked about, where the user can be asked. */
export async function lookAndAsk(
  frame: Frame,
  work: FilesWork,
  { yes, preview }: { readonly yes: "given" | "absent"; readonly preview: Parameters<typeof lookAtFiles>[2] },
): Promise<Looked> {
  const looked = await lookAtFiles(frame, work, preview);
  if (yes === "given") return looked;
  const conflicts = await askConflicts(frame, work, looked.described.preview);
  const during = await askDuring(frame, work, looked.described);
  if (conflicts === undefined && during === undefined) return looked;
  const choices = new Map([...(conflicts ?? []), ...(during ?? [])]);
  return lookAtFiles(frame, { ...work, choices }, preview);
}

/** Shows it before it is done, and asks where that is called for. */
export async function showFiles(frame: Frame, { described }: Looked, yes: "given" | "absent"): Promise<void> {
  if (frame.output.mode === "text") {
    for (const line of previewLines(described, frame.strings)) frame.output.notice(line);
  }
  await requireDeletionConsent(frame, described.preview, yes);
}

/** What a journey would do to the files, and what became of them; null where it had nothing to do with them. */
export function filesDocument(
  { strings }: Pick<Frame, "strings">,
  described: DescribedPreview | undefined,
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

/**
 * Asks of each path that somebody else changed since what becomes of it. Undefined where the user cannot be asked, or where it
 * was said already. Who gives no answer keeps what is there.
 */
async function askConflicts(
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
async function askDuring(
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

/** Asks once more where a journey deletes many paths. */
async function requireDeletionConsent(
  frame: Frame,
  { deletions }: FilesPreview,
  yes: "given" | "absent",
): Promise<void> {
  const { values } = await frame.settings();
  if (deletions <= values["rewind.confirmDeletes"]) return;
  await requireConsent({ question: frame.strings.files.deleteQuestion(deletions), yes }, frame);
}

type Of = Pick<SessionView, "id" | "header">;

/** Commands that an agent's run started may change files again: those of a run that was killed, and of one that is under way. */
function warnOfRunning(
  { output, strings }: Frame,
  { id, header }: Of,
  run: "killed" | "under-way" = "killed",
): void {
  if (header.mode !== "agent") return;
  const running = [...new BackgroundCommands(id).leftovers(), ...sdkProcesses(id).leftovers()];
  if (running.length === 0) return;
  const { stillRunning, runningNow } = strings.journeys;
  output.warn(run === "killed" ? stillRunning(running) : runningNow(running));
}

/** The same for who only looks: the session may be another program's, which works on it at this moment. */
export async function warnOnlookers(frame: Frame, store: LogStore, session: Of): Promise<void> {
  const holder = await store.holder(session.id);
  warnOfRunning(frame, session, holder === undefined || holder.life === "dead" ? "killed" : "under-way");
}

/**
 * The same, for who holds the session: a process of the SDK that is still there has lost its program, and nobody can want
 * that it goes on with its tool under files that are taken back.
 */
export async function endLostProcesses(frame: Frame, session: Of): Promise<void> {
  if (session.header.mode !== "agent") return;
  const ended = await sdkProcesses(session.id).endLeftovers();
  if (ended.length > 0) frame.output.warn(frame.strings.resume.ended(ended));
  warnOfRunning(frame, session);
}
