import type { FileRewinder, HostPlace } from "../../ports/file-rewinder.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { isWorldlineError, problemOf, WorldlineError } from "../../record/error.ts";
import {
  type FileState,
  folderOf,
  isSameState,
  type PathBytes,
  type PathChange,
  pathOfText,
} from "../../record/files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { hostLineOf } from "../../timeline/checkpoints.ts";
import { isCovered, type KeptPath } from "../../travel/plan-files.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import type { SessionView } from "../view.ts";
import { capturePresent, type FilesPresent, type FilesTarget, filesAt, type PreviewContext } from "./look.ts";
import { pathWithin } from "./outside-files.ts";
import type { FilesPreview, JourneyOptions } from "./requests.ts";

export interface ExternalRewindOptions extends JourneyOptions {
  readonly to: number;
  readonly rewinder: FileRewinder;
}

/** The changes that the other agent announces, compared with our snapshots. No file has been changed yet. */
export interface ExternalChanges {
  readonly place: HostPlace;
  /** The announced paths inside the workspace; empty if the workspace is not captured. */
  readonly inside: readonly PathBytes[];
  /** The announced paths that no snapshot covers, as absolute paths. */
  readonly beside: readonly string[];
  readonly present?: FilesPresent;
  /** The checkpoint's snapshot, used for the comparison; absent if there is none. */
  readonly target?: FilesTarget;
  /**
   * Paths that differ from the checkpoint but that the other agent did not announce. The agent will not change these
   * paths.
   */
  readonly untracked: readonly PathChange[];
}

export async function findExternalChanges(
  context: PreviewContext,
  options: ExternalRewindOptions,
): Promise<ExternalChanges> {
  const { view, files } = context;
  const { to, rewinder } = options;
  refuseChoice(options);
  const { place, paths } = await withOwnSnapshots(context, to, async () => {
    const found = await hostPlaceOf(view, to, rewinder);
    return { place: found, paths: (await rewinder.preview(found)).paths };
  });
  if (files === undefined) return { place, inside: [], beside: [...paths].sort(), untracked: [] };
  const present = await capturePresent({ view, files }, options);
  const { inside, beside } = await placed(files, present.snapshot, paths);
  const target = await knownTarget(view, files, to);
  const untracked = await differing(files, present.snapshot, target?.snapshot);
  const named = new Set(inside);
  return {
    place,
    inside,
    beside,
    present,
    ...(target === undefined ? {} : { target }),
    untracked: untracked.filter(({ path }) => !named.has(path)),
  };
}

/**
 * Rejects options that the other agent cannot honor, because it restores either all files that it tracks or none. If
 * such an option were ignored, the caller would believe that it was applied.
 */
function refuseChoice({ only, choice, choices, rewinder }: ExternalRewindOptions): void {
  if (only === undefined && choice === undefined && (choices?.size ?? 0) === 0) return;
  throw new WorldlineError("host-files-choice", { host: rewinder.name });
}

/**
 * Separates the paths that the snapshot covers from the paths that it does not cover. Paths within the workspace that
 * the snapshot leaves out, such as those in a large ignored folder, are not covered.
 */
async function placed(
  files: WorkspaceFiles,
  present: SnapshotId,
  paths: readonly string[],
): Promise<{ readonly inside: readonly PathBytes[]; readonly beside: readonly string[] }> {
  const inside: PathBytes[] = [];
  const beside: string[] = [];
  for (const path of paths) {
    const within = pathWithin(files.folder, path);
    if (within === undefined || (await isLeftOut(files, present, within))) beside.push(path);
    else inside.push(within);
  }
  return { inside: inside.sort(), beside: beside.sort() };
}

async function isLeftOut(files: WorkspaceFiles, present: SnapshotId, path: PathBytes): Promise<boolean> {
  for (let at = path; at !== ""; at = folderOf(at)) {
    const state = await files.stateAt(present, at);
    if (state !== undefined) return state.kind === "left-out";
  }
  return false;
}

async function knownTarget(
  view: SessionView,
  files: WorkspaceFiles,
  to: number,
): Promise<FilesTarget | undefined> {
  const at = await filesAt(view, files, to);
  return at.state === "complete" || at.state === "partial" ? at : undefined;
}

