import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CheckpointView,
  isSameList,
  newestCheckpoints,
  publishCheckpoints,
} from "../../machine/checkpoint-list.ts";
import { filesAt, targetOfCheckpoint } from "../../machine/files/look.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { EntryOf } from "../../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { isJsonObject } from "../../record/parts.ts";
import { checkpointsOf } from "../../timeline/checkpoints.ts";
import { seenChanges } from "../../travel/plan-files.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import type { AppContext } from "../context.ts";
import { withFilesIfAny } from "../files/files.ts";
import { filesKnownTo } from "../files/history.ts";
import { type Activity, noteActivity, systemCode } from "../places/home.ts";
import { chooseSession, requireSession, sessionsHere } from "../sessions/find-session.ts";
import { openStore, workerIn } from "../sessions/store.ts";
import { type RestorableExecution, restorableExecutions } from "./checkpoint-rows.ts";
import type { FoundCheckpoint } from "./find-checkpoint.ts";

export interface ListedCheckpoint extends CheckpointOfSession {
  readonly files: ListedFiles;
}

export interface CheckpointList {
  /** The session whose checkpoints come first; undefined if the workspace has no sessions. */
  readonly session: SessionView | undefined;
  readonly checkpoints: readonly ListedCheckpoint[];
  /** Total number of checkpoints. */
  readonly all: number;
}

/**
 * Lists the checkpoints in the session that a command works on. If requested, also lists the checkpoints in the
 * workspace's other sessions, newest first.
 */
export async function listCheckpoints(
  context: AppContext,
  { sessions, steps }: { readonly sessions: "one" | "all"; readonly steps: "shown" | "hidden" },
): Promise<CheckpointList> {
  const store = openStore(context);
  const session = await chooseSession(context, store);
  const others = sessions === "all" ? await sessionsHere(context, store) : [];
  return { session, ...(await listOf(context, { store, session, others, steps })) };
}

/**
 * Maximum number of rows in the menu, because a longer menu would scroll off the screen. `worldline checkpoints` and
 * `worldline executions` list the rest.
 */
const MAX_ROWS = 30;
const MAX_EXECUTIONS = 5;

export interface CheckpointMenu extends CheckpointList {
  readonly executions: readonly RestorableExecution[];
}

/**
 * Lists the newest checkpoints and the newest program executions in the workspace, so that the user can choose one.
 * `in`: the front end that shows the menu, for the activity log.
 */
export async function checkpointMenu(
  context: AppContext,
  { in: frontEnd }: Pick<Activity, "in">,
): Promise<CheckpointMenu> {
  const store = openStore(context);
  const executions = await restorableExecutions(store, await context.workspace(), MAX_EXECUTIONS);
  const session =
    executions.length === 0 ? await requireSession(context, store) : await chooseSession(context, store);
  await noteActivity(context.home, {
    did: "rewind-menu-opened",
    in: frontEnd,
    ...(session === undefined ? {} : { session: session.id }),
  });
  const others = await sessionsHere(context, store);
  const list = await listOf(context, { store, session, others, steps: "hidden", most: MAX_ROWS });
  if (list.all === 0 && executions.length === 0) throw new WorldlineError("no-checkpoints", {});
  return { session, ...list, executions };
}

/** Returns the checkpoint that the user chose from a list. */
export function chosenCheckpoint({ view, checkpoint }: ListedCheckpoint): FoundCheckpoint {
  return { view, row: requireCheckpoint(view.outline, checkpoint.number) };
}

interface ListOptions {
  readonly store: LogStore;
  readonly session: SessionView | undefined;
  readonly others: readonly SessionView[];
  readonly steps: "shown" | "hidden";
  /** Maximum number of checkpoints; by default, there is no limit. */
  readonly most?: number;
}

async function listOf(
  context: AppContext,
  { store, session, others, steps, most }: ListOptions,
): Promise<Pick<CheckpointList, "checkpoints" | "all">> {
  const views = session === undefined ? others : [session, ...others.filter(({ id }) => id !== session.id)];
  const all = await checkpointsIn(views, steps);
  await refreshPublished(context, store, views);
  const shown = all.slice(0, most);
  return { checkpoints: await withFilesOf(context, store, shown), all: all.length };
}

/**
 * Adds information about the files. All sessions in a workspace use the same snapshot store. If the store cannot be
 * opened, only the information from it is missing.
 */
