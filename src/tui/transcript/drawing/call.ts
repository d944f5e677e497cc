import { visibleWidth } from "@earendil-works/pi-tui";
import { BACKTRACK_TOOL, isJsonObject, type Json } from "../../../record/parts.ts";
import { callReasonText } from "../../../strings/call-reasons.ts";
import { resultText } from "../../../timeline/calls.ts";
import type { Brush, Look } from "../../look/look.ts";
import { clip, oneLine, printable, spoken, tookText } from "../../look/text.ts";
import { type Block, type CallBlock, shownAbout, toolKind } from "../block.ts";
import { drawDiff, hunksOfCall } from "./diff.ts";
import type { Canvas } from "./draw-block.ts";
import { cutLines, drawMarkdown, firstLines, indented, lastLines, lineCount, wrappedLines } from "./text.ts";

const FOLDED_BELOW = 3;

type DrawBlock = (block: Block, canvas: Canvas) => readonly string[];

/** Draws one line that says what the call does, and below it as much of the result as the folds allow. */
export function drawCall(block: CallBlock, canvas: Canvas, draw: DrawBlock): readonly string[] {
  if (canvas.display === "off" && block.name === BACKTRACK_TOOL) return [];
  return [headLine(block, canvas), ...callBody(block, canvas), ...below(block, canvas, draw)];
}

