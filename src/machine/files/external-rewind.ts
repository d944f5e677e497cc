import type { PathOutcome, WorkspaceFiles } from "../../ports/workspace-files.ts";
import { isWorldlineError, type Remark, remark, remarkOf, WorldlineError } from "../../record/error.ts";
import {
  folderOf,
  isSameOutside,
  type OutsideChange,
  type OutsideState,
  type PathBytes,
  type PathChange,
  pathOfText,
} from "../../record/files.ts";
import type { EntryId, SessionId, SnapshotId } from "../../record/ids.ts";
import { detailOf, outcomeCounts } from "../../travel/logged-files.ts";
import { keptRemark } from "../../travel/plan-files.ts";
import type { Present } from "../../travel/rewind.ts";
import {
  differing,
  type ExternalChanges,
  type ExternalRewindOptions,
  findExternalChanges,
  withOwnSnapshots,
} from "./external-preview.ts";
import { keepLeft } from "./look.ts";
import type { DecidedOutside, OutsideFiles } from "./outside-files.ts";
import { lookAtPath, stateOf } from "./outside-paths.ts";
import {
  captureReached,
  gitNotice,
  joinNotices,
  type MadeJourney,
  NO_FILES,
  outcomeNotice,
  writeRestored,
} from "./perform.ts";
import type { JourneyDeps } from "./session-files.ts";

interface ExternalRewindSpec {
  readonly options: ExternalRewindOptions;
  /** The checkpoint's line in the log. */
  readonly line: number;
  /** Whether the rewind also moves the conversation, in which case there is something to do even if no file changes. */
  readonly conversation: "goes" | "stays";
  /** Plans the journey and writes it to the log. */
  readonly write: (present: Present) => Promise<EntryId>;
  readonly dropped: Remark;
}

/**
 * Performs a rewind in which another agent restores the files. First captures the current files, so that a redo can
 * restore them from our snapshots. Then writes the journey to the log and runs the other agent's restore. Finally,
 * checks and records the result.
 */
export async function performExternalRewind(
  context: JourneyDeps,
  trip: ExternalRewindSpec,
): Promise<MadeJourney> {
  const { session, files, outside, dropRequest } = context;
  const { options } = trip;
  const { to, rewinder } = options;
  await files?.requireSettled();
  await outside?.settle();
  const known = { view: session, files: files?.context.files };
  const look = await findExternalChanges(known, options);
  if (trip.conversation === "stays" && look.inside.length + look.beside.length === 0)
    throw nothingKnown(look, options);
  const besideBefore = await statesOf(look.beside);
  const decided = await decideBeside(outside, look, { line: trip.line, before: besideBefore });
  await dropRequest(trip.dropped);
  if (files !== undefined && look.present !== undefined) await keepLeft(files.context, look.present);
  const journey = await trip.write({ ...look.present, outside: decided?.changes ?? [] });
  const trouble = await troubleOf(() => withOwnSnapshots(known, to, async () => rewinder.rewind(look.place)));
  const { snapshot, outcomes } = await outcomesOf({
    session: session.id,
    files: known.files,
    look,
    besideBefore,
    trouble,
  });
  const paths = [...outcomes].sort((a, b) => (a.path < b.path ? -1 : 1));
  const told = `The user had the ${rewinder.name} rewind files to the versions that it recorded at checkpoint ${to}.`;
  const text = joinNotices(outcomeNotice(told, paths), gitNotice(look.target, look.present));
  await writeRestored({ view: session }, { journey, paths, snapshot, text });
  return {
    journey,
    files: {
      paths,
      ...outcomeCounts(paths),
      differ: [],
      through: {
        name: rewinder.name,
        undo: isKept(look, decided) ? "captured" : "not-captured",
        ...(trouble === undefined ? {} : { trouble }),
      },
    },
  };
}

/** Checks whether everything that the rewind may change can be restored later. */
function isKept({ present, beside }: ExternalChanges, decided: DecidedOutside | undefined): boolean {
  const isBesideKept = (decided?.changes.length ?? 0) === beside.length;
  return isBesideKept && (present !== undefined || decided !== undefined);
}

/**
 * Runs the work and returns its error, if any. The journey is already in the log, so the error is part of the journey's
 * outcome.
 */
async function troubleOf(work: () => Promise<void>): Promise<WorldlineError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (isWorldlineError(error)) return error;
    throw error;
  }
}

async function statesOf(paths: readonly string[]): Promise<readonly (OutsideState | undefined)[]> {
  const states: (OutsideState | undefined)[] = [];
  for (const path of paths) states.push(stateOf(await lookAtPath(path)));
  return states;
}

/**
 * Stores the contents of the files that no snapshot covers. The state that these files will be restored to is known in
 * advance only if one of our tools has stored it.
 */
async function decideBeside(
  outside: OutsideFiles | undefined,
  { beside }: ExternalChanges,
  { line, before }: { readonly line: number; readonly before: readonly (OutsideState | undefined)[] },
): Promise<DecidedOutside | undefined> {
  if (outside === undefined || beside.length === 0) return undefined;
  const planned = await outside.look({ line, options: {}, choice: "take" });
  const known = new Map(planned.steps.map((step) => [step.path, step]));
  const steps = beside.map((path, index): OutsideChange => {
    const now = before[index];
    return known.get(path) ?? { path, ...(now === undefined ? {} : { before: now, after: now }) };
  });
  return outside.decide({ steps, files: NO_FILES });
}

