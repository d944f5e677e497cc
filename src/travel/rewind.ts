import type { Author, Choice, Draft, RewindBody, Scope } from "../record/entry.ts";
import { WorldlineError } from "../record/error.ts";
import type { OutsideChange } from "../record/files.ts";
import {
  type CheckpointNumber,
  type EntryId,
  type Seq,
  type SnapshotId,
  toCheckpointNumber,
} from "../record/ids.ts";
import { checkpointsOf, findCheckpoint } from "../timeline/checkpoints.ts";
import { nearest, type Outline } from "../timeline/outline.ts";
import type { Row } from "../timeline/row.ts";

/**
 * A journey that has been decided but not performed yet. The current files are captured before planning, and the log is
 * written before the workspace is touched. Therefore, after a crash at any point, the session can still be opened, and
 * the captured files can still be restored.
 */
export interface Journey {
  readonly reason: "backtrack" | "rewind" | "redo" | "compaction" | "fork";
  readonly moves: readonly Move[];
}

type Move =
  /** Appends an entry after `parent`. The branch of `parent` becomes the current branch. */
  | { readonly do: "append"; readonly parent: EntryId; readonly body: Draft }
  /** Starts a new session with a copy of these lines. */
  | { readonly do: "copy"; readonly lines: readonly Seq[]; readonly place: EntryId };

/**
 * The current state of the files, captured before planning so that `redo` can restore it. The snapshot is absent if
 * the files could not be captured.
 */
export interface Present {
  readonly snapshot?: SnapshotId;
  /** Who has changed the files since the previous state. */
  readonly author?: Author;
  readonly gitHead?: string;
  /** Files that no snapshot covers, with their current states and the states that the journey will restore. */
  readonly outside?: readonly OutsideChange[];
}

type Left = Pick<RewindBody, "left" | "leftAuthor" | "leftGitHead" | "outside">;

/** The fields of a journey's entry that record the state that it left. */
export function leftOf({ snapshot, author, gitHead, outside = [] }: Present): Left {
  return {
    ...(snapshot === undefined ? {} : { left: snapshot }),
    // The author is recorded even if the files could not be captured, because the next state also covers this interval.
    ...(author === undefined ? {} : { leftAuthor: author }),
    ...(snapshot === undefined || gitHead === undefined ? {} : { leftGitHead: gitHead }),
    ...(outside.length === 0 ? {} : { outside }),
  };
}

interface RewindRequest {
  readonly to: number;
  readonly scope: Scope;
  /** The files and folders that the rewind is limited to, encoded by `limitTexts`. */
  readonly only?: readonly string[];
  readonly choice?: Choice;
  /** Another agent whose own file checkpoints restore the files. */
  readonly through?: string;
}

/**
 * Plans a rewind without performing it. Every checkpoint is allowed, including checkpoints on abandoned branches and
 * before a compaction.
 */
export function planRewind(outline: Outline, request: RewindRequest, present: Present): Journey {
  const target = requireCheckpoint(outline, request.to);
  const head = requireHead(outline);
  // If the rewind includes files, there may still be files to restore. Only a caller that compares the files can
  // determine this.
  if (request.scope === "conversation" && isAlreadyThere(outline, target)) {
    throw new WorldlineError("already-at-checkpoint", { checkpoint: request.to });
  }
  const place = request.scope === "files" ? head : target;
  const { scope, only, choice, through } = request;
  const body = {
    kind: "rewind",
    to: numberOf(target),
    from: head.id,
    scope,
    ...leftOf(present),
    ...(only === undefined ? {} : { only }),
    ...(choice === undefined ? {} : { choice }),
    ...(through === undefined ? {} : { through }),
  } as const;
  return { reason: "rewind", moves: [{ do: "append", parent: place.id, body }] };
}

export function requireCheckpoint(outline: Outline, number: number): Row {
  const target = findCheckpoint(outline, number);
  if (target === undefined) throw checkpointUnknown(String(number), outline);
  return target;
}

export function checkpointUnknown(wanted: string, outline: Outline): WorldlineError {
  const known = rangesOf(checkpointsOf(outline).map((place) => place.number));
  return new WorldlineError("checkpoint-unknown", { wanted, known });
}

/**
 * The maximum number of ranges to show. Only the newest ranges are shown, because a longer list would not be useful.
 */
const MAX_RANGES = 12;

/** Renders numbers as ranges, such as `1-4, 7`, because a session may have 10,000 checkpoints. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const open = ranges.at(-1);
    if (open !== undefined && number <= open.last + 1) open.last = number;
    else ranges.push({ first: number, last: number });
  }
  const newest = ranges.slice(-MAX_RANGES);
  const words = newest.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
  return [...(newest.length < ranges.length ? ["…"] : []), ...words].join(", ");
}

export function requireHead(outline: Outline): Row {
  if (outline.head === undefined) throw new WorldlineError("log-without-lines", {});
  return outline.head;
}

/**
 * Checks whether the conversation is already at the checkpoint. This is the case if the checkpoint is followed only by
 * the rewind to it and by entries that do not change the conversation.
 */
export function isAlreadyThere(outline: Outline, target: Row): boolean {
  const last = nearest(outline, outline.head, (row) => !isBeside(outline, row));
  const place = last?.kind === "rewind" ? outline.at(last.parent) : last;
  return place?.seq === target.seq;
}

const ABOUT_FILES: ReadonlySet<string> = new Set(["restored", "snapshot", "interval"]);

/**
 * Checks whether the entry leaves the conversation unchanged, because it is about files, a deleted checkpoint, or
 * another agent's progress.
 */
function isBeside(outline: Outline, row: Row): boolean {
  if (row.kind === "notice") return outline.at(row.parent)?.kind === "restored";
  return ABOUT_FILES.has(row.kind) || row.kind === "host" || row.kind === "checkpoint-delete";
}

function numberOf(checkpoint: Row): CheckpointNumber {
  return toCheckpointNumber(checkpoint.number);
}
