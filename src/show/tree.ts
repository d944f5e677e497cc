import type { TextPlace, TreeNode } from "../app/queries/entry-tree.ts";
import { startOfPrompt } from "../machine/checkpoint-list.ts";
import type { Entry } from "../record/entry.ts";
import { oneLine } from "../record/visible-text.ts";
import { clockTime } from "../strings/clock.ts";
import type { Strings } from "../strings/strings.ts";
import { isJourney } from "../timeline/row.ts";
import { entryText, type TextNeeds } from "./entry-text.ts";
import type { Glyphs, Style } from "./style.ts";
import { shortened, widthOf } from "./text-width.ts";

/** Returns the text of an entry in the tree, on one line. */
export function nodeText(entry: Entry, { left, outline, steps }: TextPlace, strings: Strings): string {
  return oneLine(ownText(entry, left, { outline, steps, strings }));
}

function ownText(entry: Entry, left: number | undefined, needs: TextNeeds): string {
  const { kind, seq } = entry;
  const { checkpoints, looking } = needs.strings;
  if (kind === "prompt") return startOfPrompt(entry) || entryText(entry, needs);
  if (kind === "step") return entry.fill === undefined ? kind : `${kind}, ${looking.contextFill(entry.fill)}`;
  if (kind === "checkpoint") {
    return needs.steps?.get(seq)?.name ?? checkpoints.atTime(clockTime(Date.parse(entry.at)));
  }
  if (left !== undefined && !isJourney(kind)) return looking.tip(kind, seq, left);
  return `${kind} ${entryText(entry, needs)}`;
}

export interface Drawing {
  readonly glyphs: Glyphs;
  readonly style: Style;
  readonly columns: number;
  /** The word that marks the head. */
  readonly head: string;
}

/** Minimum number of columns for a row's text, no matter how deeply its branch is nested. */
const MIN_ROOM = 12;
const MAX_ROOM = 100;

/**
 * Draws one line for each row. The head's branch runs down the left side, and other branches are attached to its right.
 */
export function drawTree(nodes: readonly TreeNode[], drawing: Drawing): string[] {
  return nodes.map((node) => drawNode(node, drawing));
}

function drawNode(node: TreeNode, { glyphs, style, columns, head }: Drawing): string {
  const isHere = node.branch === "here";
  // A branch with other branches attached to it continues below them, so its rail never ends next to them.
  const rails = glyphs.rail.repeat(node.rails.length) + (node.hang === "along" ? "" : glyphs.fork);
  const number = node.number === undefined ? "" : `#${node.number} `;
  const label = node.label === undefined ? "" : `[${node.label}] `;
  const mark = `${commandOf(node)}${node.isHead ? ` ${glyphs.head} ${head}` : ""}`;
  const start = `${rails}${isHere ? glyphs.here : glyphs.left} `;
  const room = columns - widthOf(start) - widthOf(mark);
  const text = shortened(
    `${number}${label}${node.text}`,
    Math.max(MIN_ROOM, Math.min(MAX_ROOM, room)),
    glyphs.ellipsis,
  );
  return isHere
    ? `${start}${text}${mark === "" ? "" : style.bold(mark)}`
    : style.dim(`${start}${text}${mark}`);
}

/**
 * Returns the command-line argument that leads to the end of another branch. The number of a row, by contrast, is an
 * argument for `rewind`.
 */
function commandOf({ end }: TreeNode): string {
  return end === undefined ? "" : ` (worldline redo ${end})`;
}
