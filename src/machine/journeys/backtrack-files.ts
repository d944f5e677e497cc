import { isWorldlineError, problemOf, type Remark, remark } from "../../record/error.ts";
import { findCheckpoint } from "../../timeline/checkpoints.ts";
import type { BacktrackRequest, BacktrackTally } from "../../travel/backtrack.ts";
import type { FilesPlan } from "../../travel/plan-files.ts";
import type { Present } from "../../travel/rewind.ts";
import {
  capturePresent,
  type FilesPresent,
  type FilesTarget,
  filesAt,
  keepLeft,
  lookAtFiles,
  targetOfCheckpoint,
} from "../files/look.ts";
import type { OutsideFiles, OutsidePlan } from "../files/outside-files.ts";
import {
  type ChangedNames,
  changedNames,
  type DecidedJourney,
  gitNotice,
  type JourneyContext,
  NO_FILES,
  type WritingContext,
  type WritingView,
} from "../files/perform.ts";
import type { SessionFiles } from "../files/session-files.ts";

/** The state of the files when a backtrack is carried out. */
export interface BacktrackFiles {
  /**
   * Protects the snapshot of the current state. Called as soon as the backtrack can no longer be refused. A backtrack
   * that leaves the files unchanged is possible even if the workspace cannot be captured.
   */
  readonly leave: () => Promise<Present>;
  /** The paths that differ from the checkpoint or, if the files are restored, will still differ afterward. */
  readonly changed?: ChangedNames;
  /** The notice to the agent that git still has a different branch or commit checked out. */
  readonly git?: string | undefined;
  /** The plan for each path; absent if the files are not restored. */
  readonly decided?: Pick<DecidedJourney, "present" | "plan" | "outside"> & {
    readonly context: JourneyContext;
  };
}

/** The session, and the files that a backtrack can change. */
export interface BacktrackContext {
  readonly view: WritingView;
  readonly files: SessionFiles | undefined;
  /** The files that no snapshot covers. */
  readonly outside: OutsideFiles;
}

/** Returns whether the files of the requested checkpoint can be restored. */
export async function obstacleInFiles(
  context: BacktrackContext | undefined,
  request: BacktrackRequest,
): Promise<BacktrackTally["snapshots"]> {
  if (context === undefined) return "no";
  const { files } = context;
  if (files === undefined) return "yes";
  if (request.files === "keep" || findCheckpoint(files.context.view.outline, request.to) === undefined)
    return "yes";
  const { state } = await files.at(request.to);
  return state === "complete" || state === "partial" ? "yes" : "gone";
}

/** Returns the current files and the plan for them, or the reason why the backtrack cannot be carried out. */
export async function lookForBacktrack(
  context: BacktrackContext,
  request: BacktrackRequest,
): Promise<BacktrackFiles | Remark> {
  const { view, files, outside } = context;
  const line = findCheckpoint(view.outline, request.to)?.seq ?? 0;
  const asks = { line, options: {}, choice: "keep" } as const;
  if (request.files === "keep") return lookAndKeep(context, request.to, await outside.look(asks));
  try {
    const inside = files === undefined ? undefined : await lookInside(files, request.to);
    await outside.settle();
    const decided = await outside.decide(await outside.look(asks));
    const plan = inside?.plan ?? NO_FILES;
    const changed = changedNames([...plan.kept, ...decided.kept].map(({ path }) => path));
    const leave = async (): Promise<Present> => {
      if (inside !== undefined) await keepLeft(inside.context, inside.present);
      return { ...inside?.present, outside: decided.changes };
    };
    const journey = { context: { view, ...inside?.context }, plan, outside: decided };
    const present = inside === undefined ? {} : { present: inside.present };
    return { leave, changed, git: inside?.git, decided: { ...journey, ...present } };
  } catch (error) {
    return remarkOnFailure(error);
  }
}

async function lookInside(
  files: SessionFiles,
  to: number,
): Promise<{ context: WritingContext; present: FilesPresent; plan: FilesPlan; git: string | undefined }> {
  const { context } = files;
  const target = await targetOfCheckpoint(context, to);
  await files.requireSettled();
  const present = await capturePresent(context, {});
  const plan = await lookAtFiles(context, { target, present, options: {}, choice: "keep" });
  return { context, present, plan, git: gitNotice(target, present) };
}

/** Protects the snapshot of the current files. Returns the reason if the backtrack cannot be carried out. */
export async function leavePresent({ leave }: BacktrackFiles): Promise<Present | Remark> {
  try {
    return await leave();
  } catch (error) {
    return remarkOnFailure(error);
  }
}

function remarkOnFailure(error: unknown): Remark {
  if (!isWorldlineError(error)) throw error;
  return remark("backtrack-files-not-restored", { problem: problemOf(error) });
}

async function lookAndKeep(
  { files }: BacktrackContext,
  to: number,
  { files: { changes } }: OutsidePlan,
): Promise<BacktrackFiles> {
  const beside = changes.map(({ path }) => path);
  // If the workspace is not captured, the calling program determines which paths differ.
  if (files === undefined) {
    return { leave: async () => ({}), ...(beside.length === 0 ? {} : { changed: changedNames(beside) }) };
  }
  const target = await targetAt(files, to);
  const glance = await files.comparePresent(target, {});
  const { present, differ } = glance;
  const leave = async (): Promise<Present> => files.leave(glance);
  if (present === undefined || target === undefined) return { leave };
  return {
    leave,
    changed: changedNames([...differ.map(({ path }) => path), ...beside]),
    git: gitNotice(target, present),
  };
}

async function targetAt({ context }: SessionFiles, to: number): Promise<FilesTarget | undefined> {
  const at = await filesAt(context.view, context.files, to);
  return at.state === "complete" || at.state === "partial" ? at : undefined;
}
