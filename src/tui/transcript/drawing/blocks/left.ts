import { clip } from "../../../look/clip.ts";
import { oneLine } from "../../../look/printable.ts";
import type { Block, LeftBlock, LeftItemBlock } from "../../block.ts";
import type { Canvas, Layout } from "../layout.ts";

type DrawBlock = (block: Block, canvas: Canvas) => readonly string[];

/** The line that what a journey left is folded into. */
export function drawLeft({ by, holds }: LeftBlock, canvas: Canvas): readonly string[] {
  const { width, folds, look, display } = canvas;
  if (holds === undefined || (display === "off" && by === "backtrack")) return [];
  const { paint, glyphs, strings } = look;
  const words = strings.terminal.transcript.left;
  const parts = [
    ...(holds.calls === 0 ? [] : [words.calls(holds.calls)]),
    ...(holds.messages === 0 ? [] : [words.messages(holds.messages)]),
  ];
  const mark = folds === "folded" ? glyphs.folded : glyphs.unfolded;
  const told = [words.before[by], ...parts, words.keys[folds]].join(" · ");
  return [paint.dim(clip(`${mark} ${told}`, width, glyphs.ellipsis))];
}

/** One thing of it: where nothing is to be said of backtracks, as if the agent had never gone back. */
export function drawLeftItem(item: LeftItemBlock, canvas: Canvas, draw: DrawBlock): readonly string[] {
  const { width, folds, look } = canvas;
  const { paint, glyphs } = look;
  if (!isApart(item, canvas)) return draw(item.block, canvas);
  if (folds === "folded") return item.folded === "line" ? foldedLine(item.block, canvas) : [];
  const rail = paint.border(glyphs.vertical);
  return draw(item.block, { ...canvas, width: Math.max(1, width - 2) }).map((line) => `${rail} ${line}`);
}

/** Whether it is one line now, which stands close to others of its kind. */
export function isFolded(block: Block, layout: Layout): boolean {
  if (block.kind === "left-item") return isApart(block, layout) && layout.folds === "folded";
  return block.kind === "left";
}

function isApart({ by }: LeftItemBlock, { display }: Layout): boolean {
  return display !== "off" || by === "redo";
}

function foldedLine(block: Block, canvas: Canvas): readonly string[] {
  const { width, look } = canvas;
  const { paint, glyphs } = look;
  if (block.kind === "left-item") return foldedLine(block.block, canvas);
  if (block.kind !== "prompt" && block.kind !== "text") return [];
  const images = block.kind === "prompt" && block.images > 0 ? block.images : 0;
  const text = [
    ...(block.text.trim() === "" ? [] : [oneLine(block.text)]),
    ...(images === 0 ? [] : [`[${look.strings.terminal.transcript.images(images)}]`]),
  ].join(" ");
  const mark = block.kind === "prompt" ? glyphs.prompt : glyphs.bullet;
  return [paint.dim(clip(`  ${mark} ${text}`, width, glyphs.ellipsis))];
}
