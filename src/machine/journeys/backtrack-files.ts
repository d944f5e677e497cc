import { isWorldlineError } from "../../record/error.ts";
import { findCheckpoint } from "../../timeline/checkpoints.ts";
import type { BacktrackRequest } from "../../travel/backtrack.ts";
import type { FilesPlan } from "../../travel/files/plan-files.ts";
import type { Present } from "../../travel/journey.ts";
import type { BacktrackTally } from "../../travel/refusal.ts";
import { filesAt } from "../files/files-at.ts";
import { capturePresent, type FilesPresent, type FilesTarget, keepLeft, lookAtFiles } from "../files/look.ts";
import type { WritingGround } from "../files/perform.ts";
import type { SessionFiles } from "../files/session-files.ts";
import { targetOfCheckpoint } from "../files/targets.ts";
import { namedPaths, toldOfGit } from "../files/told.ts";

/** What a backtrack knows of the files when it is carried out. */
export interface BacktrackFiles {
  /**
   * Keeps the present, when nothing can stop the backtrack any more. That the workspace cannot be captured does not
   * stop one that keeps the files.
   */
  readonly leave: () => Promise<Present>;
  /** What is not as it was at the checkpoint, or will not be although the files go back. */
  readonly changed?: readonly string[];
  /** What the agent has to know of git, which did not go back. */
  readonly git?: string | undefined;
  /** Where the files go back too: what becomes of each. */
  readonly decided?: {
    readonly ground: WritingGround;
    readonly present: FilesPresent;
    readonly plan: FilesPlan;
  };
}

/** A backtrack happens at the end of a step: what changed since its last state, its tools changed. */
const IN_A_STEP = { author: "timeline" } as const;

/** Whether the files of the wanted checkpoint can be restored. */
export async function obstacleInFiles(
  files: SessionFiles | undefined,
  request: BacktrackRequest,
): Promise<BacktrackTally["snapshots"]> {
  if (files === undefined) return "no";
  if (request.files === "keep" || findCheckpoint(files.ground.view.outline, request.to) === undefined)
    return "yes";
  const { state } = await files.at(request.to);
  return state === "complete" || state === "partial" ? "yes" : "gone";
}

/** The present, and what is to become of it; or why the backtrack cannot be carried out. */
export async function lookForBacktrack(
  files: SessionFiles,
  request: BacktrackRequest,
): Promise<BacktrackFiles | string> {
  if (request.files === "keep") return lookAndKeep(files, request.to);
  const { ground } = files;
  try {
    const target = await targetOfCheckpoint(ground, request.to);
    await files.requireSettled();
    const present = await capturePresent(ground, IN_A_STEP);
    const plan = await lookAtFiles(ground, { target, present, wish: {}, choice: "keep" });
    const changed = namedPaths(plan.kept.map(({ path }) => path));
    const leave = async (): Promise<Present> => {
      await keepLeft(ground, present);
      return present;
    };
    return { leave, changed, git: toldOfGit(target, present), decided: { ground, present, plan } };
  } catch (error) {
    return whyNot(error);
  }
}

/** The present, kept; or why the backtrack cannot be carried out. */
export async function leavePresent({ leave }: BacktrackFiles): Promise<Present | string> {
  try {
    return await leave();
  } catch (error) {
    return whyNot(error);
  }
}

function whyNot(error: unknown): string {
  if (!isWorldlineError(error)) throw error;
  return `The files could not be taken back. ${error.message}`;
}

async function lookAndKeep(files: SessionFiles, to: number): Promise<BacktrackFiles> {
  const target = await targetAt(files, to);
  const glance = await files.glance(target, IN_A_STEP);
  const { present, differ } = glance;
  const leave = async (): Promise<Present> => files.leave(glance);
  if (present === undefined || target === undefined) return { leave };
  return {
    leave,
    changed: namedPaths(differ.map(({ path }) => path)),
    git: toldOfGit(target, present),
  };
}

async function targetAt({ ground }: SessionFiles, to: number): Promise<FilesTarget | undefined> {
  const at = await filesAt(ground.view, ground.files, to);
  return at.state === "complete" || at.state === "partial" ? at : undefined;
}
