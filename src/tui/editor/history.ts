import { CURSOR_MARKER } from "@earendil-works/pi-tui";
import { clip } from "../look/clip.ts";
import type { Look } from "../look/look.ts";
import { flat, oneLine } from "../look/printable.ts";
import type { KeyPress } from "../view/key-press.ts";

/** Where one is in what was typed before; undefined while one types something new. */
export interface HistoryPlace {
  /** 0 is the newest. */
  readonly back: number;
  /** What stood there before one began to look back. */
  readonly draft: string;
}

export interface Recalled {
  readonly place: HistoryPlace | undefined;
  readonly text: string;
}

/** `entries`: oldest first. Undefined where there is nothing older. */
export function older(
  entries: readonly string[],
  place: HistoryPlace | undefined,
  typed: string,
): Recalled | undefined {
  const back = (place?.back ?? -1) + 1;
  const text = entries.at(-1 - back);
  if (text === undefined || back >= entries.length) return undefined;
  return { place: { back, draft: place?.draft ?? typed }, text };
}

/** After the newest comes what one was typing. */
export function newer(entries: readonly string[], place: HistoryPlace | undefined): Recalled | undefined {
  if (place === undefined) return undefined;
  if (place.back === 0) return { place: undefined, text: place.draft };
  const back = place.back - 1;
  return { place: { ...place, back }, text: entries.at(-1 - back) ?? "" };
}

/** The same thing twice in a row is kept once. */
export function remembered(entries: readonly string[], typed: string): readonly string[] {
  const text = typed.trim();
  return text === "" || entries.at(-1) === text ? entries : [...entries, text];
}

/** A search backwards through what was typed before. */
export interface HistorySearch {
  readonly searched: string;
  /** All that match, newest first, each text once. */
  readonly matches: readonly string[];
  readonly chosen: number;
}

export type SearchPressed =
  | { readonly search: HistorySearch }
  | { readonly taken: string }
  | { readonly left: true };

/** `entries`: oldest first. */
export function searchHistory(entries: readonly string[], searched: string): HistorySearch {
  const wanted = searched.toLowerCase();
  const newestFirst = [...new Set([...entries].reverse())];
  return {
    searched,
    matches: newestFirst.filter((entry) => entry.toLowerCase().includes(wanted)),
    chosen: 0,
  };
}

export function pressSearch(
  search: HistorySearch,
  { key, text }: KeyPress,
  entries: readonly string[],
): SearchPressed {
  const { searched, matches, chosen } = search;
  const move = (to: number): SearchPressed => ({
    search: { ...search, chosen: Math.max(0, Math.min(to, matches.length - 1)) },
  });
  switch (key) {
    case "escape":
    case "ctrl+c":
    case "ctrl+g":
      return { left: true };
    case "enter":
    case "tab":
    case "right": {
      const taken = matches[chosen];
      return taken === undefined ? { left: true } : { taken };
    }
    case "ctrl+r":
    case "up":
      return move(chosen + 1);
    case "ctrl+s":
    case "down":
      return move(chosen - 1);
    case "backspace":
      return { search: searchHistory(entries, [...searched].slice(0, -1).join("")) };
    case "ctrl+u":
      return { search: searchHistory(entries, "") };
    default:
      return text === undefined ? { search } : { search: searchHistory(entries, searched + flat(text)) };
  }
}

const MOST_SHOWN = 5;

/** The matches, the newest nearest to the line that is typed into. */
export function searchLines(search: HistorySearch, width: number, look: Look): readonly string[] {
  const { paint, glyphs, strings } = look;
  const words = strings.terminal.editor.search;
  const first = Math.max(0, search.chosen - MOST_SHOWN + 1);
  const rows = search.matches.slice(first, first + MOST_SHOWN).map((match, index) => {
    const line = oneLine(match);
    return first + index === search.chosen
      ? paint.chosen(`${glyphs.chosen} ${line}`)
      : paint.dim(`  ${line}`);
  });
  const found =
    search.matches.length === 0 ? words.none : words.found(search.chosen + 1, search.matches.length);
  const typed = `${paint.accent(words.title)} ${search.searched}${CURSOR_MARKER}\x1b[7m \x1b[0m  ${paint.dim(found)}`;
  return [...rows.reverse(), typed].map((line) => clip(line, width, glyphs.ellipsis));
}
