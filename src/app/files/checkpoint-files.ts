import { lastMomentLine, withSnapshotId } from "../../machine/files/intervals.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import { type SnapshotId, toSeq } from "../../record/ids.ts";
import { checkpointsOf } from "../../timeline/checkpoints.ts";
import { seenChanges } from "../../travel/plan-files.ts";
import { workerIn } from "../sessions/holder.ts";

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
const MOST_COMPARED = 30;

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
      const isCheap = compared < MOST_COMPARED && performance.now() - started < PATIENCE_MS;
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
