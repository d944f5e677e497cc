import type { SessionView } from "../machine/view.ts";
import type { Captured, WorkspaceFiles } from "../ports/workspace-files.ts";
import type { Author, Entry } from "../record/entry.ts";
import type { Seq, SessionId, SnapshotId } from "../record/ids.ts";

/** A checkpoint whose files are known. */
export interface CheckpointPlace {
  readonly session: SessionId;
  readonly checkpoint: number;
  /** Milliseconds since 1970: when its files were captured. */
  readonly at: number;
  /** Of the entry that says how the files were. */
  readonly line: Seq;
  readonly author: Author;
}

/** How the workspace was at some time. */
export interface WorkspaceState {
  readonly snapshot: SnapshotId;
  readonly kind: "then" | "present";
  readonly captured: "complete" | "partial";
  readonly at: number;
  /** The checkpoints that have it, oldest first; none for a present that no checkpoint has. */
  readonly places: readonly CheckpointPlace[];
}

export interface StatesRequest {
  /** All sessions of the workspace. */
  readonly views: readonly SessionView[];
  readonly files: Pick<WorkspaceFiles, "has">;
  readonly present: Captured;
  readonly now: number;
}

/** The states of the workspace by time, the present last. What did not change anything is no state of its own. */
export async function statesOf({
  views,
  files,
  present,
  now,
}: StatesRequest): Promise<readonly WorkspaceState[]> {
  const moments: Moment[] = [];
  for (const view of views) moments.push(...(await momentsIn(view)));
  const states: WorkspaceState[] = [];
  for (const { snapshot, captured, ...place } of moments.sort((a, b) => a.at - b.at)) {
    if (!(await files.has(snapshot))) continue;
    const last = states.at(-1);
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
}

/** The last word on each checkpoint's files. In the order of the log, whatever its clock said. */
async function momentsIn(view: SessionView): Promise<readonly Moment[]> {
  const byCheckpoint = new Map<number, Moment>();
  for (const entry of await view.entries(view.outline.linesOf("snapshot"))) {
    const moment = momentOf(view.id, entry);
    if (moment !== undefined) byCheckpoint.set(moment.checkpoint, moment);
  }
  let latest = 0;
  return [...byCheckpoint.values()]
    .sort((a, b) => a.line - b.line)
    .map((moment) => {
      latest = Math.max(latest, moment.at);
      return { ...moment, at: latest };
    });
}

function momentOf(session: SessionId, entry: Entry): Moment | undefined {
  if (entry.kind !== "snapshot" || entry.state === "none" || entry.snapshot === undefined) return undefined;
  const { checkpoint, author, seq, snapshot, state } = entry;
  return { session, checkpoint, at: Date.parse(entry.at), line: seq, author, snapshot, captured: state };
}
