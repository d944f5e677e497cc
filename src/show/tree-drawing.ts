import { shortened, widthOf } from "../record/width.ts";
import type { Glyphs } from "./glyphs.ts";
import type { TreeNode } from "./session-tree.ts";
import type { Style } from "./style.ts";

export interface Drawing {
  readonly glyphs: Glyphs;
  readonly style: Style;
  readonly columns: number;
  /** What the head is called. */
  readonly head: string;
}

/** However deep a branch hangs, something of its text is shown. */
const LEAST_ROOM = 12;
const MOST_ROOM = 100;

/** One line for each row; the branch of the head runs down the left, what was left hangs to the right of it. */
export function drawTree(nodes: readonly TreeNode[], drawing: Drawing): string[] {
  return nodes.map((node) => drawNode(node, drawing));
}

function drawNode(node: TreeNode, { glyphs, style, columns, head }: Drawing): string {
  const isHere = node.branch === "here";
  // The branch that the others hang on goes on below them, so its rail never ends beside them.
  const rails = glyphs.rail.repeat(node.rails.length) + (node.hang === "along" ? "" : glyphs.fork);
  const number = node.number === undefined ? "" : `#${node.number} `;
  const label = node.label === undefined ? "" : `[${node.label}] `;
  const mark = `${commandOf(node)}${node.isHead ? ` ${glyphs.head} ${head}` : ""}`;
  const start = `${rails}${isHere ? glyphs.here : glyphs.left} `;
  const room = columns - widthOf(start) - widthOf(mark);
  const text = shortened(
    `${number}${label}${node.text}`,
    Math.max(LEAST_ROOM, Math.min(MOST_ROOM, room)),
    glyphs.ellipsis,
  );
  return isHere
    ? `${start}${text}${mark === "" ? "" : style.bold(mark)}`
    : style.dim(`${start}${text}${mark}`);
}

/** What to pass to the command line for the end of a branch that was left. A row with a number is passed to `rewind`. */
function commandOf({ end }: TreeNode): string {
  return end === undefined ? "" : ` (worldline redo ${end})`;
}
