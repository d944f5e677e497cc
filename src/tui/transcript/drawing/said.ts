import { visibleWidth } from "@earendil-works/pi-tui";
import type { ChangedFile } from "../../../ports/agent-events.ts";
import { clip, wrap } from "../../look/lines.ts";
import type { Look } from "../../look/look.ts";
import { oneLine, spoken } from "../../look/printable.ts";
import type { AnswerBlock, FilesBlock, PromptBlock, ThinkingBlock, TodosBlock } from "../block.ts";
import type { Canvas } from "./draw-block.ts";
import { behind, firstLines, indented } from "./lines.ts";
import { drawMarkdown } from "./markdown.ts";

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

/** Which files a turn changed: on one line, or each on its own. */
export function drawFiles({ files, more }: FilesBlock, canvas: Canvas): readonly string[] {
  if (files === undefined || files.length + more === 0) return [];
  const { width, look, folds } = canvas;
  const { paint, strings, glyphs } = look;
  const words = strings.terminal.transcript;
  const title = words.files.changed(files.length + more);
  const told = files.map((file) => fileText(file, look));
  if (folds === "folded") {
    return [foldedLine(words.files.list(files.length + more), told, { more, width, look })];
  }
  const rest = more === 0 ? [] : [paint.dim(words.more(more))];
  return [
    clip(`${paint.dim(glyphs.unfolded)} ${title}`, width, glyphs.ellipsis),
    ...indented([...told, ...rest].map((line) => clip(line, width - 2, glyphs.ellipsis))),
  ];
}

interface Room {
  readonly more: number;
  readonly width: number;
  readonly look: Look;
}

/** As many as there is room for, and how many there are besides. */
function foldedLine(title: string, told: readonly string[], { more, width, look }: Room): string {
  const { paint, strings, glyphs } = look;
  const words = strings.terminal.transcript;
  const begin = `${paint.dim(glyphs.folded)} ${title}`;
  let line = begin;
  for (const [index, text] of told.entries()) {
    const next = index === 0 ? begin + text : `${line}, ${text}`;
    const left = told.length - index - 1 + more;
    const rest = left === 0 ? "" : `, ${words.more(left)}`;
    if (visibleWidth(next + rest) > width) {
      const others = told.length - index + more;
      return clip(index === 0 ? next : `${line}, ${paint.dim(words.more(others))}`, width, glyphs.ellipsis);
    }
    line = next;
  }
  return more === 0 ? line : `${line}, ${paint.dim(words.more(more))}`;
}

function fileText({ path, change, added, removed }: ChangedFile, { paint, strings }: Look): string {
  const { files } = strings.terminal.transcript;
  const lines = [
    ...(added === undefined || (added === 0 && removed !== 0) ? [] : [paint.added(`+${added}`)]),
    ...(removed === undefined || removed === 0 ? [] : [paint.removed(`-${removed}`)]),
  ];
  const kind = change === "changed" ? [] : [paint.dim(files[change])];
  return [oneLine(path), ...kind, ...lines].join(" ");
}
