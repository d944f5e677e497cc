import { CURSOR_MARKER, visibleWidth } from "@earendil-works/pi-tui";
import { graphemesOf, wrapped } from "../look/lines.ts";
import type { Look } from "../look/look.ts";
import { flat, typable } from "../look/printable.ts";
import { type KeyPress, nameOf } from "../terminal/keys.ts";
import { type Dialog, framed, type Pressed } from "./dialog.ts";

/** One line of text that is being typed. The cursor stands before the grapheme of that index. */
export interface TextField {
  readonly graphemes: readonly string[];
  readonly cursor: number;
}

export function textField(text = ""): TextField {
  const graphemes = [...graphemesOf(flat(typable(text)))];
  return { graphemes, cursor: graphemes.length };
}

export function textIn(field: TextField): string {
  return field.graphemes.join("");
}

/** Undefined for a key that means nothing to a line of text. */
export function typeInto(field: TextField, key: KeyPress): TextField | undefined {
  const moved = movements[key.key]?.(field);
  if (moved !== undefined) return moved;
  return key.text === undefined || key.text === "" || isCommand(key) ? undefined : insert(field, key.text);
}

/** The part of the text around the cursor that fits; with "bullets" for each grapheme, where nobody may read it. */
export function drawField(field: TextField, width: number, as: "text" | "bullets" = "text"): string {
  const shown = as === "text" ? field.graphemes : field.graphemes.map(() => "•");
  const room = Math.max(1, width - 1);
  let first = field.cursor;
  let used = 0;
  for (; first > 0; first -= 1) {
    const next = visibleWidth(shown[first - 1] ?? "");
    if (used + next > room) break;
    used += next;
  }
  let end = field.cursor;
  for (; end < shown.length; end += 1) {
    const next = visibleWidth(shown[end] ?? "");
    if (used + next > room) break;
    used += next;
  }
  return `${shown.slice(first, field.cursor).join("")}${CURSOR_MARKER}${shown.slice(field.cursor, end).join("")}`;
}

const movements: Readonly<Record<string, (field: TextField) => TextField>> = {
  left: (field) => at(field, field.cursor - 1),
  right: (field) => at(field, field.cursor + 1),
  home: (field) => at(field, 0),
  end: (field) => at(field, field.graphemes.length),
  "ctrl+a": (field) => at(field, 0),
  "ctrl+e": (field) => at(field, field.graphemes.length),
  backspace: (field) => without(field, field.cursor - 1, field.cursor),
  delete: (field) => without(field, field.cursor, field.cursor + 1),
  "ctrl+u": (field) => without(field, 0, field.cursor),
  "ctrl+k": (field) => without(field, field.cursor, field.graphemes.length),
  "ctrl+w": (field) => without(field, wordBefore(field), field.cursor),
};

function at(field: TextField, cursor: number): TextField {
  return { ...field, cursor: Math.max(0, Math.min(cursor, field.graphemes.length)) };
}

function without(field: TextField, from: number, to: number): TextField {
  const first = Math.max(0, from);
  return { graphemes: [...field.graphemes.slice(0, first), ...field.graphemes.slice(to)], cursor: first };
}

function wordBefore({ graphemes, cursor }: TextField): number {
  let start = cursor;
  while (start > 0 && graphemes[start - 1]?.trim() === "") start -= 1;
  while (start > 0 && graphemes[start - 1]?.trim() !== "") start -= 1;
  return start;
}

/** The whole text is cut into graphemes again: what was typed may join what stands before or after it. */
function insert({ graphemes, cursor }: TextField, text: string): TextField {
  const before = graphemes.slice(0, cursor).join("") + flat(typable(text));
  const after = graphemes.slice(cursor).join("");
  const whole = [...graphemesOf(before + after)];
  let length = 0;
  let next = 0;
  while (next < whole.length && length < before.length) length += whole[next++]?.length ?? 0;
  return { graphemes: whole, cursor: next };
}

function isCommand({ key }: KeyPress): boolean {
  return (
    key.startsWith("ctrl+") || key.startsWith("alt+") || key === "enter" || key === "escape" || key === "tab"
  );
}

interface TextQuestionOptions {
  readonly title: string;
  readonly about?: readonly string[];
  readonly text?: string;
  /** "bullets": for a key or a password, which is not to be read on the screen. */
  readonly shown?: "text" | "bullets";
  readonly keys: string;
}

/** Asks for one line of text. An empty one is an answer too; Esc is none. */
export function textQuestion(options: TextQuestionOptions): Dialog<TextField, string> {
  return {
    start: textField(options.text),
    extent: "part",
    press: pressField,
    draw: (field, space, look) =>
      framed(
        {
          title: options.title,
          head: (options.about ?? [])
            .flatMap((line) => wrapped(line, space.width))
            .slice(0, Math.max(0, space.rows - 3)),
          body: () => [fieldLine(field, { width: space.width, shown: options.shown ?? "text" }, look)],
          keys: options.keys,
        },
        space,
        look,
      ),
  };
}

export function fieldLine(
  field: TextField,
  { width, shown = "text" }: { width: number; shown?: "text" | "bullets" },
  { glyphs, paint }: Look,
): string {
  const sign = `${glyphs.prompt} `;
  return `${paint.accent(sign)}${drawField(field, width - visibleWidth(sign), shown)}`;
}

function pressField(field: TextField, key: KeyPress): Pressed<TextField, string> {
  const name = nameOf(key);
  if (name === "escape") return { answer: undefined };
  if (name === "enter") return { answer: textIn(field).trim() };
  return { state: typeInto(field, key) ?? field };
}
