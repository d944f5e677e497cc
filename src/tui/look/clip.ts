import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";

/** Cuts a line that is too wide; the ellipsis has the room's last columns. */
export function clip(line: string, width: number, ellipsis: string): string {
  return visibleWidth(line) <= width
    ? line
    : truncateToWidth(line, width, ellipsis.length < width ? ellipsis : "");
}

/** Lines of at most that width; what cannot be broken is cut. */
export function wrap(text: string, width: number): readonly string[] {
  const room = Math.max(1, width);
  return wrapTextWithAnsi(text, room).map((line) => clip(line.trimEnd(), room, ""));
}

export function padded(line: string, width: number): string {
  return line + " ".repeat(Math.max(0, width - visibleWidth(line)));
}
