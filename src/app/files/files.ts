import { stat } from "node:fs/promises";
import type { Ground } from "../../machine/open.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import { placeOf } from "../../stores/store-address.ts";
import type { AppContext } from "../context.ts";
import { systemCode } from "../places/system-error.ts";
import { tidyStore } from "./tidy-store.ts";

/** The files of a workspace, or why there are none to work with. */
export type FilesHere =
  | { readonly state: "on"; readonly files: WorkspaceFiles }
  | {
      /** "off": the settings say so. "unusable": this folder is not one to capture, or the store cannot be opened. */
      readonly state: "off" | "unusable";
      readonly files?: undefined;
      /** "touched": the folder is one that is not captured, and files that an agent's tools touch are followed all the same. */
      readonly tracked?: "touched";
      /** Finishes the sentence "Without files: …". */
      readonly why: string;
      readonly error: WorldlineError;
    };

/** Whoever opens them closes them. */
export async function openFiles(context: AppContext, folder: string): Promise<FilesHere> {
  const { values } = await context.settings();
  if (!values.enableFileCheckpointing) {
    return { state: "off", why: OFF, error: new WorldlineError("checkpointing-off", {}) };
  }
  try {
    await requireFolder(folder);
    // Loaded here: most commands need no files, and start faster without.
    const { openWorkspaceFiles } = await import("../../open-files.ts");
    const files = await openWorkspaceFiles({
      workspace: folder,
      home: context.home,
      sessionsIn: placeOf(context.common.store, context.home),
      name: "worldline",
      maxFileBytes: values["snapshots.maxFileBytes"],
      waitMs: values["lock.waitMs"],
      takeOver: context.common.takeOver,
    });
    return { state: "on", files };
  } catch (error) {
    const known = isWorldlineError(error) ? error : storeError(error);
    const isRefused = isWorldlineError(known, "WORKSPACE_UNUSABLE") && (await isFolder(folder));
    const tracked = isRefused ? ({ tracked: "touched" } as const) : {};
    return { state: "unusable", why: known.message, error: known, ...tracked };
  }
}

/** What the ground of a session needs to know where there are no files to give it. */
export function touchedIn(here: FilesHere): Pick<Ground, "touchedFiles"> {
  return isTouchedOnly(here) ? { touchedFiles: "follow" } : {};
}

export function isTouchedOnly(here: FilesHere): boolean {
  return here.state === "unusable" && here.tracked === "touched";
}

const OFF = "enableFileCheckpointing is false.";

const captured = new WeakSet<WorkspaceFiles>();

/** Something was captured that is kept: the store has grown. */
export function noteCaptured(files: WorkspaceFiles): void {
  captured.add(files);
}

/** Does `work` with the files, and lets go of them whatever happens. Whoever made the store larger looks after it. */
export async function withFiles<Result>(
  context: AppContext,
  workspace: string,
  work: (here: FilesHere) => Promise<Result>,
): Promise<Result> {
  const here = await openFiles(context, workspace);
  let result: Result;
  try {
    result = await work(here);
  } finally {
    if (here.files !== undefined) await closeQuietly(here.files);
  }
  // Not before they are closed: what is being written to cannot be made smaller.
  if (here.files !== undefined && captured.has(here.files)) await tidyStore(context);
  return result;
}

/**
 * What was captured is durable, and told. Closing writes down what only saves time, and tries again with what could not be
 * stored: on a full disk that fails once more, and must not hide what the command has to say.
 */
async function closeQuietly(files: WorkspaceFiles): Promise<void> {
  try {
    await files.close();
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
  }
}

/**
 * The same for a list, which files only add a column to: settings that cannot be read, or a store that cannot, cost that
 * column and a warning.
 */
export async function withFilesIfAny<Result>(
  context: AppContext,
  workspace: string,
  work: (files: WorkspaceFiles | undefined) => Promise<Result>,
): Promise<Result> {
  let opened: FilesHere | undefined;
  try {
    opened = await openFiles(context, workspace);
    if (opened.state === "unusable" && opened.error.code !== "WORKSPACE_UNUSABLE") throw opened.error;
    return await work(opened.files);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    context.listener.report({ code: "files-unknown", problem: error });
    return await work(undefined);
  } finally {
    if (opened?.files !== undefined) await closeQuietly(opened.files);
  }
}

/** For a command that is about files. */
export function requireFiles(here: FilesHere): WorkspaceFiles {
  if (here.state === "on") return here.files;
  throw here.error;
}

function storeError(cause: unknown): WorldlineError {
  if (systemCode(cause) === undefined) throw cause;
  return new WorldlineError("snapshot-store-unopened", { why: String(cause) }, { cause });
}

/** A session may be about a folder that was moved or removed since. */
async function requireFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  throw new WorldlineError("workspace-gone", { folder });
}

async function isFolder(path: string): Promise<boolean> {
  const there = await stat(path).catch(() => undefined);
  return there?.isDirectory() === true;
}
