import type { TodoItem } from "../../record/parts.ts";
import { nearest } from "../../timeline/branch.ts";
import type { SessionView } from "../view.ts";

/** The todo list as it stands on the branch: what was written on ways that were left does not count. */
export async function todosAtHead(view: SessionView): Promise<readonly TodoItem[]> {
  // Most sessions have none, and need no walk to find that out.
  if (view.outline.linesOf("todos").length === 0) return [];
  const row = nearest(view.outline, view.outline.head, ({ kind }) => kind === "todos");
  const [entry] = row === undefined ? [] : await view.entries([row.seq]);
  return entry?.kind === "todos" ? entry.items : [];
}
