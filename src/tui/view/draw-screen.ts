import { clip } from "../look/clip.ts";
import { inAscii } from "../look/in-ascii.ts";
import type { Look, Space } from "../look/look.ts";
import { harmless, oneLine } from "../look/printable.ts";
import { doingLine } from "./doing-line.ts";
import { queuedLines, todoLines } from "./panels.ts";
import { statusLine } from "./status-line.ts";
import type { ViewState } from "./view-state.ts";

/** The conversation's lines, at most as many as there is room for; and how many lie below what is shown. */
export interface Conversation {
  readonly lines: readonly string[];
  readonly below: number;
}

/** What draws itself in the room that it is given. */
export interface Pieces {
  readonly conversation: (space: Space) => Conversation;
  readonly editor: (space: Space) => readonly string[];
  /** Where a dialog is open: it has the editor's place, or all of the screen. */
  readonly dialog:
    | { readonly extent: "full" | "part"; readonly draw: (space: Space) => readonly string[] }
    | undefined;
  readonly keys: (width: number) => readonly string[];
}

const SMALLEST: Space = { width: 20, rows: 6 };
/** Panels leave most of the room to the conversation. */
const PANEL_SHARE = 3;

/** Exactly `rows` lines, none wider than the screen: conversation above, then what moves, then where one types, then the status. */
export function drawScreen(
  view: ViewState,
  pieces: Pieces,
  { space, look }: { space: Space; look: Look },
): string[] {
  const { width, rows } = space;
  if (width < SMALLEST.width || rows < SMALLEST.rows) return tooSmall(space, look);
  const status = statusLine(view, width, look);
  const { dialog } = pieces;
  if (dialog?.extent === "full")
    return fitted([...filled(dialog.draw({ width, rows: rows - 1 }), rows - 1), status], space, look);
  const below = belowConversation(view, pieces, { space, look });
  // Kept free while one is scrolled up, so that saying how far moves nothing.
  const reserved = view.scroll > 0 && view.hint === undefined ? 1 : 0;
  const room = Math.max(0, rows - below.length - 1 - reserved);
  const { lines, below: further } = room === 0 ? NO_ROOM : pieces.conversation({ width, rows: room });
  const scrolled = reserved === 0 ? [] : [further === 0 ? "" : scrolledLine(further, width, look)];
  return fitted([...filled(lines, room), ...scrolled, ...below, status], space, look);
}

const NO_ROOM: Conversation = { lines: [], below: 0 };

function scrolledLine(lines: number, width: number, { paint, strings, glyphs }: Look): string {
  return clip(paint.dim(strings.terminal.screen.hints.scrolled(lines)), width, glyphs.ellipsis);
}

function belowConversation(
  view: ViewState,
  pieces: Pieces,
  { space, look }: { readonly space: Space; readonly look: Look },
): readonly string[] {
  const { width, rows } = space;
  const typing =
    pieces.dialog === undefined
      ? pieces.editor({ width, rows: Math.floor(rows / 2) })
      : pieces.dialog.draw({ width, rows: rows - 3 });
  const moving = doingLine(view, width, look);
  const hint =
    view.hint === undefined ? [] : [look.paint.dim(clip(oneLine(view.hint), width, look.glyphs.ellipsis))];
  const lines = [
    ...(moving === undefined ? [] : [moving]),
    ...queuedLines(view, width, look),
    ...typing,
    ...hint,
  ];
  const left = Math.max(0, rows - lines.length - 2);
  return [
    ...panelLines(view, pieces, {
      space: { width, rows: Math.min(left, Math.floor(rows / PANEL_SHARE)) },
      look,
    }),
    ...lines,
  ];
}

function panelLines(
  view: ViewState,
  { keys }: Pieces,
  { space, look }: { readonly space: Space; readonly look: Look },
): readonly string[] {
  if (space.rows <= 0 || view.panel === "none") return [];
  // Who asks for the keys wants to read all of them.
  if (view.panel === "keys") return someOf(keys(space.width), space.rows * 2, look);
  return todoLines(view, space, look);
}

/** The first of them, with a sign where there are more. */
function someOf(lines: readonly string[], most: number, { paint, glyphs }: Look): readonly string[] {
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), paint.dim(glyphs.ellipsis)];
}

function filled(lines: readonly string[], rows: number): readonly string[] {
  return [...lines, ...Array.from({ length: Math.max(0, rows - lines.length) }, () => "")].slice(0, rows);
}

/** The last word: a line that is too wide would end the program, and one that commands the terminal could do anything. */
function fitted(lines: readonly string[], { width, rows }: Space, { glyphs }: Look): string[] {
  const written = glyphs.ellipsis === "…" ? (line: string) => line : inAscii;
  return lines.slice(-rows).map((line) => clip(written(harmless(line)), width, ""));
}

function tooSmall(space: Space, look: Look): string[] {
  return fitted(filled([look.strings.terminal.screen.tooSmall], space.rows), space, look);
}
