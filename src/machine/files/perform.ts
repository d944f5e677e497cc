import type {
  PathOutcome,
  RestoreFinished,
  RestoreStep,
  WorkspaceFiles,
} from "../../ports/workspace-files.ts";
import type { DraftOf } from "../../record/entry.ts";
import { remark, WorldlineError } from "../../record/error.ts";
import { type PathBytes, type PathChange, pathOfText, shownPath } from "../../record/files.ts";
import type { EntryId, SessionId, SnapshotId } from "../../record/ids.ts";
import { quoteName } from "../../timeline/context/notices.ts";
import { isJourney } from "../../timeline/row.ts";
import { detailOf, outcomeCounts, outcomeLines } from "../../travel/logged-files.ts";
import { type FilesPlan, keptOutcome, keptRemark } from "../../travel/plan-files.ts";
import { requireHead } from "../../travel/rewind.ts";
import type { SessionView } from "../view.ts";
import type { Placed } from "../writer.ts";
import type { FilesContext, FilesPresent } from "./look.ts";
import type { DecidedOutside, OutsideFiles } from "./outside-files.ts";
import type { FilesOutcome, ProgressOptions } from "./requests.ts";

/** A session with the writing methods that journeys need. */
export interface WritingView extends SessionView {
  /**
   * This machine's name. Defined only if other machines may write to the same session, because these machines must be
   * able to see which machine has the snapshots.
   */
  readonly sharedFrom: string | undefined;
  write(placed: readonly Placed[]): Promise<readonly EntryId[]>;
}

export interface WritingContext extends FilesContext {
  readonly view: WritingView;
  /** The files that no snapshot covers, which journeys also change. */
  readonly outside: OutsideFiles;
}

/** The session that a journey is performed on, with the workspace's files if they are captured. */
export interface JourneyContext {
  readonly view: WritingView;
  readonly files?: WorkspaceFiles;
}

/** A decided journey. The current files have been captured, and the outcome for each path is planned. */
export interface DecidedJourney extends ProgressOptions {
  /** Absent if the workspace's files are not captured. In that case, the plan is empty. */
  readonly present?: FilesPresent;
  readonly plan: FilesPlan;
  /** The changes to files that no snapshot covers; `write` records them with the journey. */
  readonly outside: DecidedOutside;
  /** Plans the journey again from the current head and writes it to the log. */
  readonly write: () => Promise<EntryId>;
  /**
   * The text that the model is shown before the names of the files. If absent, the model has already been shown the
   * plan and is shown only what turned out differently.
   */
  readonly told?: string;
  /** Additional text that the model is shown regardless of the outcome for the files. */
  readonly aside?: string | undefined;
}

export interface MadeJourney {
  readonly journey: EntryId;
  readonly files: FilesOutcome;
}

/** An empty plan, for journeys that do not involve the workspace's files. */
export const NO_FILES: FilesPlan = {
  changes: [],
  steps: [],
  kept: [],
  conflicts: [],
  during: [],
  merges: [],
  merged: [],
};

/**
 * Performs a journey. Writes the restore's journal, the journey's log entry, the files, and the outcome, in this order,
 * and then removes the journal. After a crash at any point, the session can still be opened, and the journey either can
 * be finished or is not in the log.
 */
export async function makeJourney(
  { view, files }: JourneyContext,
  decided: DecidedJourney,
): Promise<MadeJourney> {
  const { plan, present, outside, onProgress } = decided;
  if (plan.steps.length > 0 && present !== undefined && files !== undefined) {
    return restore({ view, files }, { ...decided, present });
  }
  const journey = await writeJourney(view, decided);
  const outcomes = await outside.restore(onProgress);
  return writeEnd(view, decided, { journey, outcomes, snapshot: present?.snapshot });
}

interface JourneyEnd {
  readonly journey: EntryId;
  readonly outcomes: readonly PathOutcome[];
  readonly snapshot: SnapshotId | undefined;
}

async function writeEnd(
  view: WritingView,
  { plan, outside, told, aside }: DecidedJourney,
  { journey, outcomes, snapshot }: JourneyEnd,
): Promise<MadeJourney> {
  const kept = [...plan.kept, ...outside.kept].map(
    ({ path, why }): PathOutcome => ({ path, ...keptOutcome(why), ...keptRemark(why) }),
  );
  const paths = [...withDetails(outcomes, plan), ...kept].sort((a, b) => (a.path < b.path ? -1 : 1));
  const surprises = outcomes.filter(({ outcome }) => outcome !== "restored");
  const text =
    told === undefined
      ? outcomeNotice("Not all files could be restored.", surprises)
      : outcomeNotice(told, paths);
  await writeRestored({ view }, { journey, paths, snapshot, text: joinNotices(text, aside) });
  return { journey, files: { paths, ...outcomeCounts(paths), differ: [] } };
}

