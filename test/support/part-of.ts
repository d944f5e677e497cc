/** Under torture all counts are the full ones. */
const isFull = process.env["WORLDLINE_TORTURE"] !== undefined;

/**
 * The part of many cases that `npm test` tries: every `of`-th one, beginning with the `from`-th. `npm run torture` tries all.
 * Variants of one test begin at different cases, so that each case is tried by one of them.
 */
export function partOf<T>(cases: readonly T[], of: number, from = 0): readonly T[] {
  return isFull ? cases : cases.filter((_, index) => index % of === from % of);
}