/** The differences that a user would see; empty if either snapshot is undefined. */
export async function differing(
  files: WorkspaceFiles,
  before: SnapshotId | undefined,
  after: SnapshotId | undefined,
): Promise<readonly PathChange[]> {
  if (before === undefined || after === undefined || before === after) return [];
  const changes = await files.compare(before, after);
  const differ = changes.filter((change) => !isSameState(change.before, change.after));
  return differ.filter(isCovered(differ));
}

/** Returns what a rewind that uses another agent's file checkpoints would do. Changes nothing. */
export async function previewExternalRewind(
  context: PreviewContext,
  options: ExternalRewindOptions,
): Promise<FilesPreview> {
  const { rewinder } = options;
  const look = await findExternalChanges(context, options);
  const { present, target, untracked } = look;
  const steps = await stepsOf(context, look);
  return {
    ...(target === undefined ? {} : { target: target.snapshot }),
    ...(present === undefined ? {} : { present: present.snapshot }),
    changes: [...steps, ...untracked],
    steps,
    kept: untracked.map(({ path }): KeptPath => ({ path, why: "untracked" })),
    conflicts: [],
    during: [],
    deletions: steps.filter(({ after }) => after === undefined).length,
    gitHead: {
      ...(target?.gitHead === undefined ? {} : { target: target.gitHead }),
      ...(present?.gitHead === undefined ? {} : { present: present.gitHead }),
    },
    through: {
      name: rewinder.name,
      limits: rewinder.limits,
      undo: present === undefined && context.touchedFiles === undefined ? "not-captured" : "captured",
    },
  };
}

/**
 * A placeholder for the unknown state of a path. The other agent does not report the state that it will restore. Only
 * our snapshot of the checkpoint, if there is one, can show that state.
 */
const UNKNOWN: FileState = { kind: "left-out", why: "unreadable" };

async function stepsOf(
  { files }: PreviewContext,
  { inside, beside, present, target }: ExternalChanges,
): Promise<readonly PathChange[]> {
  const steps: PathChange[] = [];
  for (const path of inside) {
    const before = present && (await files?.stateAt(present.snapshot, path));
    const after = target === undefined ? UNKNOWN : await files?.stateAt(target.snapshot, path);
    steps.push({ path, before, after });
  }
  return [...steps, ...beside.map((path) => ({ path: pathOfText(path), before: UNKNOWN, after: UNKNOWN }))];
}

/**
 * The other agent's ids for the prompt after a checkpoint. Throws if that agent did not receive a prompt at this
 * checkpoint.
 */
export async function hostPlaceOf(
  view: SessionView,
  to: number,
  { host, name }: FileRewinder,
): Promise<HostPlace> {
  const row = requireCheckpoint(view.outline, to);
  const line = hostLineOf(view.outline, row);
  const [entry] = line === undefined ? [] : await view.entries([line.seq]);
  if (
    entry?.kind === "host" &&
    entry.host === host &&
    entry.message !== undefined &&
    entry.forgotten === undefined
  ) {
    return { hostSession: entry.hostSession, message: entry.message };
  }
  const is = row.kind === "step" ? "step" : "not-its-prompt";
  throw new WorldlineError("host-has-no-checkpoint", { host: name, checkpoint: to, is });
}

/**
 * Runs the work. If the work fails, the error also states whether our own snapshots could restore the files instead.
 */
export async function withOwnSnapshots<Result>(
  { view, files }: PreviewContext,
  to: number,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isWorldlineError(error) || error.code === "CANCELLED") throw error;
    const own = await ownSnapshot({ view, files }, to);
    throw new WorldlineError(
      "host-rewind-failed",
      { code: error.code, problem: problemOf(error), checkpoint: to, own },
      { cause: error },
    );
  }
}

async function ownSnapshot({ view, files }: PreviewContext, to: number): Promise<"off" | "has" | "has-not"> {
  if (files === undefined) return "off";
  const { state } = await filesAt(view, files, to);
  return state === "complete" || state === "partial" ? "has" : "has-not";
}
