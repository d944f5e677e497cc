import { visibleWidth } from "@earendil-works/pi-tui";
import { clip, padded, wrap } from "../../look/clip.ts";
import type { Look } from "../../look/look.ts";
import { flat, spoken } from "../../look/printable.ts";

const PART = "…";

/** Plain text in at most that many columns. It is cut before it is painted, so that no colour is cut open. */
export function cut(text: string, width: number, look?: Look): string {
  return clip(flat(text), width, look?.glyphs.ellipsis ?? PART);
}

/** Plain text on as many lines as it needs, `most` at most. */
export function wrapped(text: string, width: number, most = Number.POSITIVE_INFINITY): string[] {
  const lines = [...wrap(spoken(text), width)];
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), cut(`${lines[most - 1]} ${PART}`, width)].slice(0, most);
}

/** `left`, and at the right end of the line `right`, which gives way where both have no room. */
export function between(left: string, right: string, width: number): string {
  const room = width - visibleWidth(right) - 1;
  if (right === "" || visibleWidth(left) > room) return cut(left, width);
  return `${padded(left, room)} ${right}`;
}

/** A row that can be chosen: the one that is has a sign before it, for those who see no colours. */
export function choosable(text: string, is: "chosen" | "not", look: Look): string {
  return is === "chosen"
    ? look.paint.chosen(`${look.glyphs.chosen} ${text}`)
    : `${" ".repeat(visibleWidth(look.glyphs.chosen))} ${text}`;
}

/** The columns that are left for the text of a row that can be chosen. */
export function rowRoom(width: number, look: Look): number {
  return Math.max(1, width - visibleWidth(look.glyphs.chosen) - 1);
}
