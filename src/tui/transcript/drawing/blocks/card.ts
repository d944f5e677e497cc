import { visibleWidth } from "@earendil-works/pi-tui";
import { clip, padded, wrap } from "../../../look/clip.ts";
import type { Look } from "../../../look/look.ts";
import { oneLine } from "../../../look/printable.ts";
import type { CardBlock } from "../../block.ts";
import type { Canvas } from "../layout.ts";
import { indented } from "../lines.ts";
import { drawMarkdown } from "../markdown.ts";
import { outcomeLines } from "../outcome-lines.ts";

/** A wider box is harder to read, not easier. */
const WIDEST = 100;
const PROMPT_LENGTH = 200;
const NOTE_LENGTH = 300;

/** What the person sees of a backtrack. */
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
  const box = Math.min(width, WIDEST);
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

/** What was left, and what became of the files: dim. */
function countLines({ left, restored }: CardBlock, room: number, { folds, look }: Drawn): readonly string[] {
  const words = look.strings.terminal.transcript;
  const told = [
    ...(left === undefined || left.entries === 0 ? [] : [words.card.left(left.entries, left.tokens)]),
    ...(restored === undefined ? [] : [words.restored(restored)]),
    ...(folds === "folded" ? [] : outcomeLines(restored?.paths ?? "", words)),
  ];
  return told.flatMap((text) => wrap(text, room).map((piece) => look.paint.dim(piece)));
}

/** The prompt that was returned to: behind its label, in the color of what matters. */
function promptLines({ left }: CardBlock, room: number, { paint, strings, glyphs }: Look): readonly string[] {
  const prompt = startOf(oneLine(left?.prompt ?? ""), PROMPT_LENGTH, glyphs.ellipsis);
  if (prompt === "") return [];
  return wrap(strings.terminal.transcript.card.prompt(prompt), room).map(paint.accent);
}

/** Why: behind its label, in italics. */
function rationaleLines(
  { rationale = "" }: CardBlock,
  room: number,
  { paint, strings }: Look,
): readonly string[] {
  const why = oneLine(rationale);
  return why === "" ? [] : wrap(strings.terminal.transcript.card.rationale(why), room).map(paint.italic);
}

/** The note as it was written: Markdown, indented below its label. */
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

/** By characters, not by halves of them. */
function startOf(text: string, length: number, ellipsis: string): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length).join("")}${ellipsis}`;
}
