import { oneLine } from "../../record/visible-text.ts";
import { shortened, widthOf } from "../text-width.ts";

/** As much of an id as a row of a list has room for. */
const MOST_COLUMNS = 60;

/** An id may be any text: one that nobody could see, or tell from another, stands in quotes. */
export function visibleId(id: string): string {
  const line = oneLine(id);
  if (id === id.trim() && widthOf(line) > 0) return line;
  return JSON.stringify(id).replace(/[^\x20-\x7e]/gu, escaped);
}

/** The same in a list, or in a sentence. */
export function listedId(id: string, ellipsis = "…"): string {
  return shortened(visibleId(id), MOST_COLUMNS, ellipsis);
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");
}
