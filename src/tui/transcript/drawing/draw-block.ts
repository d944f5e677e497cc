import { clip } from "../../look/lines.ts";
import type { Look } from "../../look/look.ts";
import type { Block } from "../block.ts";
import { drawCard, drawLeft, drawLeftItem, isFolded } from "./backtrack.ts";
import { drawCall } from "./call.ts";
import { drawHappening, drawNotice } from "./happening.ts";
import { drawMarkdown } from "./markdown.ts";
import { drawAnswer, drawFiles, drawPrompt, drawThinking, drawTodos } from "./said.ts";

/** How much of a block is drawn, and in what room. */
export interface Layout {
  readonly width: number;
  readonly folds: "folded" | "unfolded";
  /** Absent: "normal". */
  readonly detail?: Detail;
  /** What is shown of a backtrack. */
  readonly display: "card" | "line" | "off";
  /** Paths in it are shown from there. */
  readonly workspace?: string;
}

/** "quiet": what is said, and a line for each call. "verbose" unfolds everything, and is drawn as such. */
export type Detail = "quiet" | "normal" | "verbose";

/** What every drawing needs. */
export interface Canvas extends Layout {
  readonly look: Look;
}

/** The lines of a block, none wider than the room. A block that has nothing to say has none. */
export function layOut(block: Block, layout: Layout, look: Look): readonly string[] {
  const isQuiet = layout.detail === "quiet" && layout.folds === "folded";
  const lines = isQuiet ? drawQuietly(block, { ...layout, look }) : draw(block, { ...layout, look });
  return lines.map((line) => clip(line, layout.width, ""));
}

/** What was said and what goes wrong stays; of everything else a line, or nothing where that line says nothing. */
function drawQuietly(block: Block, canvas: Canvas): readonly string[] {
  switch (block.kind) {
    case "thinking":
    case "todos":
      return [];
    case "call":
      return draw(block, canvas).slice(0, 1);
    case "card":
      return draw(block, canvas.display === "card" ? { ...canvas, display: "line" } : canvas);
    default:
      return draw(block, canvas);
  }
}

function draw(block: Block, canvas: Canvas): readonly string[] {
  switch (block.kind) {
    case "prompt":
      return drawPrompt(block, canvas);
    case "text":
      return drawMarkdown(block, canvas.width, canvas.look);
    case "thinking":
      return drawThinking(block, canvas);
    case "call":
      return drawCall(block, canvas, draw);
    case "card":
      return drawCard(block, canvas);
    case "left":
      return drawLeft(block, canvas);
    case "left-item":
      return drawLeftItem(block, canvas, draw);
    case "happening":
      return drawHappening(block, canvas);
    case "notice":
      return drawNotice(block, canvas);
    case "files":
      return drawFiles(block, canvas);
    case "todos":
      return drawTodos(block, canvas);
    case "answer":
      return drawAnswer(block, canvas);
    default:
      return block satisfies never;
  }
}

/** How many blank lines stand between two blocks. */
export function gapBetween(above: Block, below: Block, layout: Layout): 0 | 1 {
  if (below.kind === "left-item" || above.kind === "left-item") {
    const isTight = isFolded(above, layout) && isFolded(below, layout);
    return isTight ? 0 : gapBetween(itself(above), itself(below), layout);
  }
  if (below.kind === "text" && below.place === "joined") return 0;
  if (above.kind === "call" && below.kind === "files") return 0;
  return isLine(above) && isLine(below) ? 0 : 1;
}

/** What is told in a line stands close to others of its kind. */
function isLine({ kind }: Block): boolean {
  return ["call", "thinking", "happening", "notice", "left"].includes(kind);
}

function itself(block: Block): Block {
  return block.kind === "left-item" ? itself(block.block) : block;
}
