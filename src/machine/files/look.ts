import type { Captured, WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Author, Choice, EntryOf } from "../../record/entry.ts";
import { isWorldlineError, problemIn, reasonFields, remark, WorldlineError } from "../../record/error.ts";
import type { FileState, PathBytes, PathChange } from "../../record/files.ts";
import type { Seq, SnapshotId } from "../../record/ids.ts";
import { type FilesPlan, type FilesRequest, type Merge, planFiles } from "../../travel/plan-files.ts";
import type { JourneyEntry } from "../../travel/redo.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import type { SessionView } from "../view.ts";
import { attribute, isElsewhere, lastMomentLine, momentsSince, runningAt } from "./intervals.ts";
import type { FileChoices, FilesAt, JourneyOptions, ProgressOptions } from "./requests.ts";

/** A session's log, and the files of its workspace. */
export interface FilesContext {
  readonly view: SessionView;
  readonly files: WorkspaceFiles;
}

/**
 * Like `FilesContext`, but the workspace's files are optional. If `files` is absent, only files that tools have touched
 * are tracked.
 */
export interface PreviewContext {
  readonly view: SessionView;
  readonly files?: WorkspaceFiles | undefined;
  /** "follow": a journey stores the files that no snapshot covers before it changes them. */
  readonly touchedFiles?: "follow";
}

/**
 * The state that the files will be restored to: a snapshot, and the log line after which the files may have been
 * changed.
 */
export interface FilesTarget {
  readonly snapshot: SnapshotId;
  readonly line: number;
  readonly gitHead?: string;
}

/** The current workspace, and who has changed it since the last recorded state. */
export interface FilesPresent extends Captured {
  readonly author: Author;
}

/**
 * Captures the current workspace without changing it. The snapshot is not protected yet, because the caller may need
 * only a preview, or the journey may still be refused. Such a snapshot must not replace one that a completed journey
 * needs.
 */
export async function capturePresent(
  { view, files }: FilesContext,
  options: JourneyOptions,
): Promise<FilesPresent> {
  const author = await presentAuthor(view, options);
  const captured = await files.capture({ look: "everything", ...progressOf(options) });
  return { ...captured, author };
}

/**
 * Protects the snapshot of the state before a journey. Must not be called until the journey can no longer be refused.
 */
export async function keepLeft({ view, files }: FilesContext, { snapshot }: FilesPresent): Promise<void> {
  await files.keep({ session: view.id, journey: "left" }, snapshot);
}

export function progressOf({
  onProgress,
  signal,
}: ProgressOptions): Pick<Parameters<WorkspaceFiles["capture"]>[0], "onProgress" | "signal"> {
  return {
    ...(onProgress === undefined
      ? {}
      : { onProgress: (progress) => onProgress({ doing: "capture", ...progress }) }),
    ...(signal === undefined ? {} : { signal }),
  };
}

/**
 * Determines who has changed the files since the last recorded state. Changes that a tool and the user made at the same
 * time cannot be told apart, so they count as the tool's.
 */
export async function presentAuthor(
  view: SessionView,
  options: Pick<JourneyOptions, "author">,
): Promise<Author> {
  if (options.author !== undefined) return options.author;
  const last = lastMomentLine(view.outline);
  const ran = view.outline.linesOf("tool-start").at(-1) ?? 0;
  return ran > last || (await runningAt(view, last)).length > 0 ? "timeline" : "outside";
}

export interface LookRequest {
  readonly target: FilesTarget;
  readonly present: FilesPresent;
  readonly options: FileChoices;
  /** What to do with conflicts that the options do not resolve. */
  readonly choice: Choice;
  /**
   * "tried": tries to merge every conflict, regardless of the choice, because a preview shows which conflicts can be
   * merged.
   */
  readonly merges?: "tried";
}

/** The maximum number of conflicts that a preview tries to merge if merging was not chosen for them. */
const MAX_TRIED = 200;

/**
 * Determines what a journey to the target would do to the files. Does not change the workspace. Merged files are
 * written only to the snapshot store.
 */
export async function lookAtFiles(context: FilesContext, request: LookRequest): Promise<FilesPlan> {
  const { view, files } = context;
  const { target, present, options } = request;
  const changes = await files.compare(present.snapshot, target.snapshot);
  const moments = await momentsSince(view, target.line, { present, has: (id) => files.has(id) });
  const { outside, during } = await attribute(files, { target: target.snapshot, moments, changes });
  const known: FilesRequest = {
    ...options,
    changes,
    outside,
    during,
    guarded: await guardedIn(files, changes, { target, present, outside }),
    choice: options.choice ?? request.choice,
  };
  const plan = planFiles(known);
  const chosen = new Set(plan.merges.map(({ path }) => path));
  const tried = request.merges === "tried" ? mergeable(plan).slice(0, MAX_TRIED) : [];
  const offered = tried.filter(({ path }) => !chosen.has(path));
  if (chosen.size + offered.length === 0) return plan;
  const merged = [
    ...(await mergeAll(files, offered, "unclean-where-unreadable")),
    ...(await mergeAll(files, plan.merges, "refused-where-unreadable")),
  ];
  return planFiles({ ...known, merged: new Map(merged) });
}

