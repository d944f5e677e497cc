import type { Brush, Look, Space } from "../look/look.ts";
import { between, cut, wrapped } from "../look/text.ts";
import { type KeyPress, nameOf, typed } from "../terminal/keys.ts";
import { type Dialog, keyLines, type Pressed, type Room } from "./dialog.ts";

/** Draws the content of the pager: lines that are at most this wide. */
export type DrawPage = (width: number, look: Look) => readonly string[];

interface PagerState {
  readonly top: number;
  /** "seen" once the end has been on the screen. */
  readonly end?: "seen";
}

const AROUND = 2;

/**
 * Creates a dialog that shows long text on the whole screen. The answer says whether the user reached the end of the
 * text.
 */
export function pager(options: {
  readonly title: string;
  readonly draw: DrawPage;
  readonly keys: string;
}): Dialog<PagerState, "read"> {
  const linesFor = onceForWidth(options.draw);
  return {
    start: { top: 0 },
    extent: "full",
    press: (state, key, room) =>
      pressPager(state, key, { room, count: linesFor(room.width, room.look).length }),
    draw: (state, space, look) => {
      const lines = linesFor(space.width, look);
      const body = Math.max(1, space.rows - AROUND);
      const top = Math.max(0, Math.min(state.top, lines.length - body));
      const shown = lines.slice(top, top + body);
      const end = Math.min(lines.length, top + body);
      return [
        look.paint.strong(
          between(cut(options.title, space.width, look), `${end}/${lines.length}`, space.width),
        ),
        ...shown,
        ...Array.from({ length: body - shown.length }, () => ""),
        look.paint.dim(cut(keyLines(options.keys, space.width, 1).join(""), space.width, look)),
      ].slice(0, space.rows);
    },
  };
}

function pressPager(
  { top, end }: PagerState,
  key: KeyPress,
  { room, count }: { room: Room; count: number },
): Pressed<PagerState, "read"> {
  const name = nameOf(key);
  const letter = typed(key);
  const page = pageOf(room);
  const seen = end ?? (top + page >= count ? "seen" : undefined);
  if (name === "escape" || name === "enter" || letter === "q")
    return { answer: seen === "seen" ? "read" : undefined };
  const last = Math.max(0, count - page);
  const to = MOVES[key.key] ?? MOVES[letter ?? name] ?? {};
  const wanted =
    to.to === "end" ? last : to.to === "start" ? 0 : top + (to.lines ?? 0) + (to.pages ?? 0) * page;
  return {
    state: { top: Math.max(0, Math.min(wanted, last)), ...(seen === undefined ? {} : { end: seen }) },
  };
}

const MOVES: Readonly<
  Record<string, { readonly lines?: number; readonly pages?: number; readonly to?: "start" | "end" }>
> = {
  "wheel-up": { lines: -3 },
  "wheel-down": { lines: 3 },
  up: { lines: -1 },
  k: { lines: -1 },
  down: { lines: 1 },
  j: { lines: 1 },
  pageUp: { pages: -1 },
  b: { pages: -1 },
  pageDown: { pages: 1 },
  space: { pages: 1 },
  home: { to: "start" },
  g: { to: "start" },
  end: { to: "end" },
  G: { to: "end" },
};

function pageOf({ rows }: Space): number {
  return Math.max(1, rows - AROUND);
}

/**
 * Caches the lines for the last width, because laying out long text is slow, and the lines are needed after every key
 * press.
 */
export function onceForWidth(draw: DrawPage): DrawPage {
  let kept: { width: number; paint: Look["paint"]; lines: readonly string[] } | undefined;
  return (width, look) => {
    if (kept?.width !== width || kept.paint !== look.paint) {
      kept = { width, paint: look.paint, lines: draw(width, look) };
    }
    return kept.lines;
  };
}

/**
 * Functions that turn text into lines. The screen provides them, so that dialogs draw Markdown in the same way as the
 * conversation.
 */
export interface Drawers {
  readonly markdown: DrawText;
  readonly diff: DrawText;
}

export type DrawText = (text: string, width: number, look: Look) => readonly string[];

export function drawPlain(text: string, width: number): readonly string[] {
  return wrapped(untabbed(text), width);
}

/** Draws a unified diff, with one screen line for each line of the diff. */
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
