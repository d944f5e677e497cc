import type { Entry, EntryOf } from "../../record/entry.ts";
import { type Seq, toSeq } from "../../record/ids.ts";
import { branchSince, nearest } from "../branch.ts";
import type { Outline } from "../outline.ts";
import type { Row } from "../row.ts";

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
  const session = toSeq(1);
  if (compaction === undefined) return { session, pinned: [], entries: linesFrom(outline, head, 1) };
  const start = outline.byId(compaction.firstKept)?.seq ?? firstGap(outline, compaction);
  return {
    session,
    compaction: compaction.seq,
    pinned: compaction.pinned.flatMap((id) => outline.byId(id)?.seq ?? []).filter((line) => line < start),
    entries: linesFrom(outline, head, start),
  };
}

function linesFrom(outline: Outline, head: Row | undefined, start: number): Seq[] {
  return branchSince(outline, start, head).flatMap((row) => (row.kind === "session" ? [] : row.seq));
}

/** The first kept line is lost, so it is one of the gaps. From the first on, too much is shown and never too little. */
function firstGap(outline: Outline, compaction: EntryOf<"compaction">): number {
  const row = outline.at(compaction.seq);
  const earlier = row === undefined ? undefined : lastCompaction(outline, outline.at(row.parent));
  return outline.gaps.find((line) => line > (earlier?.seq ?? 0)) ?? compaction.seq;
}

/** The todo list as it stands on a branch. */
export function todosOf(entries: readonly Entry[]): EntryOf<"todos">["items"] {
  const last = entries.findLast((entry): entry is EntryOf<"todos"> => entry.kind === "todos");
  return last?.items ?? [];
}
