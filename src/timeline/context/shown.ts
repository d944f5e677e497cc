import type { Entry, EntryOf } from "../../record/entry.ts";
import { type Seq, toSeq } from "../../record/ids.ts";
import { branchOf, nearest } from "../branch.ts";
import type { Outline, Row } from "../outline.ts";

/** Which lines a context is made of. The compaction, if any, must be read first: it says where to begin. */
export interface ShownLines {
  readonly session: Seq;
  readonly compaction?: Seq;
  readonly pinned: readonly Seq[];
  readonly entries: readonly Seq[];
}

export function lastCompaction(outline: Outline, head: Row | undefined): Row | undefined {
  return nearest(outline, head, (row) => row.kind === "compaction");
}

/** The lines to read for the context at `head`. */
export function shownLines(
  outline: Outline,
  head: Row | undefined,
  compaction: EntryOf<"compaction"> | undefined,
): ShownLines {
  const branch = branchOf(outline, head);
  const session = toSeq(1);
  const withoutSession = branch.filter((row) => row.kind !== "session");
  if (compaction === undefined) return { session, pinned: [], entries: withoutSession.map((row) => row.seq) };
  const firstKept = outline.byId(compaction.firstKept);
  // Should the first kept line be lost, the compaction itself is where the shown part begins.
  const start = firstKept?.seq ?? compaction.seq;
  return {
    session,
    compaction: compaction.seq,
    pinned: compaction.pinned.flatMap((id) => outline.byId(id)?.seq ?? []),
    entries: withoutSession.filter((row) => row.seq >= start).map((row) => row.seq),
  };
}

/** The todo list as it stands on a branch. */
export function todosOf(entries: readonly Entry[]): EntryOf<"todos">["items"] {
  const last = entries.findLast((entry): entry is EntryOf<"todos"> => entry.kind === "todos");
  return last?.items ?? [];
}
