import { visibleWidth } from "@earendil-works/pi-tui";
import { BACKTRACK_TOOL } from "../../../../record/parts.ts";
import { clip } from "../../../look/clip.ts";
import type { Brush, Look } from "../../../look/look.ts";
import { oneLine } from "../../../look/printable.ts";
import type { Block, CallBlock } from "../../block.ts";
import { shownAbout } from "../../shown-about.ts";
import type { Canvas } from "../layout.ts";
import { indented, lineCount } from "../lines.ts";
import { tookText } from "../took.ts";
import { callBody, showsAnswer } from "./call-body.ts";

const FOLDED_BELOW = 3;

type DrawBlock = (block: Block, canvas: Canvas) => readonly string[];

/** One line that says what is done, and as much of what came of it as the folds allow. */
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
  if (showsAnswer(block) || block.output === "") return "";
  return `(${strings.terminal.transcript.lines(lineCount(block.output))})`;
}

/** Of a sub-agent: all that is kept; or its newest lines while it works, and then what it was not allowed to do. */
function below({ state, below: blocks }: CallBlock, canvas: Canvas, draw: DrawBlock): readonly string[] {
  const room = { ...canvas, width: Math.max(1, canvas.width - 2) };
  if (canvas.folds === "unfolded") return indented(blocks.flatMap((each) => draw(each, room)));
  const isDenied = (each: Block): boolean => each.kind === "call" && each.state === "denied";
  const shown = state === "running" ? blocks.slice(-FOLDED_BELOW) : blocks.filter(isDenied);
  return indented(shown.flatMap((each) => draw(each, room).slice(0, 1)));
}
