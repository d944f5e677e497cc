import { withSnapshotId } from "../machine/files/intervals.ts";
import type { SessionView } from "../machine/view.ts";
import type { Captured, WorkspaceFiles } from "../ports/workspace-files.ts";
import type { Author, Entry } from "../record/entry.ts";
import type { EntryId, Seq, SessionId, SnapshotId } from "../record/ids.ts";
import { nearest } from "../timeline/outline.ts";
import { isCheckpoint } from "../timeline/row.ts";

/** A checkpoint whose files are known, or the result of a journey. */
export interface CheckpointPlace {
  readonly session: SessionId;
  /**
   * The number of the checkpoint. For a journey, this is the last checkpoint with the same files. If there is none, it
   * is the journey's target or the last checkpoint before the journey.
   */
  readonly checkpoint: number;
  /** When the files were captured, in milliseconds since 1970. */
  readonly at: number;
  /** The log line of the entry that records the files. */
  readonly line: Seq;
  readonly author: Author;
}

/** A state of the workspace's files at some point in time. */
export interface WorkspaceState {
  readonly snapshot: SnapshotId;
  readonly kind: "then" | "present";
  readonly captured: "complete" | "partial";
  readonly at: number;
  /**
   * The checkpoints with these files, oldest first. For the present, the list is empty if no checkpoint has these
   * files.
   */
  readonly places: readonly CheckpointPlace[];
}

export interface StatesRequest {
  /** All sessions of the workspace. */
  readonly views: readonly SessionView[];
  readonly files: Pick<WorkspaceFiles, "has" | "gaps">;
  readonly present: Captured;
  readonly now: number;
}

/**
 * Returns the workspace's states in chronological order, with the present last. Consecutive checkpoints with the same
 * files share one state.
 */
export async function statesOf({
  views,
  files,
  present,
  now,
}: StatesRequest): Promise<readonly WorkspaceState[]> {
  const moments: Moment[] = [];
  for (const view of views) moments.push(...(await momentsIn(view, files)));
  const states: WorkspaceState[] = [];
  for (const { snapshot, captured, by, ...place } of moments.sort((a, b) => a.at - b.at)) {
    if (!(await files.has(snapshot))) continue;
    const last = states.at(-1);
    // A journey that changed no files does not add a place to the state.
    if (last?.snapshot === snapshot && by === "journey") continue;
    if (last?.snapshot === snapshot) states[states.length - 1] = { ...last, places: [...last.places, place] };
    else states.push({ snapshot, kind: "then", captured, at: place.at, places: [place] });
  }
  const last = states.at(-1);
  if (last?.snapshot === present.snapshot) {
    return [...states.slice(0, -1), { ...last, kind: "present", captured: present.state }];
  }
  const { snapshot, state: captured } = present;
  return [...states, { snapshot, kind: "present", captured, at: now, places: [] }];
}

interface Moment extends CheckpointPlace {
  readonly snapshot: SnapshotId;
  readonly captured: WorkspaceState["captured"];
  readonly by: "checkpoint" | "journey";
}

/** Returns a session's moments in the order of the log, even if the clock was set back. */
async function momentsIn(view: SessionView, files: StatesRequest["files"]): Promise<readonly Moment[]> {
  const checkpoints = await checkpointsIn(view);
  const journeys = await journeysIn(view, files);
  const named = journeys.map((moment) => {
    const same = checkpoints.findLast(
      ({ snapshot, line }) => snapshot === moment.snapshot && line < moment.line,
    );
    return same === undefined ? moment : { ...moment, checkpoint: same.checkpoint };
  });
  let latest = 0;
  return [...checkpoints, ...named]
    .sort((a, b) => a.line - b.line)
    .map((moment) => {
      latest = Math.max(latest, moment.at);
      return { ...moment, at: latest };
    });
}

/**
 * Returns the last entry about each checkpoint's files. If several entries in a row have the same snapshot, the first
 * one counts.
 */
async function checkpointsIn(view: SessionView): Promise<readonly Moment[]> {
  const byCheckpoint = new Map<number, Moment>();
  for (const entry of await view.entries(view.outline.linesOf("snapshot"))) {
    const moment = momentOf(view.id, entry);
    if (moment === undefined || byCheckpoint.get(moment.checkpoint)?.snapshot === moment.snapshot) continue;
    byCheckpoint.set(moment.checkpoint, moment);
  }
  return [...byCheckpoint.values()];
}

/** Returns the results of journeys. Without them, states that were reached only through a journey would be missing. */
async function journeysIn(view: SessionView, files: StatesRequest["files"]): Promise<readonly Moment[]> {
  const moments: Moment[] = [];
  for (const stored of await view.storedEntries(view.outline.linesOf("restored"))) {
    const entry = await withSnapshotId(view, stored);
    const checkpoint = entry.kind === "restored" ? await checkpointOf(view, entry.journey) : undefined;
    if (entry.kind !== "restored" || entry.snapshot === undefined || checkpoint === undefined) continue;
    const { snapshot, seq: line } = entry;
    if (!(await files.has(snapshot))) continue;
    const captured = (await files.gaps(snapshot)).length === 0 ? "complete" : "partial";
    const place = { session: view.id, checkpoint, at: Date.parse(entry.at), line };
    moments.push({ ...place, author: "timeline", snapshot, captured, by: "journey" });
  }
  return moments;
}

async function checkpointOf(view: SessionView, journey: EntryId): Promise<number | undefined> {
  const row = view.outline.byId(journey);
  const [entry] = row === undefined ? [] : await view.storedEntries([row.seq]);
  if (entry?.kind === "rewind" || entry?.kind === "backtrack") return entry.to;
  return nearest(view.outline, row, isCheckpoint)?.number;
}

function momentOf(session: SessionId, entry: Entry): Moment | undefined {
  if (entry.kind !== "snapshot" || entry.state === "none" || entry.snapshot === undefined) return undefined;
  const { checkpoint, author, seq, snapshot, state } = entry;
  const place = { session, checkpoint, at: Date.parse(entry.at), line: seq };
  return { ...place, author, snapshot, captured: state, by: "checkpoint" };
}