async function withFilesOf(
  context: AppContext,
  store: LogStore,
  listed: readonly CheckpointOfSession[],
): Promise<readonly ListedCheckpoint[]> {
  const [first] = listed;
  if (first === undefined) return [];
  return withFilesIfAny(context, first.view.header.workspace, async (files) => {
    const known = new Map<SessionView, ReadonlyMap<number, ListedFiles>>();
    for (const view of new Set(listed.map((each) => each.view)))
      known.set(view, await filesOfCheckpoints(store, view, files));
    return listed.map((each) => ({
      ...each,
      files: known.get(each.view)?.get(each.checkpoint.number) ?? NONE,
    }));
  });
}

interface CheckpointOfSession {
  readonly view: SessionView;
  readonly checkpoint: CheckpointView;
}

/** Returns the first session's checkpoints, followed by the checkpoints in all other sessions, newest first. */
async function checkpointsIn(
  views: readonly SessionView[],
  steps: "shown" | "hidden",
): Promise<readonly CheckpointOfSession[]> {
  const listed: CheckpointOfSession[] = [];
  for (const view of views) {
    for (const checkpoint of await view.checkpoints()) {
      // A step with a label is always listed, because the user gave it that label to find it again.
      const isShown = checkpoint.on !== "step" || steps === "shown" || checkpoint.label !== undefined;
      if (isShown) listed.push({ view, checkpoint });
    }
  }
  const rank = ({ view }: CheckpointOfSession) => (view === views[0] ? 0 : 1);
  return listed.sort(
    (a, b) =>
      rank(a) - rank(b) || b.checkpoint.at - a.checkpoint.at || b.checkpoint.number - a.checkpoint.number,
  );
}

/** The state of a checkpoint's files, as shown in lists. */
export interface ListedFiles {
  /** "gone": the store has released the files, so only the conversation can be rewound to this checkpoint. */
  readonly state: "complete" | "partial" | "pending" | "none" | "gone";
  readonly snapshot?: SnapshotId;
  readonly why?: string;
  /**
   * Number of paths that differ between this checkpoint and the last known state of the files; absent if it takes too
   * long to compute.
   */
  readonly changedSince?: number;
}

/**
 * Time limit for counting changes. After this time, the remaining rows are shown without counts. Counting is fast if
 * few files have changed.
 */
const PATIENCE_MS = 300;
const MAX_COMPARED = 30;

/** Returns the state of the files at every checkpoint in a session, by checkpoint number. Reads the log only once. */
async function filesOfCheckpoints(
  store: LogStore,
  view: SessionView,
  files: WorkspaceFiles | undefined,
): Promise<ReadonlyMap<number, ListedFiles>> {
  const listed = new Map(checkpointsOf(view.outline).map(({ number }) => [number, NONE]));
  const last = [...listed.keys()].at(-1);
  const isWritten = (await workerIn(store, view.id)) !== undefined;
  if (last !== undefined && isWritten) listed.set(last, { state: "pending" });
  for (const entry of await view.entriesOf("snapshot")) {
    if (listed.has(entry.checkpoint)) listed.set(entry.checkpoint, saidBy(entry));
  }
  return files === undefined ? listed : withStore(listed, files, await newestState(view, files));
}

const NONE: ListedFiles = { state: "none" };

function saidBy({ state, snapshot, why }: EntryOf<"snapshot">): ListedFiles {
  return {
    state: snapshot === undefined ? "none" : state,
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(why === undefined ? {} : { why }),
  };
}

/**
 * Returns the last state of the files in the log, if the store still has it. After a journey, this is not the newest
 * checkpoint's state.
 */
export async function newestState(
  view: SessionView,
  files: Pick<WorkspaceFiles, "has">,
): Promise<SnapshotId | undefined> {
  const snapshot = await filesKnownTo(view);
  return snapshot !== undefined && (await files.has(snapshot)) ? snapshot : undefined;
}

