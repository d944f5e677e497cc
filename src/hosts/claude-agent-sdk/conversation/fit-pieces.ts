import type { Piece } from "./pieces.ts";

/** Who gives way first. What the person said comes last, and has no form that is nothing. */
const PASSES: readonly { readonly by: Piece["by"]; readonly form: number; readonly of: "older" | "all" }[] = [
  { by: "agent", form: 1, of: "older" },
  { by: "agent", form: 2, of: "older" },
  { by: "agent", form: 1, of: "all" },
  { by: "agent", form: 2, of: "all" },
  { by: "ours", form: 1, of: "all" },
  { by: "ours", form: 2, of: "all" },
  { by: "person", form: 1, of: "all" },
  { by: "person", form: 2, of: "all" },
];
/** How much of all the room is for what was done last, before that is shortened too. */
const RECENT = 0.4;
/** An empty line parts one piece from the next. */
const BETWEEN = 2;

/** The text of each piece, the oldest shortened first, so that all of them have `most` characters if that can be. */
export function fitPieces(pieces: readonly Piece[], most: number): readonly string[] {
  const texts = pieces.map(({ forms }) => forms[0] ?? "");
  let total = texts.reduce((sum, text) => sum + text.length + BETWEEN, 0);
  const recent = total <= most ? 0 : firstRecent(texts, most * RECENT);
  for (const { index, text } of shorterForms(pieces, recent)) {
    if (total <= most) break;
    total += text.length - (texts[index] ?? "").length;
    texts[index] = text;
  }
  return texts;
}

function firstRecent(texts: readonly string[], room: number): number {
  let [index, left] = [texts.length, room];
  while (index > 0 && left >= (texts[index - 1] ?? "").length) {
    index -= 1;
    left -= (texts[index] ?? "").length;
  }
  return index;
}

/** What may be said instead, in the order in which it is. */
function* shorterForms(
  pieces: readonly Piece[],
  recent: number,
): Generator<{ readonly index: number; readonly text: string }> {
  for (const { by, form, of } of PASSES) {
    for (const [index, piece] of pieces.slice(0, of === "all" ? pieces.length : recent).entries()) {
      const text = piece.by === by ? piece.forms[form] : undefined;
      if (text !== undefined) yield { index, text };
    }
  }
}
