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

/** The session, as far as a journey writes to it. */
export interface WritingView extends SessionView {
  /** The machine that writes, where others may write to the same session: they must know who has the snapshots. */
  readonly sharedFrom: string | undefined;
  write(placed: readonly Placed[]): Promise<readonly EntryId[]>;
}

export interface WritingContext extends FilesContext {
  readonly view: WritingView;
  /** What journeys do where no snapshot reaches is finished with them. */
  readonly outside: OutsideFiles;
}

/** Where a journey is made: also where the workspace's files are not captured. */
export interface JourneyContext {
  readonly view: WritingView;
  readonly files?: WorkspaceFiles;
}

/** A journey that is decided: the present is captured, and what becomes of each path is known. */
export interface DecidedJourney extends ProgressOptions {
  /** Absent where the workspace's files are not captured; then the plan is empty. */
  readonly present?: FilesPresent;
  readonly plan: FilesPlan;
  /** What becomes of files where no snapshot reaches; `write` writes it down with the journey. */
  readonly outside: DecidedOutside;
  /** Plans once more and writes the journey, below the head that it is made from. */
  readonly write: () => Promise<EntryId>;
  /**
   * What the model is told before the names of the files. Without it, it knows the plan already, and is told what
   * came otherwise.
   */
  readonly told?: string;
  /** What it is told besides, whatever became of the files. */
  readonly aside?: string | undefined;
}

export interface MadeJourney {
  readonly journey: EntryId;
  readonly files: FilesOutcome;
}

/** For a journey that has nothing to do with the workspace's files. */
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
 * Makes a journey: the restore's journal, then the log, then the files, then what became of them, and then the journal
 * goes. A crash after any of these leaves a session that opens, and either a journey that can be finished or none.
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
      ? outcomeNotice("Not all files could be taken back.", surprises)
      : outcomeNotice(told, paths);
  await writeRestored({ view }, { journey, paths, snapshot, text: joinNotices(text, aside) });
  return { journey, files: { paths, ...outcomeCounts(paths), differ: [] } };
}

/** Says of each path that was restored how: what a step does is known from its states. */
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

/** What became of a journey's files, and, in an agent's session, what the model has to know of it. */
export async function writeRestored(
  { view }: Pick<WritingContext, "view">,
  end: {
    readonly journey: EntryId;
    readonly paths: readonly PathOutcome[];
    readonly snapshot: SnapshotId | undefined;
    /** What the model has to know of it. */
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
 * A journey that the store cannot take waits in memory, and is written when it can. The files were not touched,
 * and that is to be written with it: else the next one to open the session would think it was cut off.
 */
function noteUntouched(view: WritingView, line: number, { plan, outside, present }: DecidedJourney): void {
  // A line that begins a file may have come in between.
  const waiting = [line, line + 1].map((at) => view.outline.at(at)).find((row) => row && isJourney(row.kind));
  const untouched = [
    ...plan.steps.map(({ path }) => path),
    ...outside.changes.map(({ path }) => pathOfText(path)),
  ];
  if (waiting === undefined || untouched.length === 0) return;
  const paths = untouched.map(
    (path): PathOutcome => ({ path, outcome: "kept", ...remark("kept-journey-not-written") }),
  );
  // Whoever awaits the journey is told why the store refused; this waits with it, and says the same.
  view.write([{ draft: restoredDraft(waiting.id, paths, present?.snapshot) }]).catch(() => undefined);
}

/** Should this fail, the journey was made all the same, and the next capture says how the files are. */
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

/** A journey over 10,000 files must not fill the context with their names. */
const MAX_NAMES = 50;

/** What the model is told when a journey has changed files under its hands; undefined when it has not. */
export function outcomeNotice(what: string, paths: readonly PathOutcome[]): string | undefined {
  if (paths.length === 0) return undefined;
  const named = (outcome: PathOutcome["outcome"], detail?: PathOutcome["detail"]): readonly PathBytes[] =>
    paths.filter((path) => path.outcome === outcome && path.detail === detail).map(({ path }) => path);
  return [
    `${what} What you know of these files may no longer be true; read them again before you rely on it.`,
    ...section("Changed on disk:", named("restored")),
    ...section("Created on disk:", named("restored", "created")),
    ...section("Removed from disk:", named("restored", "removed")),
    ...section("Changed on disk, with later changes merged in:", named("restored", "merged")),
    ...section("Left as they were, although they differ from then:", named("kept")),
    ...section(
      "Gone, and cannot be restored because it was never captured:",
      named("kept", "not-restorable"),
    ),
    ...section("Could not be changed:", named("failed")),
  ].join("\n\n");
}

/** What the model is told when the conversation went elsewhere and the files did not. */
export function differenceNotice(differ: readonly PathChange[]): string | undefined {
  if (differ.length === 0) return undefined;
  const names = differ.map(({ path }) => path);
  return section(
    "The files were not taken back with the conversation. These are not as they were at this point:",
    names,
  ).join("\n");
}

/**
 * What the model is told when git has something else checked out than then: a journey takes files to another place,
 * and leaves git where it is. Undefined when it has not, or nobody knows what it had.
 */
export function gitNotice(
  target: { readonly gitHead?: string } | undefined,
  present: { readonly gitHead?: string } | undefined,
): string | undefined {
  if (target?.gitHead === undefined || present === undefined) return undefined;
  if (target.gitHead === present.gitHead) return undefined;
  const now = present.gitHead === undefined ? "nothing" : quoteName(present.gitHead);
  return `Git had ${quoteName(target.gitHead)} checked out at this point, and has ${now} now: git itself was not touched.`;
}

/** What there is to tell, as one text; undefined when there is nothing. */
export function joinNotices(...texts: readonly (string | undefined)[]): string | undefined {
  const told = texts.filter((text) => text !== undefined);
  return told.length === 0 ? undefined : told.join("\n\n");
}

export type ChangedNames = Pick<DraftOf<"backtrack">, "changed" | "moreChanged">;

/** The names of the first paths for a note, and how many more there are. */
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
