import { lastMomentLine, MOMENT_KINDS, withSnapshotId } from "../../machine/files/intervals.ts";
import type { SessionView } from "../../machine/view.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Author, Entry } from "../../record/entry.ts";
import { type FileState, isSameState, type PathBytes } from "../../record/files.ts";
import { type SnapshotId, toSeq } from "../../record/ids.ts";

/** A point in time when the state of the files is known. */
export interface Moment {
  readonly view: SessionView;
  /** Time in milliseconds since 1970. */
  readonly at: number;
  readonly snapshot: SnapshotId;
  /** Who changed the files since the previous state. "journey" stands for a restore by Worldline. */
  readonly author: Author | "journey";
  /** The checkpoint that recorded the files; undefined if a journey recorded them before or after its restore. */
  readonly checkpoint?: number;
}

/** A change to one path. */
export interface PathMoment extends Moment {
  readonly what: "created" | "deleted" | "changed";
  readonly state: FileState | undefined;
}

/** Returns the moments in a session for which the store still has a snapshot, oldest first. */
export async function momentsOf(
  view: SessionView,
  files: Pick<WorkspaceFiles, "has">,
): Promise<readonly Moment[]> {
  const lines = MOMENT_KINDS.flatMap((kind) => view.outline.linesOf(kind)).sort((a, b) => a - b);
  const moments: Moment[] = [];
  for (const entry of await view.storedEntries(lines)) {
    const moment = momentIn(view, entry);
    if (moment !== undefined && (await files.has(moment.snapshot))) moments.push(moment);
  }
  return moments;
}

function momentIn(view: SessionView, entry: Entry): Moment | undefined {
  const known = { view, at: Date.parse(entry.at) };
  if (entry.kind === "snapshot" && entry.snapshot !== undefined) {
    const { snapshot, author, checkpoint } = entry;
    return { ...known, snapshot, author, checkpoint };
  }
  if (entry.kind === "interval") return { ...known, snapshot: entry.snapshot, author: entry.author };
  if (entry.kind === "restored" && entry.snapshot !== undefined)
    return { ...known, snapshot: entry.snapshot, author: "journey" };
  if (!(entry.kind === "backtrack" || entry.kind === "rewind" || entry.kind === "redo")) return undefined;
  return entry.left === undefined
    ? undefined
    : { ...known, snapshot: entry.left, author: entry.leftAuthor ?? "outside" };
}

/** Returns the known changes to a path, oldest first. */
export async function changesOf(
  path: PathBytes,
  moments: readonly Moment[],
  files: Pick<WorkspaceFiles, "stateAt">,
): Promise<readonly PathMoment[]> {
  const changes: PathMoment[] = [];
  let before: FileState | undefined;
  let last: SnapshotId | undefined;
  for (const moment of moments) {
    if (moment.snapshot === last) continue;
    last = moment.snapshot;
    const state = await files.stateAt(moment.snapshot, path);
    if (!isSame(before, state)) changes.push({ ...moment, state, what: whatOf(before, state) });
    before = state;
  }
  return changes;
}

/** Checks whether two states are the same. Two folders are the same only if their contents are the same. */
function isSame(a: FileState | undefined, b: FileState | undefined): boolean {
  if (a?.kind === "folder" && b?.kind === "folder") return a.hash === b.hash && a.mode === b.mode;
  return isSameState(a, b);
}

function whatOf(before: FileState | undefined, after: FileState | undefined): PathMoment["what"] {
  if (before === undefined) return "created";
  return after === undefined ? "deleted" : "changed";
}

/** Returns the last state of the files that the session's log records. */
export async function filesKnownTo(session: SessionView): Promise<SnapshotId | undefined> {
  const line = lastMomentLine(session.outline);
  const [stored] = line === 0 ? [] : await session.storedEntries([toSeq(line)]);
  if (stored === undefined) return undefined;
  const entry = await withSnapshotId(session, stored);
  if ("snapshot" in entry) return entry.snapshot;
  return "left" in entry ? entry.left : undefined;
}