/** Checks which snapshots the store still has, and counts the paths that have changed since each of them. */
async function withStore(
  listed: ReadonlyMap<number, ListedFiles>,
  files: WorkspaceFiles,
  last: SnapshotId | undefined,
): Promise<ReadonlyMap<number, ListedFiles>> {
  const checked = new Map<number, ListedFiles>();
  const started = performance.now();
  let compared = 0;
  let newest = last;
  for (const [number, each] of [...listed].toReversed()) {
    const { snapshot } = each;
    if (snapshot === undefined) checked.set(number, each);
    else if (!(await files.has(snapshot))) checked.set(number, { ...each, state: "gone" });
    else {
      newest ??= snapshot;
      const isCheap = compared < MAX_COMPARED && performance.now() - started < PATIENCE_MS;
      compared += 1;
      checked.set(number, isCheap ? { ...each, ...(await changedSince(files, snapshot, newest)) } : each);
    }
  }
  return checked;
}

/**
 * Counts the changes since a snapshot. If the snapshot cannot be compared, only this count is missing from the list.
 */
async function changedSince(
  files: WorkspaceFiles,
  snapshot: SnapshotId,
  newest: SnapshotId,
): Promise<Pick<ListedFiles, "changedSince">> {
  try {
    return { changedSince: seenChanges(await files.compare(snapshot, newest)).length };
  } catch (error) {
    if (isWorldlineError(error)) return {};
    throw error;
  }
}

/** The snapshot of the checkpoint that the user named, for a command that only reads the snapshot. */
interface SnapshotOf {
  readonly snapshot: SnapshotId;
  readonly state: "complete" | "partial";
}

export async function snapshotOf({ view, row }: FoundCheckpoint, files: WorkspaceFiles): Promise<SnapshotOf> {
  const at = await filesAt(view, files, row.number);
  if (at.state === "complete" || at.state === "partial") return { snapshot: at.snapshot, state: at.state };
  throw await whyNot(view, files, row.number);
}

/** Returns the machine layer's error without its hint, which applies only to a rewind. */
async function whyNot(view: SessionView, files: WorkspaceFiles, checkpoint: number): Promise<WorldlineError> {
  try {
    await targetOfCheckpoint({ view, files }, checkpoint);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return new WorldlineError("checkpoint-files-unusable", { problem: error }, { cause: error });
  }
  return new WorldlineError("checkpoint-without-files", { checkpoint });
}

/** Returns a checkpoint reference that users can type anywhere, in the form `session:number`. */
export function placeOf({ view, row }: FoundCheckpoint): string {
  return `${view.id}:${row.number}`;
}

/**
 * Returns what is wrong with `checkpoints/metadata.json`, or undefined if the file matches the log. Applies only to
 * sessions that are stored in files.
 */
export async function publishedFault(
  home: string,
  view: SessionView,
): Promise<"missing" | "unreadable" | "stale" | undefined> {
  if (view.outline.linesOf("checkpoint").length === 0) return undefined;
  const path = join(home, "sessions", view.id, "checkpoints", "metadata.json");
  const text = await readFile(path, "utf8").catch((error: unknown) => systemCode(error) ?? "EIO");
  // For a forked or imported session, the list is not written until the session is first opened.
  const { forkedFrom, imported } = view.header;
  if (text === "ENOENT") return forkedFrom === undefined && imported === undefined ? "missing" : undefined;
  const listed = parsePublished(text);
  if (listed === undefined) return "unreadable";
  const inLog = (await newestCheckpoints(view, Math.max(1, listed.length))).reverse();
  return isSameList(inLog, listed) ? undefined : "stale";
}

/**
 * Rewrites the outdated checkpoint lists of sessions that no running program holds, for example after a program was
 * killed. The list only repeats what the log contains, so a failed write does not make the caller fail. `doctor`
 * reports an outdated list.
 */
async function refreshPublished(
  context: AppContext,
  store: LogStore,
  views: readonly SessionView[],
): Promise<void> {
  if (store.place.kind !== "files") return;
  for (const view of views) {
    if ((await publishedFault(context.home, view)) === undefined) continue;
    const holder = await store.holder(view.id);
    if (holder !== undefined && holder.life !== "dead") continue;
    const { values } = await context.settings();
    await publishCheckpoints(view, store, values.checkpointKeepCount);
  }
}

function parsePublished(text: string): Parameters<typeof isSameList>[1] | undefined {
  try {
    const document: unknown = JSON.parse(text);
    const checkpoints = isJsonObject(document) ? document["checkpoints"] : undefined;
    if (!Array.isArray(checkpoints)) return undefined;
    return checkpoints.map((each: unknown) => {
      const { id, description } = isJsonObject(each) ? each : {};
      return { id: String(id), description: String(description) };
    });
  } catch {
    return undefined;
  }
}
