import type { Outline } from "../../timeline/outline.ts";
import { wayLeft } from "../../timeline/outline.ts";
import { isEntryToCount, type Row } from "../../timeline/row.ts";
import { contextTokens } from "../../timeline/token-count.ts";

/** What lies between two places: the entries that only the way to the one has, and those that only the other has. */
export interface Distance {
  readonly left: number;
  readonly back: number;
}

export function distance(outline: Outline, from: Row | undefined, to: Row | undefined): Distance {
  return {
    left: wayLeft(outline, from, to).filter(isEntryToCount).length,
    back: wayLeft(outline, to, from).filter(isEntryToCount).length,
  };
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
