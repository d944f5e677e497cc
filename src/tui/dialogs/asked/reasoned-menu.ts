import type { Look } from "../../look/look.ts";
import type { KeyPress } from "../../view/key-press.ts";
import { nameOf } from "../pieces/keys.ts";
import { type MenuRow, menuRows, pressMenu } from "../pieces/menu.ts";
import { type TextField, textField, textIn, typeInto } from "../pieces/text-field.ts";
import { fieldLine } from "../pieces/text-question.ts";

/** The reason of who gives none. The model reads it, so it is the same in all languages. */
export const SAID_NO = "The person said no.";

/** A menu with a row that wants words: they are typed in the menu's place. */
export interface ReasonedState {
  readonly chosen: number;
  readonly reason?: TextField;
}

export type ReasonedPressed<Answer> =
  | { readonly to: "state"; readonly state: ReasonedState }
  | { readonly to: "answer"; readonly answer: Answer }
  | { readonly to: "reason"; readonly reason: string }
  | { readonly to: "leave" };

export type ReasonedRow<Answer> = MenuRow<Answer | "words">;

/** Esc in the words goes back to the rows; words that are empty are no words yet. */
export function pressReasoned<Answer>(
  { chosen, reason }: ReasonedState,
  key: KeyPress,
  rows: readonly ReasonedRow<Answer>[],
): ReasonedPressed<Answer> {
  if (reason !== undefined) {
    const name = nameOf(key);
    if (name === "escape") return { to: "state", state: { chosen } };
    if (name !== "enter") return { to: "state", state: { chosen, reason: typeInto(reason, key) ?? reason } };
    const text = textIn(reason).trim();
    return text === "" ? { to: "state", state: { chosen, reason } } : { to: "reason", reason: text };
  }
  const pressed = pressMenu({ chosen }, key, rows);
  if ("state" in pressed) return { to: "state", state: pressed.state };
  if (pressed.answer === undefined) return { to: "leave" };
  if (pressed.answer !== "words") return { to: "answer", answer: pressed.answer };
  return {
    to: "state",
    state: { chosen: rows.findIndex((row) => row.answer === "words"), reason: textField() },
  };
}

export function drawReasoned<Answer>(
  { chosen, reason }: ReasonedState,
  rows: readonly ReasonedRow<Answer>[],
  { width, height, look }: { width: number; height: number; look: Look },
): string[] {
  return reason === undefined
    ? menuRows({ rows, chosen, height, long: "wrap" }, width, look)
    : [fieldLine(reason, { width }, look)];
}
