/** What became of a text, or why nothing did. */
export type Replaced =
  | {
      readonly text: string;
      /** Where the new pieces stand in the new text: offsets, in order. */
      readonly pieces: readonly Piece[];
    }
  | { readonly refused: "missing" | "unchanged" }
  | { readonly refused: "several"; readonly times: number };

interface Piece {
  readonly start: number;
  readonly end: number;
}

export interface Replacement {
  readonly old: string;
  readonly by: string;
  readonly times: "once" | "all";
}

/**
 * Replaces a text by another. A line break of `old` matches both kinds; what is put in its place gets the kind that
 * stood there, and everything around it stays as it was, to the byte.
 */
export function replaceText(text: string, { old, by, times }: Replacement): Replaced {
  const wanted = flat(old);
  const found = placesOf(flat(text), wanted);
  if (found.length === 0) return { refused: "missing" };
  if (found.length > 1 && times === "once") return { refused: "several", times: found.length };
  const borders = unflatten(
    text,
    found.flatMap((place) => [place, place + wanted.length]),
  );
  const pieces: Piece[] = [];
  let result = "";
  let done = 0;
  for (let index = 0; index < borders.length; index += 2) {
    const [start = 0, end = 0] = borders.slice(index, index + 2);
    result += text.slice(done, start);
    const piece = withEndings(by, endingFor(text, text.slice(start, end)));
    pieces.push({ start: result.length, end: result.length + piece.length });
    result += piece;
    done = end;
  }
  result += text.slice(done);
  return result === text ? { refused: "unchanged" } : { text: result, pieces };
}

function flat(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function placesOf(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    places.push(at);
  return places;
}

/** Where places of the flat text, in ascending order, stand in the text itself. */
function unflatten(text: string, places: readonly number[]): number[] {
  let returns = 0;
  let next = text.indexOf("\r\n");
  return places.map((place) => {
    while (next !== -1 && next - returns < place) {
      returns += 1;
      next = text.indexOf("\r\n", next + 2);
    }
    return place + returns;
  });
}

/** The kind of line break that belongs here: that of what is replaced, else what most lines of the file have. */
function endingFor(text: string, replaced: string): "\r\n" | "\n" {
  const sample = replaced.includes("\n") ? replaced : text;
  const returns = sample.split("\r\n").length - 1;
  const all = sample.split("\n").length - 1;
  return returns > all / 2 ? "\r\n" : "\n";
}

function withEndings(text: string, ending: "\r\n" | "\n"): string {
  // With "\n" it stays as given: whoever writes "\r\n" there means it.
  return ending === "\n" ? text : flat(text).replaceAll("\n", "\r\n");
}