function nothingKnown(
  { untracked, target }: ExternalChanges,
  { to, rewinder }: ExternalRewindOptions,
): WorldlineError {
  const differ = target === undefined ? 0 : untracked.length;
  return new WorldlineError("host-knows-no-change", { host: rewinder.name, checkpoint: to, differ });
}

/**
 * The state of the files after the other agent's restore. The outcome is determined by comparing this state with the
 * earlier one, because the agent does not report what it did.
 */
interface Reached {
  readonly snapshot: SnapshotId | undefined;
  readonly outcomes: readonly PathOutcome[];
}

interface Performed {
  readonly session: SessionId;
  readonly files: WorkspaceFiles | undefined;
  readonly look: ExternalChanges;
  /** The earlier states of the paths in `beside`, in the same order. */
  readonly besideBefore: readonly (OutsideState | undefined)[];
  /**
   * The error that the other agent reported, if any. The changes that the agent made before the error are still
   * determined.
   */
  readonly trouble: WorldlineError | undefined;
}

async function outcomesOf(performed: Performed): Promise<Reached> {
  const { files, look, session } = performed;
  const beside = await besideOutcomes(performed);
  const left = look.present?.snapshot;
  if (files === undefined || left === undefined) return { snapshot: undefined, outcomes: beside };
  const snapshot = await captureReached(session, await placesToLook(files, left, look.inside), (request) =>
    files.capture(request),
  );
  if (snapshot === undefined) {
    const { trouble } = performed;
    const failed = trouble === undefined ? remark("path-not-checked") : remarkOf(trouble);
    const unchecked = look.inside.map((path): PathOutcome => ({ path, outcome: "failed", ...failed }));
    return { snapshot, outcomes: [...unchecked, ...beside] };
  }
  const changed = await differing(files, left, snapshot);
  const differ = await differing(files, snapshot, look.target?.snapshot);
  return { snapshot, outcomes: [...insideOutcomes(performed, { changed, differ }), ...beside] };
}

interface Compared {
  /** The changes that the other agent made. */
  readonly changed: readonly PathChange[];
  /** The differences from the checkpoint that remain after the restore. */
  readonly differ: readonly PathChange[];
}

function insideOutcomes({ look, trouble }: Performed, { changed, differ }: Compared): readonly PathOutcome[] {
  const changedPaths = new Map(changed.map((change) => [change.path, detailOf(change.before, change.after)]));
  const differing_ = new Map(differ.map((change) => [change.path, change]));
  const taken = [...new Set([...look.inside, ...changedPaths.keys()])].map((path): PathOutcome => {
    const rest = differing_.get(path);
    const detail = changedPaths.get(path);
    if (detail !== undefined)
      return { path, outcome: "restored", ...detail, ...(rest && remark("path-known-later")) };
    if (look.target !== undefined && rest === undefined) return { path, outcome: "restored" };
    const why = rest?.before?.kind === "link" ? remark("path-link-now") : whyNotDone(trouble);
    return { path, outcome: "failed", ...why };
  });
  const known = new Set(taken.map(({ path }) => path));
  const stayed = differ
    .filter(({ path }) => !known.has(path))
    .map(({ path }): PathOutcome => ({ path, outcome: "kept", ...keptRemark("untracked") }));
  return [...taken, ...stayed];
}

async function besideOutcomes({ look, besideBefore, trouble }: Performed): Promise<readonly PathOutcome[]> {
  const outcomes: PathOutcome[] = [];
  for (const [index, path] of look.beside.entries()) {
    const [before, after] = [besideBefore[index], stateOf(await lookAtPath(path))];
    const isChanged = !isSameOutside(after, before);
    outcomes.push({
      path: pathOfText(path),
      ...(isChanged
        ? ({ outcome: "restored", ...detailOf(before, after) } as const)
        : ({ outcome: "failed", ...whyNotDone(trouble) } as const)),
    });
  }
  return outcomes;
}

/**
 * The paths to examine, including missing parent folders of `paths`, because restoring a file in a missing folder also
 * restores the folder.
 */
async function placesToLook(
  files: WorkspaceFiles,
  left: SnapshotId,
  paths: readonly PathBytes[],
): Promise<readonly { readonly path: PathBytes; readonly before: undefined; readonly after: undefined }[]> {
  const places = new Set<PathBytes>(paths);
  for (const path of paths) {
    for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder)) {
      if ((await files.stateAt(left, folder)) !== undefined) break;
      places.add(folder);
    }
  }
  return [...places].map((path) => ({ path, before: undefined, after: undefined }));
}

/** Why a path was not restored. The other agent gives a reason only if its whole restore failed. */
function whyNotDone(trouble: WorldlineError | undefined): Remark {
  return trouble === undefined ? remark("path-backup-missing") : remarkOf(trouble);
}
