import { entryTree, type TreeNode } from "../../app/queries/entry-tree.ts";
import { requireSession } from "../../app/sessions/find-session.ts";
import { openStore } from "../../app/sessions/store.ts";
import { glyphsFor } from "../../show/style.ts";
import { drawTree, nodeText } from "../../show/tree.ts";
import { defineCommand, flag } from "../command.ts";
import { columnsOf } from "../output.ts";

export const tree = defineCommand({
  help: (help) => help.tree,
  options: { all: flag() },
  run: async ({ options, frame }) => {
    const { output, strings, surroundings } = frame;
    const view = await requireSession(frame, openStore(frame));
    const nodes = await entryTree(view, {
      rows: options.all ? "all" : "main",
      text: (entry, at) => nodeText(entry, at, strings),
    });
    const drawing = {
      glyphs: glyphsFor(surroundings.environment),
      style: output.style,
      columns: columnsOf(surroundings.stdout),
      head: strings.looking.head,
    };
    const head = view.outline.head?.seq ?? null;
    const document = { session: view.id, head, rows: nodes.map(documentOf), damage: view.damage };
    output.answer(document, () => drawTree(nodes, drawing).join("\n"));
  },
});

function documentOf({ row, rails, hang, branch, text, number, label, isHead, go, end }: TreeNode) {
  const { seq, id, parent, kind, at } = row;
  return {
    seq,
    id,
    parent,
    kind,
    at: new Date(at).toISOString(),
    depth: rails.length + (hang === "along" ? 0 : 1),
    branch,
    ...(isHead ? { head: true } : {}),
    ...(number === undefined ? {} : { number }),
    ...(label === undefined ? {} : { label }),
    text,
    go: goDocument(go),
    ...(end === undefined ? {} : { end }),
  };
}

/**
 * Returns the argument for `rewind` or `redo` that leads to exactly this row; null for the head's own row, and for a
 * row that no journey leads to.
 */
function goDocument(go: TreeNode["go"]) {
  if (go === undefined || go.by === "staying") return null;
  return go.by === "redo" ? { redo: go.journey } : { rewind: go.to };
}