/**
 * Ignored paths that must not be deleted. The target does not contain them, so they were created after it. The
 * intervals record everything that the timeline created, so an ignored path with outside changes was not created by the
 * timeline.
 */
async function guardedIn(
  files: WorkspaceFiles,
  changes: readonly PathChange[],
  since: {
    readonly target: FilesTarget;
    readonly present: FilesPresent;
    readonly outside: ReadonlyMap<PathBytes, unknown>;
  },
): Promise<ReadonlySet<PathBytes>> {
  const doubtful = changes
    .filter(({ path, after }) => after === undefined && since.outside.has(path))
    .map(({ path }) => path);
  if (doubtful.length === 0) return new Set();
  const now = await files.ignoredIn(since.present.snapshot, doubtful);
  const then = await files.ignoredIn(since.target.snapshot, doubtful);
  return new Set([...now, ...then]);
}

function mergeable({ conflicts }: FilesPlan): readonly Merge[] {
  return conflicts.flatMap(({ path, after, edits, merge }) =>
    merge === "untried" && after !== undefined ? [{ path, target: after, edits }] : [],
  );
}

/**
 * Merges the paths. If the content of a file is damaged, forgotten, or missing, a journey that must merge the file is
 * refused. A preview is not refused, because it only checks whether a merge is possible.
 */
async function mergeAll(
  files: WorkspaceFiles,
  merges: readonly Merge[],
  unreadable: "refused-where-unreadable" | "unclean-where-unreadable",
): Promise<ReadonlyMap<PathBytes, FileState | undefined>> {
  const merged = new Map<PathBytes, FileState | undefined>();
  for (const { path, target, edits } of merges) {
    const state = files.merge(target, edits);
    merged.set(
      path,
      await (unreadable === "refused-where-unreadable" ? state : state.catch(noneIfUnreadable)),
    );
  }
  return merged;
}

function noneIfUnreadable(error: unknown): undefined {
  const isUnreadable =
    isWorldlineError(error, "SNAPSHOT_DAMAGED") || isWorldlineError(error, "SNAPSHOT_MISSING");
  if (!isUnreadable) throw error;
}

/** What is known about a checkpoint's files. If there is no snapshot store to check, relies on the log alone. */
export async function filesAt(
  view: SessionView,
  files: Pick<WorkspaceFiles, "has"> | undefined,
  checkpoint: number,
): Promise<FilesAt> {
  requireCheckpoint(view.outline, checkpoint);
  const entry = await snapshotEntry(view, checkpoint);
  if (entry === undefined) return { state: "pending" };
  const { snapshot, state, seq, why, reason, params, gitHead, machine } = entry;
  const known = why === undefined ? undefined : { why, ...reasonFields({ reason, params }) };
  if (state === "none" || snapshot === undefined)
    return { state: "none", ...(known ?? remark("capture-never-made")) };
  if (files !== undefined && !(await files.has(snapshot)))
    return { state: "let-go", snapshot, ...(isElsewhere(machine) ? { machine } : {}) };
  return {
    state,
    snapshot,
    line: seq,
    ...known,
    ...(gitHead === undefined ? {} : { gitHead }),
  };
}

/** The last entry about a checkpoint's files. */
async function snapshotEntry(
  view: SessionView,
  checkpoint: number,
): Promise<EntryOf<"snapshot"> | undefined> {
  const line = snapshotLine(view, checkpoint);
  const [entry] = line === undefined ? [] : await view.entries([line]);
  return entry?.kind === "snapshot" ? entry : undefined;
}

function snapshotLine({ outline }: SessionView, checkpoint: number): Seq | undefined {
  return outline.linesOf("snapshot").findLast((line) => outline.at(line)?.number === checkpoint);
}

/** The files of a checkpoint. Throws if the checkpoint's files are not available. */
export async function targetOfCheckpoint(
  { view, files }: FilesContext,
  checkpoint: number,
): Promise<FilesTarget> {
  const at = await filesAt(view, files, checkpoint);
  switch (at.state) {
    case "complete":
    case "partial":
      return at;
    case "pending":
      throw new WorldlineError("files-not-captured", { checkpoint });
    case "none":
      throw new WorldlineError("files-not-captured", { checkpoint, why: problemIn(at) });
    case "let-go":
      throw new WorldlineError("files-let-go", { checkpoint, machine: at.machine });
    default:
      return at satisfies never;
  }
}

/** The state before a journey, as a target for restoring the files. */
export async function targetOfJourney({ files }: FilesContext, journey: JourneyEntry): Promise<FilesTarget> {
  const { leftGitHead, seq } = journey;
  const snapshot = await requireLeft(files, journey);
  return { snapshot, line: seq, ...(leftGitHead === undefined ? {} : { gitHead: leftGitHead }) };
}

/** The snapshot of the state before a journey. Throws if the snapshot does not exist. */
export async function requireLeft(
  files: Pick<WorkspaceFiles, "has">,
  { id, left }: Pick<JourneyEntry, "id" | "left">,
): Promise<SnapshotId> {
  if (left === undefined) throw new WorldlineError("journey-files-not-captured", { journey: id });
  if (!(await files.has(left))) throw new WorldlineError("journey-files-let-go", { journey: id });
  return left;
}
