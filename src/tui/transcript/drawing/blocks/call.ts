import { visibleWidth } from "@earendil-works/pi-tui";
import { isJsonObject } from "../../../../record/json.ts";
import { clip } from "../../../look/clip.ts";
import type { Brush, Look } from "../../../look/look.ts";
import { oneLine, printable } from "../../../look/printable.ts";
import type { Block, CallBlock } from "../../block.ts";
import { drawDiff } from "../diff/draw-diff.ts";
import { hunksOfCall } from "../diff/hunk.ts";
import type { Canvas } from "../layout.ts";
import { cutLines, firstLines, indented, lastLines, lineCount, wrappedLines } from "../lines.ts";
import { tookText } from "../took.ts";

const FOLDED_DIFF = 12;
const FOLDED_OUTPUT = 3;
/** A person's own command is there to be read. */
const FOLDED_SHELL = 10;
const FOLDED_BELOW = 3;
const UNFOLDED = 2_000;

type DrawBlock = (block: Block, canvas: Canvas) => readonly string[];

/** One line that says what is done, and as much of what came of it as the folds allow. */
export function drawCall(block: CallBlock, canvas: Canvas, draw: DrawBlock): readonly string[] {
  const { folds } = canvas;
  const body = folds === "folded" ? foldedBody(block, canvas) : unfoldedBody(block, canvas);
  return [headLine(block, canvas), ...body, ...below(block, canvas, draw)];
}

function headLine(block: CallBlock, { width, look }: Canvas): string {
  const { paint, glyphs } = look;
  const { name, about } = block;
  const [mark, brush] = markOf(block, look);
  const end = stateText(block, look);
  const title = name === "Shell" ? paint.strong("!") : paint.strong(oneLine(name));
  const told = about === "" ? title : `${title} ${oneLine(about)}`;
  const room = width - 2 - (end === "" ? 0 : visibleWidth(end) + 2);
  const begin = `${brush(mark)} ${clip(told, Math.max(8, room), glyphs.ellipsis)}`;
  return clip(end === "" ? begin : `${begin}  ${end}`, width, "");
}

function markOf({ state }: CallBlock, { glyphs, paint }: Look): readonly [string, Brush] {
  switch (state) {
    case "asked":
      return [glyphs.open, paint.dim];
    case "running":
      return [glyphs.doing, paint.accent];
    case "ok":
      return [glyphs.bullet, paint.good];
    case "error":
    case "denied":
    case "interrupted":
      return [glyphs.failed, state === "error" ? paint.bad : paint.warning];
    default:
      return state satisfies never;
  }
}

/** Words and signs, because colours are not everywhere. */
function stateText(block: CallBlock, look: Look): string {
  const { paint, strings, glyphs, now } = look;
  const words = strings.terminal.transcript;
  const { state, took, since } = block;
  const time = took === undefined ? "" : tookText(took, words);
  switch (state) {
    case "asked":
      return "";
    case "running":
      return paint.dim(
        since === undefined ? words.calls.running : tookText(Math.max(0, now - since), words, "whole"),
      );
    case "ok":
      return paint.dim([glyphs.done, time, quietCount(block, look)].filter((part) => part !== "").join(" "));
    case "error":
      return [paint.bad(words.calls.error), paint.dim(time)].join(" ").trimEnd();
    case "denied":
    case "interrupted":
      return paint.warning(words.calls[state]);
    default:
      return state satisfies never;
  }
}

/** For those whose answer is not shown: how long it is. */
function quietCount(block: CallBlock, { strings }: Look): string {
  const { name, output } = block;
  if (isShell(name) || changesFile(block) || output === "") return "";
  return `(${strings.terminal.transcript.lines(lineCount(output))})`;
}

function foldedBody(block: CallBlock, { width, look }: Canvas): readonly string[] {
  const { name, state, output } = block;
  if (state === "denied" || state === "error") {
    return cutLines(firstLines(withoutState(block), FOLDED_OUTPUT).lines, width, look);
  }
  if (state === "interrupted" || state === "asked") return [];
  const hunks = hunksOfCall(name, block.input);
  if (hunks !== undefined) {
    return indented(drawDiff(hunks, { width: width - 2, most: FOLDED_DIFF, long: "cut" }, look));
  }
  if (!isShell(name)) return [];
  const { lines, left } = lastLines(output, name === "Shell" ? FOLDED_SHELL : FOLDED_OUTPUT);
  return [...leftBefore(left, width, look), ...cutLines(lines, width, look)];
}

/** That it was denied is said already. */
function withoutState({ state, output }: CallBlock): string {
  return state === "denied" ? output.replace(/^Denied: /u, "") : output;
}

function leftBefore(left: number, width: number, look: Look): readonly string[] {
  if (left === 0) return [];
  return cutLines(
    [`${look.glyphs.ellipsis} ${look.strings.terminal.transcript.linesBefore(left)}`],
    width,
    look,
  );
}

function unfoldedBody(block: CallBlock, { width, look }: Canvas): readonly string[] {
  const { name, state } = block;
  const hunks = hunksOfCall(name, block.input);
  const change =
    hunks === undefined
      ? []
      : indented(drawDiff(hunks, { width: width - 2, most: UNFOLDED, long: "wrap" }, look));
  if (hunks !== undefined && state === "ok") return change;
  const { lines, left } = firstLines(withoutState(block), UNFOLDED);
  const rest =
    left === 0 ? [] : [`${look.glyphs.ellipsis} ${look.strings.terminal.transcript.moreLines(left)}`];
  return [
    ...inputLines(block, width, look),
    ...change,
    ...wrappedLines(lines, width, look),
    ...cutLines(rest, width, look),
  ];
}

/** What its line does not say of what was asked for. */
function inputLines({ name, input, about }: CallBlock, width: number, look: Look): readonly string[] {
  if (!isJsonObject(input) || name === "Edit" || name === "Write") return [];
  const { command } = input;
  if (typeof command === "string" && isShell(name)) {
    return command.trim() === about ? [] : wrappedLines(printable(command).split("\n"), width, look);
  }
  if (Object.keys(input).length <= 1) return [];
  const { lines } = firstLines(JSON.stringify(input, undefined, 2), UNFOLDED);
  return wrappedLines(lines, width, look);
}

function isShell(name: string): boolean {
  return name === "Bash" || name === "Shell";
}

function changesFile({ name }: CallBlock): boolean {
  return name === "Edit" || name === "Write";
}

/** Of a sub-agent: its newest lines, or all that is kept. */
function below(block: CallBlock, canvas: Canvas, draw: DrawBlock): readonly string[] {
  if (block.below.length === 0) return [];
  const room = { ...canvas, width: Math.max(1, canvas.width - 2) };
  if (canvas.folds === "unfolded") return indented(block.below.flatMap((each) => draw(each, room)));
  const lines = block.below.slice(-FOLDED_BELOW).flatMap((each) => draw(each, room).slice(0, 1));
  return indented(lines);
}
