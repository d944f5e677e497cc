import { visibleWidth } from "@earendil-works/pi-tui";
import type { ChangedFile } from "../../../ports/agent-events.ts";
import type { Look } from "../../look/look.ts";
import { clip, oneLine, spoken, wrap } from "../../look/text.ts";
import type { AnswerBlock, Block, FilesBlock, PromptBlock, ThinkingBlock, TodosBlock } from "../block.ts";
import { drawCard, drawLeft, drawLeftItem, isFolded } from "./backtrack.ts";
import { drawCall } from "./call.ts";
import { drawHappening, drawNotice } from "./happening.ts";
import { behind, drawMarkdown, firstLines, indented } from "./text.ts";

/** How much of a block is drawn, and in how much space. */
export interface Layout {
  readonly width: number;
  readonly folds: "folded" | "unfolded";
  /** How much detail is shown. The default is "normal". */
  readonly detail?: Detail;
  /** How backtracks are shown. */
  readonly display: "card" | "line" | "off";
  /** The workspace folder. Paths below it are shown relative to it. */
  readonly workspace?: string;
}

/** "quiet": only messages, and one line for each call. "verbose": everything is unfolded. */
export type Detail = "quiet" | "normal" | "verbose";

/** The context of every drawing function. */
export interface Canvas extends Layout {
  readonly look: Look;
}

/**
 * Returns the lines of a block. None of the lines is wider than the available space. A block without content has no
 * lines.
 */
export function layOut(block: Block, layout: Layout, look: Look): readonly string[] {
  const isQuiet = layout.detail === "quiet" && layout.folds === "folded";
  const lines = isQuiet ? drawQuietly(block, { ...layout, look }) : draw(block, { ...layout, look });
  return lines.map((line) => clip(line, layout.width, ""));
}

/** Draws messages and failures as usual. Draws other blocks as one line, or not at all if that line would be empty. */
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

/** Returns the number of blank lines between two blocks. */
export function gapBetween(above: Block, below: Block, layout: Layout): 0 | 1 {
  if (below.kind === "left-item" || above.kind === "left-item") {
    const isTight = isFolded(above, layout) && isFolded(below, layout);
    return isTight ? 0 : gapBetween(itself(above), itself(below), layout);
  }
  if (below.kind === "text" && below.place === "joined") return 0;
  if (above.kind === "call" && below.kind === "files") return 0;
  return isLine(above) && isLine(below) ? 0 : 1;
}

/** Checks whether the block is usually drawn as one line. There is no blank line between two such blocks. */
function isLine({ kind }: Block): boolean {
  return ["call", "thinking", "happening", "notice", "left"].includes(kind);
}

function itself(block: Block): Block {
  return block.kind === "left-item" ? itself(block.block) : block;
}

/**
 * Maximum number of lines to show for a folded prompt. A longer prompt, for example with pasted text, is shortened to
 * leave room for the rest of the conversation.
 */
const FOLDED_PROMPT = 12;
const UNFOLDED = 2_000;

function drawPrompt({ text, images, checkpoint }: PromptBlock, canvas: Canvas): readonly string[] {
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

/** Adds the number of the checkpoint before this prompt, if there is room for it. */
function withNumber(line: string, checkpoint: number | undefined, { width, look }: Canvas): string {
  if (checkpoint === undefined) return line;
  const number = `#${checkpoint}`;
  return visibleWidth(line) + number.length + 2 > width ? line : `${line}  ${look.paint.dim(number)}`;
}

function drawThinking({ text, state }: ThinkingBlock, { width, folds, look }: Canvas): readonly string[] {
  const { paint, glyphs, strings } = look;
  const words = strings.terminal.transcript;
  const word = state === "live" ? words.thinking : words.thought;
  const mark = folds === "folded" ? glyphs.folded : glyphs.unfolded;
  const first = paint.dim(`${mark} ${word}`);
  if (folds === "folded") return [first];
  const { lines } = firstLines(spoken(text).trim(), UNFOLDED);
  return [first, ...indented(lines.flatMap((line) => wrap(line, width - 2).map((each) => paint.dim(each))))];
}

function drawTodos({ items }: TodosBlock, { width, look }: Canvas): readonly string[] {
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

function drawAnswer({ asked, text, form }: AnswerBlock, { width, look }: Canvas): readonly string[] {
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

/**
 * Wraps a line. Continuation lines are aligned with the text after a list mark or after a name in a column of names.
 */
function hanging(line: string, width: number): readonly string[] {
  const [begin = ""] = /^ *(?:[-*] |\S+ {2,}(?=\S))?/u.exec(line) ?? [];
  const indent = visibleWidth(begin);
  if (indent > width / 2) return wrap(line, width);
  return wrap(line.slice(begin.length), width - indent).map((each, index) =>
    index === 0 ? begin + each : " ".repeat(indent) + each,
  );
}

/**
 * Draws the files that a turn changed. When folded, the files are on one line; otherwise, each file is on its own line.
 */
function drawFiles({ files, more }: FilesBlock, canvas: Canvas): readonly string[] {
  if (files === undefined || files.length + more === 0) return [];
  const { width, look, folds } = canvas;
  const { paint, strings, glyphs } = look;
  const words = strings.terminal.transcript;
  const title = words.files.changed(files.length + more);
  const texts = files.map((file) => fileText(file, look));
  if (folds === "folded") {
    return [foldedLine(words.files.list(files.length + more), texts, { more, width, look })];
  }
  const rest = more === 0 ? [] : [paint.dim(words.more(more))];
  return [
    clip(`${paint.dim(glyphs.unfolded)} ${title}`, width, glyphs.ellipsis),
    ...indented([...texts, ...rest].map((line) => clip(line, width - 2, glyphs.ellipsis))),
  ];
}

interface Room {
  readonly more: number;
  readonly width: number;
  readonly look: Look;
}

/** Draws a line with the items that fit, and the number of items that do not. */
function foldedLine(title: string, texts: readonly string[], { more, width, look }: Room): string {
  const { paint, strings, glyphs } = look;
  const words = strings.terminal.transcript;
  const begin = `${paint.dim(glyphs.folded)} ${title}`;
  let line = begin;
  for (const [index, text] of texts.entries()) {
    const next = index === 0 ? begin + text : `${line}, ${text}`;
    const left = texts.length - index - 1 + more;
    const rest = left === 0 ? "" : `, ${words.more(left)}`;
    if (visibleWidth(next + rest) > width) {
      const others = texts.length - index + more;
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
