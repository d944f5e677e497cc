import type { Entry } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import type { EntryId, Seq } from "../../record/ids.ts";
import type { Row } from "../../timeline/row.ts";
import type { SessionView } from "../view.ts";

export interface EntryPage {
  readonly entries: readonly Entry[];
  readonly more: "yes" | "no";
}

export interface PageRequest {
  /** Absent: from the head. */
  readonly before?: EntryId;
  readonly count: number;
}

/** Entries of the branch of the head, from its end or from before one of them. Walks and reads no more than it returns. */
export async function branchPage(view: SessionView, { before, count }: PageRequest): Promise<EntryPage> {
  const { outline } = view;
  const lines: Seq[] = [];
  let row = before === undefined ? outline.head : outline.at(requireRow(view, before).parent);
  for (; row !== undefined && lines.length < count; row = outline.at(row.parent)) lines.push(row.seq);
  const entries = await view.entries(lines.reverse());
  return { entries, more: row === undefined ? "no" : "yes" };
}

function requireRow(view: SessionView, id: NonNullable<PageRequest["before"]>): Row {
  const row = view.outline.byId(id);
  if (row !== undefined) return row;
  throw new WorldlineError("ENTRY_UNKNOWN", `There is no entry ${id} in this session.`);
}
