import { type Drawers, type DrawText, drawDiff as drawPatch } from "../../dialogs/pieces/drawn-text.ts";
import { drawDiff } from "../../transcript/drawing/diff/draw-diff.ts";
import { hunksOf } from "../../transcript/drawing/diff/hunk.ts";
import { drawMarkdown } from "../../transcript/drawing/markdown.ts";

/** More than anybody reads before saying yes; a last line says how many more there are. */
const MOST_LINES = 20_000;

/** Markdown as the conversation draws it; a patch of several files line by line, with the names of its files. */
export const drawers: Drawers = {
  markdown: (text, width, look) => drawMarkdown({ text }, width, look),
  diff: drawPatch,
};

/** The change of one file, with line numbers, as below a call. */
export const drawChange: DrawText = (text, width, look) =>
  drawDiff(hunksOf(text), { width, most: MOST_LINES, long: "wrap" }, look);
