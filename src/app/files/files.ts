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

/** The files of a workspace, or why there are none to work with. */
export type FilesHere =
  | { readonly state: "on"; readonly files: WorkspaceFiles }
  | {
      /** "off": the settings say so. "unusable": this folder is not one to capture, or the store cannot be opened. */
      readonly state: "off" | "unusable";
      readonly files?: undefined;
      /** "touched": the folder is one that is not captured, and files that an agent's tools touch are followed all the same. */
      readonly tracked?: "touched";
      readonly error: WorldlineError;
    };

/** Whoever opens them closes them. */
export async function openFiles(context: AppContext, folder: string): Promise<FilesHere> {
  const { values } = await context.settings();
  if (!values.enableFileCheckpointing) {
    return { state: "off", error: new WorldlineError("checkpointing-off", {}) };
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
    return { state: "unusable", error: known, ...tracked };
  }
}

/** What a session's deps need to know where there are no files to give it. */
export function touchedIn(here: FilesHere): Pick<SessionContext, "touchedFiles"> {
  return isTouchedOnly(here) ? { touchedFiles: "follow" } : {};
}

export function isTouchedOnly(here: FilesHere): boolean {
  return here.state === "unusable" && here.tracked === "touched";
}

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

/** Why the files of a checkpoint were not captured, or not all of them; undefined if all were. */
export function whyNotCaptured(at: FilesAt): Remark | undefined {
  if (at.state === "pending" || at.state === "let-go") return remark("capture-never-made");
  return at.why === undefined ? undefined : { why: at.why, ...reasonFields(at) };
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

/** What the last journeys left can be brought back. */
const KEEP_JOURNEYS = 10;
/** The person waits for the next prompt, and the next command tries again. */
const WAIT_MS = 1_000;
const PAUSE_MS = 10 * 60 * 1_000;
const FAR_OVER = 1.2;

/** There is one store for all workspaces: one of them may have more kept by its own file, but not less for the others. */
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
 * Brings the store back under its limit, for a command that made it larger. Says what it let go of; where that cannot be done
 * now, or is not enough, it warns. The command has done its work by then, and does not fail by it.
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

/** As `stat` says, without opening any of them: this is asked by every command that captures. */
function bytesIn(segments: string): number {
  let bytes = 0;
  for (const name of orNone(() => readdirSync(segments)) ?? []) {
    if (name.endsWith(".seg")) bytes += orNone(() => statSync(join(segments, name)).size) ?? 0;
  }
  return bytes;
}

/**
 * Walking all snapshots takes its time, so it is not done at every command: only every ten minutes, or when there is a
 * fifth more than there may be, or than there was left the last time, when that was more.
 */
function isTooSoon(stamp: string, { stored, limit }: { stored: number; limit: number }): boolean {
  const at = orNone(() => statSync(stamp).mtimeMs);
  if (at === undefined || Math.abs(systemClock.now() - at) >= PAUSE_MS) return false;
  const left = Number(orNone(() => readFileSync(stamp, "utf8")));
  return stored <= FAR_OVER * Math.max(limit, Number.isFinite(left) ? left : 0);
}

/** Only saves time: where it cannot be written, the next command looks again. */
function remember(stamp: string, left: number): void {
  orNone(() => writeFileSync(stamp, `${left}\n`, { mode: 0o600 }));
}

/** Undefined where the disk says no: somebody else may be removing it. */
function orNone<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** What a capture or a restore is given, so that it reports its progress and can be cancelled. */
export interface Patience {
  readonly onProgress: (progress: FilesProgress) => void;
  readonly signal: AbortSignal;
}

/** Does work on files that takes its time: with progress, and stopped when the user cancels, where it can be. */
export async function patiently<Result>(
  { listener, surroundings }: AppContext,
  work: (patience: Patience) => Promise<Result>,
  cancelled = surroundings.cancelled,
): Promise<Result> {
  const cancelling = new AbortController();
  // With a reason of ours: it is what the capture is left with.
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
