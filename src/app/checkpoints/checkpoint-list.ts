import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CheckpointView,
  isSameList,
  newestCheckpoints,
  publishCheckpoints,
} from "../../machine/checkpoint-list.ts";
import { lastMomentLine, withSnapshotId } from "../../machine/files/intervals.ts";
import { filesAt, targetOfCheckpoint } from "../../machine/files/look.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import { type SnapshotId, toSeq } from "../../record/ids.ts";
import { isJsonObject } from "../../record/parts.ts";
import { checkpointsOf } from "../../timeline/checkpoints.ts";
import { seenChanges } from "../../travel/plan-files.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import type { AppContext } from "../context.ts";
import { withFilesIfAny } from "../files/files.ts";
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
  /** How many checkpoints there are in all. */
  readonly all: number;
}

/**
 * Lists the checkpoints of the session that a command works on, and, if requested, then those of the workspace's other
 * sessions by time, newest first.
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

/** A longer menu would scroll away. `worldline checkpoints` and `worldline executions` list the rest. */
const MAX_ROWS = 30;
const MAX_EXECUTIONS = 5;

export interface CheckpointMenu extends CheckpointList {
  readonly executions: readonly RestorableExecution[];
}

/**
 * The newest checkpoints of the workspace and the newest executions of programs in it, for a user who chooses one of
 * them. `in`: the front end that shows the menu, for the activity log.
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

/** The checkpoint that the user chose from a list. */
export function chosenCheckpoint({ view, checkpoint }: ListedCheckpoint): FoundCheckpoint {
  return { view, row: requireCheckpoint(view.outline, checkpoint.number) };
}

interface ListOptions {
  readonly store: LogStore;
  readonly session: SessionView | undefined;
  readonly others: readonly SessionView[];
  readonly steps: "shown" | "hidden";
  /** By default all. */
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
 * All sessions of one workspace use the same store of files. If it cannot be opened, only what it knows about the files
 * is missing.
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

/** The checkpoints of the first session, then those of all other sessions by time, newest first. */
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
   * How many paths differ between this checkpoint and the last known state of the files; absent if that takes too long
   * to compute.
   */
  readonly changedSince?: number;
}

/** Comparing is cheap if little has changed. After this time, the remaining rows are shown without counts. */
const PATIENCE_MS = 300;
const MAX_COMPARED = 30;

/** The files of every checkpoint of a session, by number, from a single read of the log. */
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

/** The last state of the files in the log, which after a journey is not the newest checkpoint's state. */
async function newestState(view: SessionView, files: WorkspaceFiles): Promise<SnapshotId | undefined> {
  const line = lastMomentLine(view.outline);
  const [stored] = line === 0 ? [] : await view.storedEntries([toSeq(line)]);
  const entry = stored === undefined ? undefined : await withSnapshotId(view, stored);
  const snapshot = entry !== undefined && "snapshot" in entry ? entry.snapshot : leftBy(entry);
  return snapshot !== undefined && (await files.has(snapshot)) ? snapshot : undefined;
}

function leftBy(entry: Entry | undefined): SnapshotId | undefined {
  return entry !== undefined && "left" in entry ? entry.left : undefined;
}

/** Adds which snapshots the store still has, and how many paths have changed since each of them. */
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

/** If a snapshot cannot be compared, only its number of changes is missing from the list. */
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

/** The machine layer's error, without the hint, which only applies to a rewind. */
async function whyNot(view: SessionView, files: WorkspaceFiles, checkpoint: number): Promise<WorldlineError> {
  try {
    await targetOfCheckpoint({ view, files }, checkpoint);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return new WorldlineError("checkpoint-files-unusable", { problem: error }, { cause: error });
  }
  return new WorldlineError("checkpoint-without-files", { checkpoint });
}

/** A checkpoint reference that users can type anywhere: `session:number`. */
export function placeOf({ view, row }: FoundCheckpoint): string {
  return `${view.id}:${row.number}`;
}

/** Checks whether `checkpoints/metadata.json` matches the log; undefined if it does. Only for sessions in files. */
export async function publishedFault(
  home: string,
  view: SessionView,
): Promise<"missing" | "unreadable" | "stale" | undefined> {
  if (view.outline.linesOf("checkpoint").length === 0) return undefined;
  const path = join(home, "sessions", view.id, "checkpoints", "metadata.json");
  const text = await readFile(path, "utf8").catch((error: unknown) => systemCode(error) ?? "EIO");
  // The list of a forked or imported session is first written when the session is opened.
  const { forkedFrom, imported } = view.header;
  if (text === "ENOENT") return forkedFrom === undefined && imported === undefined ? "missing" : undefined;
  const listed = parsePublished(text);
  if (listed === undefined) return "unreadable";
  const inLog = (await newestCheckpoints(view, Math.max(1, listed.length))).reverse();
  return isSameList(inLog, listed) ? undefined : "stale";
}

/**
 * Rewrites outdated lists of sessions that no running program holds, for example after the program was killed. The list
 * only repeats what the log contains, so a failed write does not fail the caller; `doctor` reports it.
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
