import type { SessionView } from "../../../machine/view.ts";
import type { TreeRow } from "../../../ports/station/looking.ts";
import type { Strings } from "../../../strings/strings.ts";
import { sessionTree } from "../../show/session-tree.ts";

/** Longer than any line: notes and summaries may be pages. */
const LONGEST = 240;

/** The whole tree as `worldline tree` draws it. */
export async function treeRows(view: SessionView, strings: Strings): Promise<readonly TreeRow[]> {
  const nodes = await sessionTree(view, { rows: "main", strings });
  return nodes.map(({ row, rails, hang, branch, text, number, label, isHead }) => ({
    entry: row.id,
    kind: row.kind,
    ...(number === undefined ? {} : { number }),
    at: row.at,
    text: cut(text),
    ...(label === undefined ? {} : { label }),
    rails,
    hang,
    branch,
    isHead,
  }));
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${[...text].slice(0, LONGEST).join("")}…`;
}
