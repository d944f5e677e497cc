import { visibleWidth } from "@earendil-works/pi-tui";
import { padded } from "../../look/clip.ts";
import type { Look } from "../../look/look.ts";
import { cut } from "../pieces/lines.ts";

const WIDE = 76;
const GAP = 2;

/** What the keys do, in one column, or in two where there is room. */
export function keysHelp(width: number, look: Look): string[] {
  const { title, rows } = look.strings.terminal.dialogs.keysHelp;
  const columns = width >= WIDE ? 2 : 1;
  const room = Math.floor((width - GAP * (columns - 1)) / columns);
  const widest = rows.reduce((most, [key]) => Math.max(most, visibleWidth(key)), 0);
  const cells = rows.map(([key, does]) => {
    const means = cut(does, Math.max(1, room - widest - GAP), look);
    return padded(`${look.paint.accent(padded(key, widest))}${" ".repeat(GAP)}${means}`, room);
  });
  const height = Math.ceil(cells.length / columns);
  const lines = Array.from({ length: height }, (_, line) =>
    Array.from({ length: columns }, (_unused, column) => cells[column * height + line] ?? "")
      .join(" ".repeat(GAP))
      .trimEnd(),
  );
  return [look.paint.strong(cut(title, width, look)), ...lines];
}
