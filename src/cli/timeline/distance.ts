import type { Outline } from "../../timeline/outline.ts";
import { isEntryToCount, type Row } from "../../timeline/row.ts";
import { contextTokens } from "../../timeline/tokens/count.ts";

/** What lies between two places: the entries that only the way to the one has, and those that only the other has. */
export interface Distance {
  readonly left: number;
  readonly back: number;
}

export function distance(outline: Outline, from: Row | undefined, to: Row | undefined): Distance {
  const { left, back } = apart(outline, from, to);
  return { left: left.filter(isEntryToCount).length, back: back.filter(isEntryToCount).length };
}

/** The rows that only the way to `from` has, newest first. */
export function wayLeft(outline: Outline, from: Row | undefined, to: Row | undefined): readonly Row[] {
  return apart(outline, from, to).left;
}

function apart(
  outline: Outline,
  from: Row | undefined,
  to: Row | undefined,
): { readonly left: readonly Row[]; readonly back: readonly Row[] } {
  const left: Row[] = [];
  const back: Row[] = [];
  let [a, b] = [from, to];
  // Parents stand above their children in the log, so the later of the two is never on the way to the earlier.
  while (a?.seq !== b?.seq) {
    if (a !== undefined && (b === undefined || a.seq > b.seq)) {
      left.push(a);
      a = outline.at(a.parent);
    } else if (b !== undefined) {
      back.push(b);
      b = outline.at(b.parent);
    }
  }
  return { left, back };
}

export interface Effect extends Distance {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** What it does to the conversation to go from the head to `place`. */
export function effectOf(outline: Outline, place: Row): Effect {
  return {
    ...distance(outline, outline.head, place),
    tokensBefore: contextTokens(outline, outline.head),
    tokensAfter: contextTokens(outline, place),
  };
}

/** What a journey of files alone does to the conversation. */
export function noEffect(outline: Outline): Effect {
  const tokens = contextTokens(outline, outline.head);
  return { left: 0, back: 0, tokensBefore: tokens, tokensAfter: tokens };
}
