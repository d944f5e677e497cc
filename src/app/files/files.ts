import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../disk/system-clock.ts";
import type { FilesAt, FilesProgress } from "../../machine/files/requests.ts";
import type { SessionContext } from "../../machine/open.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { isWorldlineError, type Remark, reasonFields, remark, WorldlineError } from "../../record/error.ts";
import { snapshotPlaces } from "../../snapshots/context.ts";
import type { Retention } from "../../snapshots/keeping/gc.ts";
import type { CollectedGarbage } from "../../snapshots/snapshot-upkeep.ts";
import { placeOf } from "../../stores/store-address.ts";
import type { AppContext } from "../context.ts";
import { systemCode } from "../places/home.ts";
import type { LoadedSettings } from "../settings/settings.ts";

/** The files of a workspace, or the reason why they cannot be used. */
export type OpenedFiles =
  | { readonly state: "on"; readonly files: WorkspaceFiles; readonly tracked?: undefined }
  | {
      /**
       * "off": disabled in the settings. "unusable": this folder must not be captured, or the store cannot be opened.
       */
      readonly state: "off" | "unusable";
      readonly files?: undefined;
      /** "touched": the folder is not captured, but the files that an agent's tools change are still tracked. */
      readonly tracked?: "touched";
      readonly error: WorldlineError;
    };

/** Opens the files of a workspace. The caller must close the files. */
export async function openFiles(context: AppContext, folder: string): Promise<OpenedFiles> {
  const { values } = await context.settings();
  if (!values.enableFileCheckpointing) {
    return { state: "off", error: new WorldlineError("checkpointing-off", {}) };
  }
  try {
    await requireFolder(folder);
    // Imported here because most commands do not need this module and start faster without it.
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
    return { state: "unusable", error: known, ...tracked };
  }
}

/** Tells a session without files whether it should track the files that tools change. */
export function touchedIn(workspaceFiles: OpenedFiles): Pick<SessionContext, "touchedFiles"> {
  return isTouchedOnly(workspaceFiles) ? { touchedFiles: "follow" } : {};
}

export function isTouchedOnly(workspaceFiles: OpenedFiles): boolean {
  return workspaceFiles.tracked === "touched";
}

const captured = new WeakSet<WorkspaceFiles>();

/** Records that a capture has stored something, and that the store has therefore grown. */
export function noteCaptured(files: WorkspaceFiles): void {
  captured.add(files);
}

/** Runs `work` with the files, which are always closed afterwards. Also tidies the store if it has grown. */
export async function withFiles<Result>(
  context: AppContext,
  workspace: string,
  work: (workspaceFiles: OpenedFiles) => Promise<Result>,
): Promise<Result> {
  const workspaceFiles = await openFiles(context, workspace);
  let result: Result;
  try {
    result = await work(workspaceFiles);
  } finally {
    if (workspaceFiles.files !== undefined) await closeQuietly(workspaceFiles.files);
  }
  // The segments that these files write to can be shrunk only after the files are closed.
  if (workspaceFiles.files !== undefined && captured.has(workspaceFiles.files)) await tidyStore(context);
  return result;
}

/**
 * Closes the files and ignores errors. Everything that was captured is already durable and reported. Closing only saves
 * caches and retries failed writes. On a full disk, closing fails again, which must not hide the command's result.
 */
async function closeQuietly(files: WorkspaceFiles): Promise<void> {
  try {
    await files.close();
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
  }
}

/**
 * Works like `withFiles`, but for a list that needs the files for only one column. If the settings or the store cannot
 * be read, that column is missing and a warning is reported.
 */
export async function withFilesIfAny<Result>(
  context: AppContext,
  workspace: string,
  work: (files: WorkspaceFiles | undefined) => Promise<Result>,
): Promise<Result> {
  let opened: OpenedFiles | undefined;
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

/** Returns the reason why some or all of a checkpoint's files were not captured, or undefined if all were captured. */
export function whyNotCaptured(at: FilesAt): Remark | undefined {
  if (at.state === "pending" || at.state === "let-go") return remark("capture-never-made");
  return at.why === undefined ? undefined : { why: at.why, ...reasonFields(at) };
}

/** Returns the files for a command that cannot work without them. Throws if the files cannot be used. */
export function requireFiles(workspaceFiles: OpenedFiles): WorkspaceFiles {
  if (workspaceFiles.state === "on") return workspaceFiles.files;
  throw workspaceFiles.error;
}

function storeError(cause: unknown): WorldlineError {
  if (systemCode(cause) === undefined) throw cause;
  return new WorldlineError("snapshot-store-unopened", { why: String(cause) }, { cause });
}

/** Throws if the session's folder was moved or removed. */
async function requireFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  throw new WorldlineError("workspace-gone", { folder });
}

async function isFolder(path: string): Promise<boolean> {
  const there = await stat(path).catch(() => undefined);
  return there?.isDirectory() === true;
}

/** Number of recent journeys whose replaced files stay available for a redo. */
const KEEP_JOURNEYS = 10;
/**
 * Time to wait for the store. This time is short, because the user is waiting for the shell prompt and the next command
 * will try again.
 */