function headLine(block: CallBlock, { width, look, workspace = "" }: Canvas): string {
  const { paint, glyphs } = look;
  const { name } = block;
  const about = shownAbout(block, workspace);
  const [mark, brush] = markOf(block, look);
  const end = stateText(block, look);
  const title = name === "Shell" ? paint.strong("!") : paint.strong(oneLine(name));
  const text = about === "" ? title : `${title} ${oneLine(about)}`;
  const room = width - 2 - (end === "" ? 0 : visibleWidth(end) + 2);
  const begin = `${brush(mark)} ${clip(text, Math.max(8, room), glyphs.ellipsis)}`;
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

/** Returns the state in words and symbols, because some terminals have no colors. */
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

/** Returns the length of the result, for calls whose result is not shown. */
function quietCount(block: CallBlock, { strings }: Look): string {
  if (showsAnswer(block) || block.output === "") return "";
  return `(${strings.terminal.transcript.lines(lineCount(block.output))})`;
}

/**
 * Draws the conversation of a sub-agent. If unfolded, draws all blocks that were kept. If folded, draws the newest
 * lines while the sub-agent works, and afterwards only its denied calls.
 */
function below({ state, below: blocks }: CallBlock, canvas: Canvas, draw: DrawBlock): readonly string[] {
  const room = { ...canvas, width: Math.max(1, canvas.width - 2) };
  if (canvas.folds === "unfolded") return indented(blocks.flatMap((each) => draw(each, room)));
  const isDenied = (each: Block): boolean => each.kind === "call" && each.state === "denied";
  const shown = state === "running" ? blocks.slice(-FOLDED_BELOW) : blocks.filter(isDenied);
  return indented(shown.flatMap((each) => draw(each, room).slice(0, 1)));
}

const FOLDED_DIFF = 12;
const FOLDED_OUTPUT = 3;
/**
 * Maximum number of lines shown when folded: for a command that the user ran (`FOLDED_SHELL`), and for a plan or
 * questions that the user answered (`FOLDED_PLAN`).
 */
const FOLDED_SHELL = 10;
const FOLDED_PLAN = 12;
const UNFOLDED = 2_000;

/** Draws as much of a call's result as the folds allow. */
function callBody(block: CallBlock, canvas: Canvas): readonly string[] {
  return canvas.folds === "folded" ? foldedBody(block, canvas) : unfoldedBody(block, canvas);
}

/** Checks whether a call's result is visible even when folded. In that case, its length does not need to be shown. */
function showsAnswer({ name }: CallBlock): boolean {
  return toolKind(name) !== "other";
}

function foldedBody(block: CallBlock, canvas: Canvas): readonly string[] {
  const { name, state } = block;
  const { width, look } = canvas;
  const kind = toolKind(name);
  if (state === "asked") return [];
  if (kind === "plan") return [...planLines(block, canvas), ...refusal(block, canvas)];
  if (kind === "shell" && state !== "denied") return shellEnd(block, canvas);
  if (state === "denied" || state === "error") return refusal(block, canvas);
  if (state === "interrupted") return [];
  const hunks = hunksOfCall(name, block.input);
  if (hunks !== undefined) {
    return indented(drawDiff(hunks, { width: width - 2, most: FOLDED_DIFF, long: "cut" }, look));
  }
  return kind === "questions" ? answers(block, canvas) : [];
}

/** Draws why the call was denied or failed. */
function refusal(block: CallBlock, { width, look }: Canvas): readonly string[] {
  if (block.state !== "denied" && block.state !== "error") return [];
  const { lines, left } = firstLines(refusalText(block, look), FOLDED_OUTPUT);
  return cutLines([...lines, ...moreLinesAfter(left, look)], width, look);
}

/** Draws the end of a command's output, which contains failures and the exit code. */
function shellEnd(block: CallBlock, { width, look }: Canvas): readonly string[] {
  const { name, dropped = 0 } = block;
  const output = refusalText(block, look);
  const { lines, left } = lastLines(output, name === "Shell" ? FOLDED_SHELL : FOLDED_OUTPUT);
  return cutLines([...moreLinesBefore(left + dropped, output, look), ...lines], width, look);
}

/** Draws each question with its answer. */
function answers({ output }: CallBlock, { width, look }: Canvas): readonly string[] {
  const { lines, left } = firstLines(spoken(output), FOLDED_PLAN);
  const said = lines.filter((line) => line !== "");
  return [...wrappedLines(said, width, look), ...cutLines(moreLinesAfter(left, look), width, look)];
}

function planLines({ input }: CallBlock, { width, folds, look }: Canvas): readonly string[] {
  const plan = isJsonObject(input) ? input["plan"] : undefined;
  if (typeof plan !== "string") return [];
  const lines = drawMarkdown({ text: plan }, Math.max(1, width - 2), look);
  const most = folds === "folded" ? FOLDED_PLAN : UNFOLDED;
  if (lines.length <= most) return indented(lines);
  const left = moreLinesAfter(lines.length - most, look);
  return [...indented(lines.slice(0, most)), ...cutLines(left, width, look)];
}

/**
 * Returns the reason in the user's language. If there is no reason code, as in logs from older versions, returns the
 * text that the model got.
 */
function refusalText(block: CallBlock, { strings }: Look): string {
  const denial = block.denial && callReasonText(strings.callReasons, block.denial);
  return denial ?? withoutState(block);
}

/** Returns the output. Omits its first line if that line only repeats that the call was denied or failed. */
function withoutState({ state, output }: CallBlock): string {
  return state === "asked" || state === "running" ? output : resultText(state, output);
}

function moreLinesAfter(left: number, { glyphs, strings }: Look): readonly string[] {
  return left === 0 ? [] : [`${glyphs.ellipsis} ${strings.terminal.transcript.moreLines(left)}`];
}

/** Matches the place where the middle of a long output was omitted without a line count. */
const CUT = /^\[\.{3}(?:\]$| )/mu;

function moreLinesBefore(left: number, output: string, { glyphs, strings }: Look): readonly string[] {
  if (left === 0) return [];
  const { linesBefore, linesBeforeAtLeast } = strings.terminal.transcript;
  return [`${glyphs.ellipsis} ${CUT.test(output) ? linesBeforeAtLeast(left) : linesBefore(left)}`];
}

function unfoldedBody(block: CallBlock, canvas: Canvas): readonly string[] {
  const { name, state } = block;
  const { width, look } = canvas;
  const hunks = hunksOfCall(name, block.input);
  const change =
    hunks === undefined
      ? []
      : indented(drawDiff(hunks, { width: width - 2, most: UNFOLDED, long: "wrap" }, look));
  if (hunks !== undefined && state === "ok") return change;
  const { lines, left } = firstLines(refusalText(block, look), UNFOLDED);
  const answer = [...wrappedLines(lines, width, look), ...cutLines(moreLinesAfter(left, look), width, look)];
  if (toolKind(name) === "plan") return [...planLines(block, canvas), ...answer];
  return [...inputLines(block, width, look), ...change, ...answer];
}

/** Draws the parts of the input that the call's line does not show. */
function inputLines({ name, input, about }: CallBlock, width: number, look: Look): readonly string[] {
  const kind = toolKind(name);
  if (!isJsonObject(input) || kind === "change") return [];
  const { command } = input;
  if (typeof command === "string" && kind === "shell") {
    return command.trim() === about ? [] : wrappedLines(printable(command).split("\n"), width, look);
  }
  const [only, ...others] = Object.values(input);
  if (only === undefined || (others.length === 0 && typeof only !== "object")) return [];
  const { lines } = firstLines(spoken(readableInput(input).join("\n")), UNFOLDED);
  return wrappedLines(lines, width, look);
}

const MAX_DEPTH = 4;

/** Formats a call's input in a readable way: names with their values, and lists with dashes. */
function readableInput(input: Json, depth = 0): readonly string[] {
  if (Array.isArray(input)) return input.flatMap((each) => listed(each, depth));
  if (!isJsonObject(input)) return String(input).split("\n");
  return Object.entries(input).flatMap(([name, value]) => named(name, value, depth));
}

function named(name: string, value: Json | undefined, depth: number): readonly string[] {
  if (value === undefined || value === null) return [];
  if (isNested(value) && depth >= MAX_DEPTH) return [`${name}: ${JSON.stringify(value)}`];
  const lines = readableInput(value, depth + 1);
  const [first = ""] = lines;
  if (!isNested(value) && lines.length <= 1) return [`${name}: ${first}`];
  return [`${name}:`, ...lines.map((line) => `  ${line}`)];
}

function listed(value: Json, depth: number): readonly string[] {
  const lines = depth >= MAX_DEPTH ? [JSON.stringify(value)] : readableInput(value, depth + 1);
  return lines.map((line, index) => `${index === 0 ? "-" : " "} ${line}`);
}

function isNested(value: Json): boolean {
  return typeof value === "object" && value !== null;
}
