import { visibleWidth } from "@earendil-works/pi-tui";
import type { Look } from "../../look/look.ts";
import type { KeyPress } from "../../view/key-press.ts";
import type { Dialog, Pressed } from "../dialog.ts";
import { framed } from "./frame.ts";
import { nameOf } from "./keys.ts";
import { wrapped } from "./lines.ts";
import { drawField, type TextField, textField, textIn, typeInto } from "./text-field.ts";

export interface TextQuestionOptions {
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
