import type { Draft } from "../record/entry.ts";
import type { EntryId, Seq, SnapshotId } from "../record/ids.ts";

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
  /** Takes the files to a snapshot. */
  | { readonly do: "restore"; readonly snapshot: SnapshotId }
  /** Begins a new session with a copy of these lines. */
  | { readonly do: "copy"; readonly lines: readonly Seq[]; readonly place: EntryId };

/** The present as it was captured before planning: what `redo` will bring back. */
export interface Present {
  readonly snapshot?: SnapshotId;
}
