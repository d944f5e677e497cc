import { visibleWidth } from "@earendil-works/pi-tui";
import { clip, wrap } from "../../../look/clip.ts";
import { oneLine, spoken } from "../../../look/printable.ts";
import type { AnswerBlock, PromptBlock, ThinkingBlock, TodosBlock } from "../../block.ts";
import type { Canvas } from "../layout.ts";
import { behind, firstLines, indented } from "../lines.ts";
import { drawMarkdown } from "../markdown.ts";

/** A long text that was pasted leaves room for what came of it. */
const FOLDED_PROMPT = 12;
const UNFOLDED = 2_000;

export function drawPrompt({ text, images, checkpoint }: PromptBlock, canvas: Canvas): readonly string[] {
  const { width, folds, look } = canvas;
  const { paint, glyphs, strings } = look;
  const words = strings.terminal.transcript;
  const { lines, left } = firstLines(spoken(text).trim(), folds === "folded" ? FOLDED_PROMPT : UNFOLDED);
  const shown = lines.flatMap((line) => (line === "" ? [""] : wrap(line, width - 2)));
  const rest = [
    ...(left === 0 ? [] : [paint.dim(`${glyphs.ellipsis} ${words.moreLines(left)}`)]),
    ...(images === 0 ? [] : [paint.dim(`[${words.images(images)}]`)]),
  ];
  const [first = "", ...more] = [...shown.map(paint.said), ...rest];
  const begin = `${paint.accent(glyphs.prompt)} ${first}`;
  return [withNumber(begin, checkpoint, canvas), ...indented(more)].map((line) =>
    clip(line, width, glyphs.ellipsis),
  );
}

/** The checkpoint that one goes back to for this prompt, where there is room for it. */
function withNumber(line: string, checkpoint: number | undefined, { width, look }: Canvas): string {
  if (checkpoint === undefined) return line;
  const number = `#${checkpoint}`;
  return visibleWidth(line) + number.length + 2 > width ? line : `${line}  ${look.paint.dim(number)}`;
}

export function drawThinking(
  { text, state }: ThinkingBlock,
  { width, folds, look }: Canvas,
): readonly string[] {
  const { paint, glyphs, strings } = look;
  const words = strings.terminal.transcript;
  const word = state === "live" ? words.thinking : words.thought;
  const mark = folds === "folded" ? glyphs.folded : glyphs.unfolded;
  const first = paint.dim(`${mark} ${word}`);
  if (folds === "folded") return [first];
  const { lines } = firstLines(spoken(text).trim(), UNFOLDED);
  return [first, ...indented(lines.flatMap((line) => wrap(line, width - 2).map((each) => paint.dim(each))))];
}

export function drawTodos({ items }: TodosBlock, { width, look }: Canvas): readonly string[] {
  const { paint, glyphs, strings } = look;
  const done = items.filter(({ status }) => status === "done").length;
  const marks = { open: glyphs.open, doing: glyphs.doing, done: glyphs.done };
  const brushes = { open: (text: string) => text, doing: paint.strong, done: paint.dim };
  return [
    paint.strong(clip(strings.terminal.transcript.todos(done, items.length), width, glyphs.ellipsis)),
    ...items.map(({ text, status }) => {
      const line = clip(`${marks[status]} ${oneLine(text)}`, width - 2, glyphs.ellipsis);
      return `  ${brushes[status](line)}`;
    }),
  ];
}

export function drawAnswer({ asked, text, form }: AnswerBlock, { width, look }: Canvas): readonly string[] {
  const { paint, glyphs } = look;
  const lines =
    form === "markdown"
      ? drawMarkdown({ text }, width, look)
      : spoken(text.trimEnd())
          .split("\n")
          .flatMap((line) => hanging(line, width));
  const question = asked === "" ? [] : behind(glyphs.prompt, oneLine(asked), width);
  return [...question.map((line) => paint.dim(line)), ...lines];
}

/** Further lines stand where the first begins, behind the sign of a list or the name in a column of names. */
function hanging(line: string, width: number): readonly string[] {
  const [begin = ""] = /^ *(?:[-*] |\S+ {2,}(?=\S))?/u.exec(line) ?? [];
  const indent = visibleWidth(begin);
  if (indent > width / 2) return wrap(line, width);
  return wrap(line.slice(begin.length), width - indent).map((each, index) =>
    index === 0 ? begin + each : " ".repeat(indent) + each,
  );
}
