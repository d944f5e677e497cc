import { CURSOR_MARKER } from "@earendil-works/pi-tui";
import { type ImagePart, type Part, textOf, textPart } from "../../record/parts.ts";
import type { Look } from "../look/look.ts";
import { clip, flat, oneLine } from "../look/text.ts";
import type { KeyPress } from "../terminal/keys.ts";

/** An input that the user sent. */
export type Submission =
  | { readonly kind: "prompt"; readonly parts: readonly Part[] }
  /** "model": the command's output is added to the conversation. */
  | { readonly kind: "shell"; readonly command: string; readonly visibility: "model" | "user-only" }
  | { readonly kind: "slash"; readonly name: string; readonly words: string }
  | { readonly kind: "nothing" };

export type TypingMode = "prompt" | "shell" | "shell-private" | "slash";

export function readSubmission(text: string, images: ReadonlyMap<number, ImagePart>): Submission {
  const trimmed = text.trim();
  const mode = typingMode(trimmed);
  if (mode === "shell" || mode === "shell-private") return shellOf(trimmed, mode);
  const slash = parseSlash(trimmed);
  if (slash !== undefined) return { kind: "slash", ...slash };
  return trimmed === "" || trimmed === "/"
    ? { kind: "nothing" }
    : { kind: "prompt", parts: partsOf(trimmed, images) };
}

/**
 * Splits text that was returned to the editor as several inputs. An input from `returned` that still appears in the
 * text remains a prompt or a command. A paragraph that begins with `!` counts as an edited command only if a returned
 * command is missing from the text. Text quoted in a prompt must never run. Everything else is a prompt.
 */
export function splitInputs(text: string, returned: readonly string[]): readonly string[] {
  const left = returned.toSorted((a, b) => b.length - a.length);
  let edited = returned.filter((input) => isCommand(input) && !holds(text, input)).length;
  const inputs: string[] = [];
  let prompt: string[] = [];
  let isInEdited = false;
  const endPrompt = (): void => {
    if (prompt.length > 0) inputs.push(prompt.join("\n\n"));
    prompt = [];
  };
  for (let rest = text.trim(); rest !== ""; ) {
    const at = left.findIndex((input) => rest === input || rest.startsWith(`${input}\n\n`));
    const known = at === -1 ? undefined : left.splice(at, 1)[0];
    const piece = known ?? rest.split(/\n[^\S\n]*\n/u, 1)[0] ?? rest;
    rest = rest.slice(piece.length).replace(/^(?:[^\S\n]*\n)+/u, "");
    const isEditedCommand = known === undefined && !isInEdited && edited > 0 && piece.startsWith("!");
    if (isEditedCommand) edited -= 1;
    if (isEditedCommand || (known !== undefined && isCommand(known))) {
      endPrompt();
      inputs.push(piece);
      isInEdited = false;
    } else {
      prompt.push(piece);
      isInEdited = known === undefined;
    }
  }
  endPrompt();
  return inputs;
}

function isCommand(input: string): boolean {
  return typingMode(input) !== "prompt";
}

/** Checks whether the text contains the input as one or more whole paragraphs. */
function holds(text: string, input: string): boolean {
  return `\n\n${text.trim()}\n\n`.includes(`\n\n${input}\n\n`);
}

/** Returns the kind of input being typed, which determines the prompt symbol and the editor's border. */
export function typingMode(text: string): TypingMode {
  const begun = text.trimStart();
  if (begun.startsWith("!!")) return "shell-private";
  if (begun.startsWith("!")) return "shell";
  return parseSlash(begun) === undefined ? "prompt" : "slash";
}

function shellOf(text: string, mode: "shell" | "shell-private"): Submission {
  const command = text.slice(mode === "shell" ? 1 : 2).trim();
  if (command === "") return { kind: "nothing" };
  return { kind: "shell", command, visibility: mode === "shell" ? "model" : "user-only" };
}

/** A slash command that the user typed. */
export interface SlashTyped {
  /** The name in lowercase, without the slash. There may be no command with this name. */
  readonly name: string;
  readonly words: string;
}

/**
 * Parses a slash command. Returns undefined if the text is not a command, for example because it begins with a path:
 * `/usr/bin is broken`.
 */
export function parseSlash(text: string): SlashTyped | undefined {
  const [, name, words] = /^\/([a-z][a-z-]*)(?:\s+([\s\S]*))?$/iu.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), words: (words ?? "").trim() };
}

