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
import type { AppContext } from "../context.ts";
import { systemCode } from "../places/home.ts";
import { workerIn } from "../sessions/store.ts";
import type { FoundCheckpoint } from "./find-checkpoint.ts";

export interface ListedCheckpoint {
  readonly view: SessionView;
  readonly checkpoint: CheckpointView;
}

/** The checkpoints of the first session, then those of all others by time; newest first. */
export async function listCheckpoints(
  views: readonly SessionView[],
  { steps }: { readonly steps: "shown" | "hidden" },
): Promise<readonly ListedCheckpoint[]> {
  const listed: ListedCheckpoint[] = [];
  for (const view of views) {
    for (const checkpoint of await view.checkpoints()) {
      // A step that somebody named is a place that somebody wants to find.
      const isShown = checkpoint.on !== "step" || steps === "shown" || checkpoint.label !== undefined;
      if (isShown) listed.push({ view, checkpoint });
    }
  }
  const rank = ({ view }: ListedCheckpoint) => (view === views[0] ? 0 : 1);
  return listed.sort(
    (a, b) =>
      rank(a) - rank(b) || b.checkpoint.at - a.checkpoint.at || b.checkpoint.number - a.checkpoint.number,
  );
}

/** What a list says of a checkpoint's files. */
export interface ListedFiles {
  /** "gone": let go by the store, so that the checkpoint is one of the conversation only. */
  readonly state: "complete" | "partial" | "pending" | "none" | "gone";
  readonly snapshot?: SnapshotId;
  readonly why?: string;
  /** How many paths differ between it and the files as they were known last, where that was cheap to find out. */
  readonly changedSince?: number;
}

/** Comparing is cheap where little differs. After this long the rest of a list goes without. */
const PATIENCE_MS = 300;
const MAX_COMPARED = 30;

/** The files of every checkpoint of a session, by number, in one reading of the log. */
export async function filesOfCheckpoints(
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

/** The files as the log has them last: after a journey that is not the newest checkpoint. */
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

/** What the store still has, and how far it is from the newest. */
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

/** A snapshot that cannot be compared costs the list this number, and nothing else. */
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

/** The snapshot of a checkpoint that was named, for a command that only looks. */
interface SnapshotOf {
  readonly snapshot: SnapshotId;
  readonly state: "complete" | "partial";
}

export async function snapshotOf({ view, row }: FoundCheckpoint, files: WorkspaceFiles): Promise<SnapshotOf> {
  const at = await filesAt(view, files, row.number);
  if (at.state === "complete" || at.state === "partial") return { snapshot: at.snapshot, state: at.state };
  throw await whyNot(view, files, row.number);
}

/** In the words of the machine, without the way out that only a rewind has. */
async function whyNot(view: SessionView, files: WorkspaceFiles, checkpoint: number): Promise<WorldlineError> {
  try {
    await targetOfCheckpoint({ view, files }, checkpoint);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return new WorldlineError("checkpoint-files-unusable", { problem: error }, { cause: error });
  }
  return new WorldlineError("checkpoint-without-files", { checkpoint });
}

/** What people call it: `#12` of the session that it is in. */
export function placeOf({ view, row }: FoundCheckpoint): string {
  return `${view.id}:${row.number}`;
}

/** Whether `checkpoints/metadata.json` lists what the log has; undefined where it does. Only for sessions in files. */
export async function publishedFault(
  home: string,
  view: SessionView,
): Promise<"missing" | "unreadable" | "stale" | undefined> {
  if (view.outline.linesOf("checkpoint").length === 0) return undefined;
  const path = join(home, "sessions", view.id, "checkpoints", "metadata.json");
  const text = await readFile(path, "utf8").catch((error: unknown) => systemCode(error) ?? "EIO");
  // A copy or an import gets its list when it is opened for the first time.
  const { forkedFrom, imported } = view.header;
  if (text === "ENOENT") return forkedFrom === undefined && imported === undefined ? "missing" : undefined;
  const listed = parsePublished(text);
  if (listed === undefined) return "unreadable";
  const inLog = (await newestCheckpoints(view, Math.max(1, listed.length))).reverse();
  return isSameList(inLog, listed) ? undefined : "stale";
}

/**
 * Brings the lists of sessions up to date that no living program holds, as after a kill. It is a copy of the log: one that
 * cannot be written costs the caller nothing, and `doctor` reports it.
 */
export async function refreshPublished(
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
