import { visibleWidth } from "@earendil-works/pi-tui";
import { clip, padded, wrap } from "../../../look/clip.ts";
import { oneLine, spoken } from "../../../look/printable.ts";
import type { CardBlock } from "../../block.ts";
import type { Canvas } from "../layout.ts";
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
  const inside = [...facts(block, room, { folds, look }), ...noteLines(block, room, { folds, look })];
  return [
    top,
    ...[...inside, paint.dim(clip(card.undo, room, ""))].map(
      (text) => `${side} ${padded(text, room)} ${side}`,
    ),
    paint.border(`${bottomLeft}${rail(box - 2)}${bottomRight}`),
  ];
}

type Drawn = Pick<Canvas, "folds" | "look">;

function facts(
  { left, restored, rationale }: CardBlock,
  room: number,
  { folds, look }: Drawn,
): readonly string[] {
  const words = look.strings.terminal.transcript;
  const { paint } = look;
  const prompt = oneLine(left?.prompt ?? "");
  const told = [
    ...(left === undefined || left.entries === 0 ? [] : [words.card.left(left.entries, left.tokens)]),
    ...(prompt === "" ? [] : [words.card.prompt(startOf(prompt, PROMPT_LENGTH, look.glyphs.ellipsis))]),
    ...(restored === undefined ? [] : [words.restored(restored)]),
    ...(folds === "folded" ? [] : outcomeLines(restored?.paths ?? "", words)),
    ...(rationale === undefined || folds === "folded" ? [] : [words.card.rationale(spoken(rationale))]),
  ];
  return told.flatMap((text) => wrap(text, room).map((piece) => paint.dim(piece)));
}

function noteLines({ note }: CardBlock, room: number, { folds, look }: Drawn): readonly string[] {
  const text = folds === "folded" ? startOf(note, NOTE_LENGTH, look.glyphs.ellipsis) : note;
  const lines = drawMarkdown({ text }, room, look);
  return lines.length === 0 ? [] : ["", ...lines.map((each) => clip(each, room, "")), ""];
}

/** By characters, not by halves of them. */
function startOf(text: string, length: number, ellipsis: string): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length).join("")}${ellipsis}`;
}
