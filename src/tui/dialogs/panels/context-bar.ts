import { visibleWidth } from "@earendil-works/pi-tui";
import type { ContextFill, ContextPart } from "../../../app/queries/query-types.ts";
import { padded } from "../../look/clip.ts";
import type { Brush, Look, Paint } from "../../look/look.ts";
import { shortCount } from "../../view/measures.ts";
import { cut } from "../pieces/lines.ts";

const MOST_BAR = 60;
const PERCENT = 100;
const FIRST_NOT_ASCII = 128;

/** What fills the model's window: a bar with a piece for each part, and what the pieces are. */
export function contextBar({ window, used, parts }: ContextFill, width: number, look: Look): string[] {
  const { glyphs, paint, strings } = look;
  const words = strings.terminal.dialogs.context;
  const held = parts.filter(({ tokens }) => tokens > 0);
  const length = Math.max(1, Math.min(MOST_BAR, width));
  const whole = Math.max(window, used, 1);
  const cells = cellsOf(held, { length, whole });
  const pieces = held.map(({ what }, index) =>
    brushes(paint)[what](signFor(index, glyphs.full).repeat(cells[index] ?? 0)),
  );
  const free = length - cells.reduce((sum, count) => sum + count, 0);
  const names = held.map(({ what }) => words.parts[what]);
  const widest = Math.max(0, ...[...names, words.free].map(visibleWidth));
  const legend = held.map(({ what, tokens }, index) =>
    line(
      `${signFor(index, glyphs.full)} ${padded(names[index] ?? "", widest)}`,
      tokens,
      brushes(paint)[what],
    ),
  );
  const rest = Math.max(0, window - used);
  return [
    cut(words.used(shortCount(used), shortCount(window), percent(used)), width, look),
    `${pieces.join("")}${paint.dim(glyphs.empty.repeat(Math.max(0, free)))}`,
    ...legend,
    line(`${glyphs.empty} ${padded(words.free, widest)}`, rest, paint.dim),
  ];

  function percent(tokens: number): number {
    return Math.round((tokens / whole) * PERCENT);
  }

  function line(name: string, tokens: number, brush: Brush): string {
    return brush(
      cut(
        `${name}  ${shortCount(tokens).padStart(5)}  ${String(percent(tokens)).padStart(3)} %`,
        width,
        look,
      ),
    );
  }
}

/** A part that is there at all has a piece; where pieces are too many, the largest give way. */
function cellsOf(
  parts: ContextFill["parts"],
  { length, whole }: { length: number; whole: number },
): number[] {
  const cells = parts.map(({ tokens }) => Math.max(1, Math.round((tokens / whole) * length)));
  let over = cells.reduce((sum, count) => sum + count, 0) - length;
  while (over > 0) {
    const largest = cells.indexOf(Math.max(...cells));
    cells[largest] = Math.max(0, (cells[largest] ?? 0) - 1);
    over -= 1;
  }
  return cells;
}

/** Neighbours differ without colours too. */
function signFor(index: number, full: string): string {
  const signs = full.charCodeAt(0) < FIRST_NOT_ASCII ? [full, "=", "+"] : [full, "▓", "▒"];
  return signs[index % signs.length] ?? full;
}

function brushes(paint: Paint): Readonly<Record<ContextPart, Brush>> {
  return {
    system: paint.accent,
    tools: paint.link,
    summary: paint.quote,
    prompts: paint.said,
    replies: paint.good,
    results: paint.warning,
    notes: paint.heading,
  };
}