/** The position in the history of typed inputs; undefined while the user types something new. */
export interface HistoryPlace {
  /** Number of inputs to go back. 0 is the newest input. */
  readonly back: number;
  /** The text that was in the editor before the user began to browse the history. */
  readonly draft: string;
}

export interface Recalled {
  readonly place: HistoryPlace | undefined;
  readonly text: string;
}

/** Returns the next older input, or undefined if there is none. `entries` are oldest first. */
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

/** Returns the next newer input. After the newest input, returns the user's draft. */
export function newer(entries: readonly string[], place: HistoryPlace | undefined): Recalled | undefined {
  if (place === undefined) return undefined;
  if (place.back === 0) return { place: undefined, text: place.draft };
  const back = place.back - 1;
  return { place: { ...place, back }, text: entries.at(-1 - back) ?? "" };
}

/** Adds an input to the history. An input that repeats the last one is not added again. */
export function remembered(entries: readonly string[], typed: string): readonly string[] {
  const text = typed.trim();
  return text === "" || entries.at(-1) === text ? entries : [...entries, text];
}

/** A backward search through the history. */
export interface HistorySearch {
  readonly searched: string;
  /** All matches, newest first, without duplicates. */
  readonly matches: readonly string[];
  readonly chosen: number;
}

type SearchPressed =
  | { readonly search: HistorySearch }
  | { readonly taken: string }
  | { readonly left: true };

/** Searches the history. `entries` are oldest first. */
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

const MAX_SHOWN = 5;

/** Draws the lines of the search. The newest match is next to the line where the user types. */
export function searchLines(search: HistorySearch, width: number, look: Look): readonly string[] {
  const { paint, glyphs, strings } = look;
  const words = strings.terminal.editor.search;
  const first = Math.max(0, search.chosen - MAX_SHOWN + 1);
  const rows = search.matches.slice(first, first + MAX_SHOWN).map((match, index) => {
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

/** Returns the marker for an image in the text. The image itself is stored separately under its number. */
export function imageMarker(number: number): string {
  return `[image #${number}]`;
}

const MARKER = /\[image #(\d+)\]/gu;

/** Returns a number that is not used by any image or by any marker in the text. */
export function freeImageNumber(text: string, images: ReadonlyMap<number, ImagePart>): number {
  return Math.max(0, ...images.keys(), ...markersIn(text)) + 1;
}

/** Returns the typed text with its markers, followed by the images that it names, in the order of their markers. */
function partsOf(text: string, images: ReadonlyMap<number, ImagePart>): readonly Part[] {
  const named = markersIn(text).flatMap((number) => images.get(number) ?? []);
  return [textPart(text), ...named];
}

interface TextAndImages {
  readonly text: string;
  readonly images: ReadonlyMap<number, ImagePart>;
}

/** Returns a prompt in a form that can be edited again. Each image has a marker. New markers are added at the end. */
export function editable(content: string | readonly Part[]): TextAndImages {
  if (typeof content === "string") return { text: content, images: new Map() };
  const images = content.flatMap((part) => (part.type === "image" ? [part] : []));
  const text = textOf(content);
  const numbers = markersIn(text).slice(0, images.length);
  let next = freeImageNumber(text, new Map());
  while (numbers.length < images.length) numbers.push(next++);
  const added = numbers.map(imageMarker).filter((marker) => !text.includes(marker));
  const held = images.flatMap((image, index): (readonly [number, ImagePart])[] => {
    const number = numbers[index];
    return number === undefined ? [] : [[number, image]];
  });
  return { text: [text, ...added].filter((piece) => piece !== "").join(" "), images: new Map(held) };
}

/**
 * Joins several pieces of text with blank lines. If two pieces use the same image number, it is changed in the later
 * piece.
 */
export function joined(pieces: readonly TextAndImages[]): TextAndImages {
  let images: ReadonlyMap<number, ImagePart> = new Map();
  const texts: string[] = [];
  for (const piece of pieces) {
    const renumbered = new Map<number, number>();
    let text = piece.text;
    for (const [number, image] of piece.images) {
      const taken = images.has(number) || renumbered.has(number);
      const free = taken ? freeImageNumber([...texts, piece.text].join("\n"), images) : number;
      renumbered.set(number, free);
      images = new Map([...images, [free, image]]);
    }
    text = text.replaceAll(MARKER, (marker, number: string) => {
      const to = renumbered.get(Number(number));
      return to === undefined ? marker : imageMarker(to);
    });
    texts.push(text);
  }
  return { text: texts.join("\n\n"), images };
}

function markersIn(text: string): number[] {
  return [...new Set([...text.matchAll(MARKER)].map(([, number]) => Number(number)))];
}