/** Adds details about how each path was restored, based on the states before and after its step. */
export function withDetails(
  outcomes: readonly PathOutcome[],
  { steps, merged = [] }: { readonly steps: readonly RestoreStep[]; readonly merged?: readonly PathBytes[] },
): readonly PathOutcome[] {
  const stepsByPath = new Map(steps.map((step) => [step.path, step]));
  const mergedPaths = new Set(merged);
  return outcomes.map((each) => {
    const step = stepsByPath.get(each.path);
    if (each.outcome !== "restored" || step === undefined) return each;
    if (mergedPaths.has(each.path)) return { ...each, detail: "merged" };
    const isFolder = (step.after ?? step.before)?.kind === "folder";
    return { ...each, ...detailOf(step.before, step.after), ...(isFolder ? { kind: "folder" } : {}) };
  });
}

/** Records the outcome for a journey's files and, in an agent's session, the notice that tells the model about it. */
export async function writeRestored(
  { view }: Pick<WritingContext, "view">,
  end: {
    readonly journey: EntryId;
    readonly paths: readonly PathOutcome[];
    readonly snapshot: SnapshotId | undefined;
    /** The text of the notice to the model. */
    readonly text: string | undefined;
  },
): Promise<void> {
  const { journey, paths, snapshot, text } = end;
  const isTold = text !== undefined && view.header.mode === "agent";
  await view.write([
    { draft: restoredDraft(journey, paths, snapshot) },
    ...(isTold ? [{ draft: { kind: "notice", text } as const }] : []),
  ]);
}

interface RestoringJourney extends DecidedJourney {
  readonly present: FilesPresent;
}

async function restore(
  { view, files }: Required<JourneyContext>,
  decided: RestoringJourney,
): Promise<MadeJourney> {
  const { plan, present, outside, onProgress } = decided;
  const from = requireHead(view.outline).id;
  let journey: EntryId | undefined;
  let made: MadeJourney | undefined;
  const commit = async (): Promise<void> => {
    if (view.outline.head?.id !== from) throw new WorldlineError("session-went-on", {});
    journey = await writeJourney(view, decided);
  };
  const finished: RestoreFinished = async (covered, capture) => {
    if (journey === undefined) return;
    const outcomes = [...covered, ...(await outside.restore(onProgress))];
    const snapshot = await captureReached(view.id, plan.steps, capture);
    made = await writeEnd(view, decided, { journey, outcomes, snapshot });
  };
  await files.restore({
    session: view.id,
    journey: { from, left: present.snapshot },
    steps: plan.steps,
    commit,
    finished,
    ...(onProgress === undefined
      ? {}
      : { onProgress: (done, of) => onProgress({ doing: "restore", done, of }) }),
  });
  if (made === undefined) throw new WorldlineError("journey-not-written", {});
  return made;
}

async function writeJourney(view: WritingView, decided: DecidedJourney): Promise<EntryId> {
  const line = view.outline.nextSeq;
  try {
    return await decided.write();
  } catch (error) {
    noteUntouched(view, line, decided);
    throw error;
  }
}

/**
 * Records that a journey did not touch the files, because its entry could not be written to the store. Such an entry
 * waits in memory and is written later. Without this record, the next process to open the session would conclude that
 * the journey had been interrupted.
 */
function noteUntouched(view: WritingView, line: number, { plan, outside, present }: DecidedJourney): void {
  // If a new log file was started, its first line comes before the journey.
  const waiting = [line, line + 1].map((at) => view.outline.at(at)).find((row) => row && isJourney(row.kind));
  const untouched = [
    ...plan.steps.map(({ path }) => path),
    ...outside.changes.map(({ path }) => pathOfText(path)),
  ];
  if (waiting === undefined || untouched.length === 0) return;
  const paths = untouched.map(
    (path): PathOutcome => ({ path, outcome: "kept", ...remark("kept-journey-not-written") }),
  );
  // The caller that awaits the journey receives the store's error. This write waits together with the journey's entry
  // and fails with the same error, so its error is ignored.
  view.write([{ draft: restoredDraft(waiting.id, paths, present?.snapshot) }]).catch(() => undefined);
}

