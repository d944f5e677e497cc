import type { Author, Draft, RewindBody } from "../record/entry.ts";
import type { EntryId, Seq, SnapshotId } from "../record/ids.ts";
import type { OutsideChange } from "../record/outside.ts";

/**
 * A journey, decided but not yet made. The present was captured before planning and the log is
 * written before the workspace is touched, so a crash after any move leaves a session that
 * opens and a present that can be found again.
 */
export interface Journey {
  readonly reason: "backtrack" | "rewind" | "redo" | "compaction" | "fork";
  readonly moves: readonly Move[];
}

export type Move =
  /** Appends an entry below `parent`, which becomes the head's branch. */
  | { readonly do: "append"; readonly parent: EntryId; readonly body: Draft }
  /** Begins a new session with a copy of these lines. */
  | { readonly do: "copy"; readonly lines: readonly Seq[]; readonly place: EntryId };

/** The present as it was captured before planning: what `redo` will bring back. Without a snapshot where it could not be. */
export interface Present {
  readonly snapshot?: SnapshotId;
  /** Who changed the files since the state before it. */
  readonly author?: Author;
  readonly gitHead?: string;
  /** Files where no snapshot reaches: as they are, and as the journey is to leave them. */
  readonly outside?: readonly OutsideChange[];
}

type Left = Pick<RewindBody, "left" | "leftAuthor" | "leftGitHead" | "outside">;

/** What a journey's entry says of the present that it left. */
export function leftOf({ snapshot, author, gitHead, outside = [] }: Present): Left {
  return {
    ...(snapshot === undefined ? {} : { left: snapshot }),
    // Who changed the files counts also where they could not be captured: the next state's interval covers both.
    ...(author === undefined ? {} : { leftAuthor: author }),
    ...(snapshot === undefined || gitHead === undefined ? {} : { leftGitHead: gitHead }),
    ...(outside.length === 0 ? {} : { outside }),
  };
}
