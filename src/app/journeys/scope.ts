import { filesAt, targetOfCheckpoint } from "../../machine/files/look.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Scope } from "../../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import { planRewind } from "../../travel/rewind.ts";
import type { FoundCheckpoint } from "../checkpoints/find-checkpoint.ts";
import { type FilesHere, isTouchedOnly, requireFiles } from "../files/files.ts";

/** What goes back, and why files do not where nobody said that they should stay. */
export interface SettledScope {
  readonly scope: Scope;
  readonly filesStay?: string;
}

export interface ScopeWish {
  readonly given: Scope | undefined;
  /** "some": the person named paths, so it is about files. */
  readonly only: "some" | "none";
  /** "another": files go back by another agent's checkpoints, so that ours need not have them. */
  readonly by: "snapshots" | "another";
}

/**
 * The scope that was given. Else both in an agent's session and files in the workspace's own. Refused where the files
 * cannot be had: who goes back for files must not be told that it is done while they stay as they are. Only where files
 * are switched off nobody expects them of an agent's session, and it is said that they stay.
 */
export async function settleScope(
  target: FoundCheckpoint,
  here: FilesHere,
  { given, only, by }: ScopeWish,
): Promise<SettledScope> {
  if (only === "some" && given === "conversation") throw onlyOfConversation();
  if (by === "another") return { scope: given ?? (isAlreadyThere(target) ? "files" : "both") };
  if (given !== undefined || only === "some") {
    const scope = given ?? "files";
    if (scope !== "conversation") requireHere(here, target);
    return { scope };
  }
  return defaultScope(target, here);
}

async function defaultScope(target: FoundCheckpoint, here: FilesHere): Promise<SettledScope> {
  const { view, row } = target;
  if (await isWithoutFiles(target, here)) return { scope: "conversation" };
  const isOwn = view.header.mode === "workspace";
  if (here.state === "off" && !isOwn) return { scope: "conversation", filesStay: here.error.message };
  const files = requireHere(here, target);
  if (files !== undefined) {
    await targetOfCheckpoint({ view, files }, row.number).catch((error: unknown) => {
      throw refused(error, target);
    });
  }
  return { scope: isOwn || isAlreadyThere(target) ? "files" : "both" };
}

/** A program's execution that never had files: nobody misses them. */
async function isWithoutFiles({ view, row }: FoundCheckpoint, { files }: FilesHere): Promise<boolean> {
  if (view.header.mode !== "execution") return false;
  return (await filesAt(view, files, row.number)).state === "pending";
}

/** The conversation has nowhere to go, but the files may. */
function isAlreadyThere({ view, row }: FoundCheckpoint): boolean {
  try {
    planRewind(view.outline, { to: row.number, scope: "conversation" }, {});
    return false;
  } catch (error) {
    if (isWorldlineError(error, "REWIND_REFUSED")) return true;
    throw error;
  }
}

/** As `requireFiles`, with a way out. Undefined where only files are followed that an agent's tools touch. */
function requireHere(here: FilesHere, target: FoundCheckpoint): WorkspaceFiles | undefined {
  if (isTouchedOnly(here) && target.view.header.mode === "agent") return undefined;
  try {
    return requireFiles(here);
  } catch (error) {
    throw refused(error, target);
  }
}

function refused(error: unknown, { view, row }: FoundCheckpoint): unknown {
  if (!isWorldlineError(error)) return error;
  const { mode } = view.header;
  return new WorldlineError(
    "rewind-files-unusable",
    { session: view.id, checkpoint: row.number, mode, problem: error },
    { cause: error },
  );
}

function onlyOfConversation(): WorldlineError {
  return new WorldlineError("only-of-conversation", {});
}