/**
 * Captures the state that a journey led to. If the capture fails, the journey still counts as performed, and the next
 * capture records the state of the files.
 */
export async function captureReached(
  session: SessionId,
  steps: readonly RestoreStep[],
  capture: Parameters<RestoreFinished>[1],
): Promise<SnapshotId | undefined> {
  try {
    const { snapshot } = await capture({
      keptFor: { session, journey: "reached" },
      look: steps.map(({ path }) => path),
    });
    return snapshot;
  } catch {
    return undefined;
  }
}

function restoredDraft(
  journey: EntryId,
  paths: readonly PathOutcome[],
  snapshot: SnapshotId | undefined,
): DraftOf<"restored"> {
  return {
    kind: "restored",
    journey,
    ...outcomeCounts(paths),
    paths: outcomeLines(paths),
    ...(snapshot === undefined ? {} : { snapshot }),
  };
}

/** The maximum number of file names to show, so that a journey that changes 10,000 files does not fill the context. */
const MAX_NAMES = 50;

/** The notice to the model after a journey that involved files; undefined if the journey involved no files. */
export function outcomeNotice(what: string, paths: readonly PathOutcome[]): string | undefined {
  if (paths.length === 0) return undefined;
  const named = (outcome: PathOutcome["outcome"], detail?: PathOutcome["detail"]): readonly PathBytes[] =>
    paths.filter((path) => path.outcome === outcome && path.detail === detail).map(({ path }) => path);
  return [
    `${what} What you know about these files may be out of date; read them again before you rely on it.`,
    ...section("Changed on disk:", named("restored")),
    ...section("Created on disk:", named("restored", "created")),
    ...section("Removed from disk:", named("restored", "removed")),
    ...section("Changed on disk, with later changes merged in:", named("restored", "merged")),
    ...section("Left as they are, although they differ:", named("kept")),
    ...section(
      "Missing, and cannot be restored because they were never captured:",
      named("kept", "not-restorable"),
    ),
    ...section("Could not be changed:", named("failed")),
  ].join("\n\n");
}

/** The notice to the model after a journey that moved the conversation but not the files. */
export function differenceNotice(differ: readonly PathChange[]): string | undefined {
  if (differ.length === 0) return undefined;
  const names = differ.map(({ path }) => path);
  return section(
    "The files were not rewound with the conversation. These files differ from how they were at this point:",
    names,
  ).join("\n");
}

/**
 * The notice to the model if the branch or commit that git has checked out differs from the one at the destination. A
 * journey moves files but never changes what git has checked out. Undefined if the checkout is the same or if the
 * earlier one is unknown.
 */
export function gitNotice(
  target: { readonly gitHead?: string } | undefined,
  present: { readonly gitHead?: string } | undefined,
): string | undefined {
  if (target?.gitHead === undefined || present === undefined) return undefined;
  if (target.gitHead === present.gitHead) return undefined;
  const now = present.gitHead === undefined ? "nothing" : quoteName(present.gitHead);
  return `Git had ${quoteName(target.gitHead)} checked out at this point, and has ${now} checked out now. The git checkout was not changed.`;
}

/** Joins the notices into one string; undefined if there are none. */
export function joinNotices(...texts: readonly (string | undefined)[]): string | undefined {
  const told = texts.filter((text) => text !== undefined);
  return told.length === 0 ? undefined : told.join("\n\n");
}

export type ChangedNames = Pick<DraftOf<"backtrack">, "changed" | "moreChanged">;

/** The names of the first paths, for use in a notice, and the number of remaining paths. */
export function changedNames(paths: readonly PathBytes[]): ChangedNames {
  const changed = paths.slice(0, MAX_NAMES).map(nameOf);
  const more = paths.length - changed.length;
  return { changed, ...(more === 0 ? {} : { moreChanged: more }) };
}

function section(title: string, paths: readonly PathBytes[]): readonly string[] {
  const { changed, moreChanged: more } = changedNames(paths);
  if (changed.length === 0) return [];
  const names = [...changed.map(quoteName), ...(more === undefined ? [] : [`… and ${more} more`])];
  return [[title, ...names.map((name) => `- ${name}`)].join("\n")];
}

function nameOf(path: PathBytes): string {
  return shownPath(path === "" ? "." : path);
}
