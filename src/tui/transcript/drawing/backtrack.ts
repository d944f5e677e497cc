import { visibleWidth } from "@earendil-works/pi-tui";
import type { Look } from "../../look/look.ts";
import { clip, oneLine, padded, wrap } from "../../look/text.ts";
import type { Block, CardBlock, LeftBlock, LeftItemBlock } from "../block.ts";
import type { Canvas, Layout } from "./draw-block.ts";
import { outcomeLines } from "./happening.ts";
import { drawMarkdown, indented } from "./text.ts";

/** Maximum width of the box. A wider box would be harder to read. */
const MAX_WIDTH = 100;
const PROMPT_LENGTH = 200;
const NOTE_LENGTH = 300;

/** Draws the card that the user sees for a backtrack. */
export function drawCard(card: CardBlock, canvas: Canvas): readonly string[] {
  switch (canvas.display) {
    case "off":
      return [];
    case "line":
      return canvas.folds === "folded" ? [line(card, canvas)] : boxed(card, canvas);
    case "card":
      return boxed(card, canvas);
    default:
      return canvas.display satisfies never;
  }
}

function line({ to, left }: CardBlock, { width, look }: Canvas): string {
  const { glyphs, paint, strings } = look;
  const { card } = strings.terminal.transcript;
  const counts = left === undefined || left.entries === 0 ? "" : ` · ${card.left(left.entries, left.tokens)}`;
  return clip(
    `${paint.accent(glyphs.back)} ${card.title(to)}${paint.dim(`${counts} · ${card.undo}`)}`,
    width,
    glyphs.ellipsis,
  );
}

function boxed(block: CardBlock, { width, folds, look }: Canvas): readonly string[] {
  const { glyphs, paint, strings } = look;
  const { card } = strings.terminal.transcript;
  const box = Math.min(width, MAX_WIDTH);
  const room = box - 4;
  const [topLeft, topRight, bottomLeft, bottomRight] = glyphs.corners;
  const title = clip(`${glyphs.back} ${card.title(block.to)}`, room, "");
  const rail = (count: number): string => glyphs.horizontal.repeat(Math.max(0, count));
  const top = `${paint.border(`${topLeft}${glyphs.horizontal}`)} ${paint.strong(title)} ${paint.border(
    `${rail(box - 5 - visibleWidth(title))}${topRight}`,
  )}`;
  const side = paint.border(glyphs.vertical);
  const inside = [
    ...countLines(block, room, { folds, look }),
    ...promptLines(block, room, look),
    ...rationaleLines(block, room, look),
    ...noteLines(block, room, { folds, look }),
  ];
  return [
    top,
    ...[...inside, paint.dim(clip(card.undo, room, ""))].map(
      (text) => `${side} ${padded(text, room)} ${side}`,
    ),
    paint.border(`${bottomLeft}${rail(box - 2)}${bottomRight}`),
  ];
}

type Drawn = Pick<Canvas, "folds" | "look">;

/** Draws how many entries the backtrack left behind and what happened to the files. The text is dimmed. */
function countLines({ left, restored }: CardBlock, room: number, { folds, look }: Drawn): readonly string[] {
  const words = look.strings.terminal.transcript;
  const texts = [
    ...(left === undefined || left.entries === 0 ? [] : [words.card.left(left.entries, left.tokens)]),
    ...(restored === undefined ? [] : [words.restored(restored)]),
    ...(folds === "folded" ? [] : outcomeLines(restored?.paths ?? "", look.strings)),
  ];
  return texts.flatMap((text) => wrap(text, room).map((piece) => look.paint.dim(piece)));
}

/** Draws the prompt that the agent returned to, after a label and in the color for important text. */
function promptLines({ left }: CardBlock, room: number, { paint, strings, glyphs }: Look): readonly string[] {
  const prompt = startOf(oneLine(left?.prompt ?? ""), PROMPT_LENGTH, glyphs.ellipsis);
  if (prompt === "") return [];
  return wrap(strings.terminal.transcript.card.prompt(prompt), room).map(paint.accent);
}

/** Draws the reason for the backtrack, after a label and in italics. */
function rationaleLines(
  { rationale = "" }: CardBlock,
  room: number,
  { paint, strings }: Look,
): readonly string[] {
  const why = oneLine(rationale);
  return why === "" ? [] : wrap(strings.terminal.transcript.card.rationale(why), room).map(paint.italic);
}

/** Draws the Markdown of the note, indented below a label. */
function noteLines({ note }: CardBlock, room: number, { folds, look }: Drawn): readonly string[] {
  const { paint, strings, glyphs } = look;
  const text = folds === "folded" ? startOf(note, NOTE_LENGTH, glyphs.ellipsis) : note;
  const lines = drawMarkdown({ text }, Math.max(1, room - 2), look);
  if (lines.length === 0) return [];
  return [
    paint.strong(clip(strings.terminal.transcript.card.note, room, "")),
    ...indented(lines.map((each) => clip(each, Math.max(1, room - 2), ""))),
    "",
  ];
}

/** Returns the first characters of the text. Never splits a surrogate pair. */
function startOf(text: string, length: number, ellipsis: string): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length).join("")}${ellipsis}`;
}

type DrawBlock = (block: Block, canvas: Canvas) => readonly string[];

/** Draws the line that represents all entries that a journey removed from the branch. */
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
  const texts = [words.before[by], ...parts, words.keys[folds]].join(" · ");
  return [paint.dim(clip(`${mark} ${texts}`, width, glyphs.ellipsis))];
}

/**
 * Draws one item that a journey left behind. If backtracks are hidden, the item is drawn as if there had been no
 * backtrack.
 */
export function drawLeftItem(item: LeftItemBlock, canvas: Canvas, draw: DrawBlock): readonly string[] {
  const { width, folds, look } = canvas;
  const { paint, glyphs } = look;
  if (!isApart(item, canvas)) return draw(item.block, canvas);
  if (folds === "folded") return item.folded === "line" ? foldedLine(item.block, canvas) : [];
  const rail = paint.border(glyphs.vertical);
  return draw(item.block, { ...canvas, width: Math.max(1, width - 2) }).map((line) => `${rail} ${line}`);
}

/** Checks whether the block is folded to one line. There are no blank lines between such lines. */
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
