import { isJsonObject } from "../../../../record/json.ts";
import { resultText } from "../../../../timeline/result-text.ts";
import type { Look } from "../../../look/look.ts";
import { printable, spoken } from "../../../look/printable.ts";
import type { CallBlock } from "../../block.ts";
import { toolKind } from "../../tool-kind.ts";
import { drawDiff } from "../diff/draw-diff.ts";
import { hunksOfCall } from "../diff/hunk.ts";
import type { Canvas } from "../layout.ts";
import { cutLines, firstLines, indented, lastLines, wrappedLines } from "../lines.ts";
import { drawMarkdown } from "../markdown.ts";
import { readableInput } from "./readable-input.ts";

const FOLDED_DIFF = 12;
const FOLDED_OUTPUT = 3;
/** A person's own command is there to be read, and so is what the person decided on. */
const FOLDED_SHELL = 10;
const FOLDED_PLAN = 12;
const UNFOLDED = 2_000;

/** What came of a call, as much as the folds allow. */
export function callBody(block: CallBlock, canvas: Canvas): readonly string[] {
  return canvas.folds === "folded" ? foldedBody(block, canvas) : unfoldedBody(block, canvas);
}

/** The calls whose answer is shown while they are folded: nobody needs to be told how long it is. */
export function showsAnswer({ name }: CallBlock): boolean {
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

/** Why it was refused or could not be done is said first. */
function refusal(block: CallBlock, { width, look }: Canvas): readonly string[] {
  if (block.state !== "denied" && block.state !== "error") return [];
  const { lines, left } = firstLines(withoutState(block), FOLDED_OUTPUT);
  return cutLines([...lines, ...leftBehind(left, look)], width, look);
}

/** What a command prints last is what matters: the failure, and its exit code. */
function shellEnd(block: CallBlock, { width, look }: Canvas): readonly string[] {
  const { name, dropped = 0 } = block;
  const output = withoutState(block);
  const { lines, left } = lastLines(output, name === "Shell" ? FOLDED_SHELL : FOLDED_OUTPUT);
  return cutLines([...leftBefore(left + dropped, output, look), ...lines], width, look);
}

/** Each question and what was answered. */
function answers({ output }: CallBlock, { width, look }: Canvas): readonly string[] {
  const { lines, left } = firstLines(spoken(output), FOLDED_PLAN);
  const said = lines.filter((line) => line !== "");
  return [...wrappedLines(said, width, look), ...cutLines(leftBehind(left, look), width, look)];
}

function planLines({ input }: CallBlock, { width, folds, look }: Canvas): readonly string[] {
  const plan = isJsonObject(input) ? input["plan"] : undefined;
  if (typeof plan !== "string") return [];
  const lines = drawMarkdown({ text: plan }, Math.max(1, width - 2), look);
  const most = folds === "folded" ? FOLDED_PLAN : UNFOLDED;
  if (lines.length <= most) return indented(lines);
  const left = leftBehind(lines.length - most, look);
  return [...indented(lines.slice(0, most)), ...cutLines(left, width, look)];
}

/** That it was denied or failed is said already. */
function withoutState({ state, output }: CallBlock): string {
  return state === "asked" || state === "running" ? output : resultText(state, output);
}

function leftBehind(left: number, { glyphs, strings }: Look): readonly string[] {
  return left === 0 ? [] : [`${glyphs.ellipsis} ${strings.terminal.transcript.moreLines(left)}`];
}

/** Where the middle of a long output is left out, and nobody has counted it. */
const CUT = /^\[\.{3}(?:\]$| )/mu;

function leftBefore(left: number, output: string, { glyphs, strings }: Look): readonly string[] {
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
  const { lines, left } = firstLines(withoutState(block), UNFOLDED);
  const answer = [...wrappedLines(lines, width, look), ...cutLines(leftBehind(left, look), width, look)];
  if (toolKind(name) === "plan") return [...planLines(block, canvas), ...answer];
  return [...inputLines(block, width, look), ...change, ...answer];
}

/** What its line does not say of what was asked for. */
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
