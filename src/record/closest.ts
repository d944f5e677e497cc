/** The candidate that was most likely meant, if any is near enough to be worth naming. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: distanceTo(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(1, Math.floor(word.length * 0.4))
    ? best.candidate
    : undefined;
}

/** People leave out the first part of a dotted name: `waitMs` is as good as `lock.waitMs`. */
function distanceTo(word: string, candidate: string): number {
  const lastPart = candidate.slice(candidate.lastIndexOf(".") + 1);
  return Math.min(editDistance(word, candidate), editDistance(word, lastPart));
}

/** Levenshtein's, one row at a time; two letters in the wrong order are one slip, not two. */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const change = from[line - 1] === to[column - 1] ? 0 : 1;
      const isSwapped = from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
      next.push(
        1 +
          Math.min(
            at(row, column - 1) + change - 1,
            at(row, column),
            at(next, column - 1),
            isSwapped ? at(before, column - 2) : Infinity,
          ),
      );
    }
    before = row;
    row = next;
  }
  return at(row, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