const WAIT_MS = 1_000;
const PAUSE_MS = 10 * 60 * 1_000;
const FAR_OVER = 1.2;

/**
 * Returns the retention limits for the store, which all workspaces share. A workspace's own settings can raise the
 * number of checkpoints to keep, but not lower it for other workspaces.
 */
export function retentionOf({ values, explained }: LoadedSettings): Retention {
  const setting = explained.find(({ key }) => key === "checkpointKeepCount");
  const yours = setting?.overrode.find(({ source }) => !isOfWorkspace(source));
  const isTheirs = setting !== undefined && isOfWorkspace(setting.source);
  const least = isTheirs && typeof yours?.value === "number" ? yours.value : 0;
  return { keepCount: Math.max(values.checkpointKeepCount, least), keepJourneys: KEEP_JOURNEYS };
}

function isOfWorkspace({ layer }: LoadedSettings["explained"][number]["source"]): boolean {
  return layer === "workspace" || layer === "local";
}

/**
 * Shrinks the store to its limit after a command that made it larger, and reports what was released. If the store
 * cannot be shrunk now, or cannot be shrunk enough, only warns, because the command itself has succeeded.
 */
export async function tidyStore(context: AppContext): Promise<void> {
  const settings = await context.settings();
  const limit = settings.values["snapshots.maxBytes"];
  const { root, segments } = snapshotPlaces(context.home);
  const stored = bytesIn(segments);
  const stamp = join(root, "tidied");
  if (stored <= limit || isTooSoon(stamp, { stored, limit })) return;
  try {
    const done = await collect(context, { retention: retentionOf(settings), maxBytes: limit });
    tell(context, done, { left: bytesIn(segments), limit });
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    context.listener.report({ code: "store-not-tidied", stored, limit, problem: error });
  }
  remember(stamp, bytesIn(segments));
}

async function collect(
  context: AppContext,
  request: { readonly retention: Retention; readonly maxBytes: number },
): Promise<CollectedGarbage | undefined> {
  const { openSnapshotUpkeep } = await import("../../open-files.ts");
  const upkeep = openSnapshotUpkeep({ home: context.home, name: "worldline", waitMs: WAIT_MS });
  const { listener } = context;
  const onProgress = (done: number, of: number) => listener.progress({ doing: "collect", done, of });
  try {
    return (await upkeep.collect({ ...request, onProgress }, async () => "yes")).done;
  } finally {
    listener.progress("done");
    upkeep.close();
  }
}

function tell(
  { listener }: AppContext,
  done: CollectedGarbage | undefined,
  { left, limit }: { readonly left: number; readonly limit: number },
): void {
  const { released = [], freedBytes = 0 } = done ?? {};
  if (released.length > 0) listener.report({ code: "store-released", refs: released });
  if (freedBytes > 0) listener.report({ code: "store-tidied", freed: freedBytes, limit });
  if (left > limit) listener.report({ code: "store-still-over", stored: left, limit });
}

/** Uses `stat` instead of opening the segments, because every command that captures files calls this function. */
function bytesIn(segments: string): number {
  let bytes = 0;
  for (const name of orNone(() => readdirSync(segments)) ?? []) {
    if (name.endsWith(".seg")) bytes += orNone(() => statSync(join(segments, name)).size) ?? 0;
  }
  return bytes;
}

/**
 * Checks whether it is too soon for another collection, which is slow because it walks all snapshots. Within ten
 * minutes of the last collection, another one runs only if the store is more than 20% larger than both its limit and
 * its size after the last collection.
 */
function isTooSoon(stamp: string, { stored, limit }: { stored: number; limit: number }): boolean {
  const at = orNone(() => statSync(stamp).mtimeMs);
  if (at === undefined || Math.abs(systemClock.now() - at) >= PAUSE_MS) return false;
  const left = Number(orNone(() => readFileSync(stamp, "utf8")));
  return stored <= FAR_OVER * Math.max(limit, Number.isFinite(left) ? left : 0);
}

/** Writes the stamp. The stamp only saves time, so if it cannot be written, the next command simply collects again. */
function remember(stamp: string, left: number): void {
  orNone(() => writeFileSync(stamp, `${left}\n`, { mode: 0o600 }));
}

/** Returns undefined on any system error, because another process may be removing the file. */
function orNone<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** Options for reporting the progress of a capture or a restore, and for canceling it. */
export interface Patience {
  readonly onProgress: (progress: FilesProgress) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs slow work on files and reports its progress. Cancels the work if the user requests it and the work allows it.
 */
export async function patiently<Result>(
  { listener, surroundings }: AppContext,
  work: (patience: Patience) => Promise<Result>,
  cancelled = surroundings.cancelled,
): Promise<Result> {
  const cancelling = new AbortController();
  // A canceled capture fails with this error.
  const cancel = () => cancelling.abort(new WorldlineError("cancelled", { left: "uncaptured" }));
  if (cancelled.aborted) cancel();
  else cancelled.addEventListener("abort", cancel);
  try {
    return await work({ onProgress: (each) => listener.progress(each), signal: cancelling.signal });
  } finally {
    cancelled.removeEventListener("abort", cancel);
    listener.progress("done");
  }
}
