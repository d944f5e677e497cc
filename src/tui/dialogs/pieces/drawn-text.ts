import type { Brush, Look } from "../../look/look.ts";
import { cut, wrapped } from "./lines.ts";

/** How texts become lines; the screen has better ways for Markdown than this folder knows. */
export interface Drawers {
  readonly markdown: DrawText;
  readonly diff: DrawText;
}

export type DrawText = (text: string, width: number, look: Look) => readonly string[];

export function drawPlain(text: string, width: number): readonly string[] {
  return wrapped(untabbed(text), width);
}

/** A unified diff, one line for each of its lines. */
export function drawDiff(text: string, width: number, look: Look): readonly string[] {
  return untabbed(text.replace(/\n$/u, ""))
    .split("\n")
    .map((line) => brushFor(line, look)(cut(line, width, look)));
}

function brushFor(line: string, { paint }: Look): Brush {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("diff ")) return paint.strong;
  if (line.startsWith("@@")) return paint.accent;
  if (line.startsWith("+")) return paint.added;
  if (line.startsWith("-")) return paint.removed;
  return paint.dim;
}

function untabbed(text: string): string {
  return text.replaceAll("\t", "  ");
}
