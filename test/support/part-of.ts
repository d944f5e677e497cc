/** `npm run torture` always runs the full counts. */
const isFull = process.env["WORLDLINE_TORTURE"] !== undefined;

/**
 * The sample of cases that `npm test` tries: every `of`-th one, starting with the `from`-th. `npm run
 * torture` tries all. Variants of one test start at different cases, so that together they cover each case.
 */
export function partOf<T>(cases: readonly T[], of: number, from = 0): readonly T[] {
  return isFull ? cases : cases.filter((_, index) => index % of === from % of);
}
