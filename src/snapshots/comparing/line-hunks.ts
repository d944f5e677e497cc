import { diffIndices } from "node-diff3";

/** Lines of the base from `start` to before `end`, and what the other has in their place. */
export interface LineHunk {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Lines of the base, and of the other, that are to be compared with each other. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly otherStart: number;
  readonly otherEnd: number;
}

/** About half a second: pairs of equal lines, times the lines that each of them may be sorted in between. */
const MOST_WORK = 500_000_000;

/**
 * How `other` differs from `base`, in order; undefined where finding that out would take too long.
 *
 * The longest common sequence is cubic where lines repeat, and source is full of blank lines and braces: five thousand
 * of them took twelve seconds. So what is equal at both ends is cut off first, then lines that stand once on each side
 * hold the rest together, and only what is left in between is compared that way.
 */
export function hunksBetween(base: readonly string[], other: readonly string[]): LineHunk[] | undefined {
  const hunks: LineHunk[] = [];
  const waiting: Stretch[] = [{ start: 0, end: base.length, otherStart: 0, otherEnd: other.length }];
  let work = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const stretch = withoutEqualEnds(base, other, next);
    const between = splitAtAnchors(base, other, stretch);
    if (between.length > 1) {
      for (const each of between) waiting.push(each);
      continue;
    }
    const inBase = base.slice(stretch.start, stretch.end);
    const inOther = other.slice(stretch.otherStart, stretch.otherEnd);
    work += workOf(inBase, inOther);
    if (work > MOST_WORK) return undefined;
    for (const { buffer1, buffer2Content } of diffIndices(inBase, inOther)) {
      const start = stretch.start + buffer1[0];
      hunks.push({ start, end: start + buffer1[1], lines: buffer2Content });
    }
  }
  return hunks.sort((a, b) => a.start - b.start);
}

function withoutEqualEnds(base: readonly string[], other: readonly string[], stretch: Stretch): Stretch {
  let { start, end, otherStart, otherEnd } = stretch;
  while (start < end && otherStart < otherEnd && base[start] === other[otherStart]) {
    start++;
    otherStart++;
  }
  while (start < end && otherStart < otherEnd && base[end - 1] === other[otherEnd - 1]) {
    end--;
    otherEnd--;
  }
  return { start, end, otherStart, otherEnd };
}

/** The stretches around the lines that stand once on each side, in the same order; the stretch itself without any. */
function splitAtAnchors(base: readonly string[], other: readonly string[], stretch: Stretch): Stretch[] {
  const inOther = onceIn(other, stretch.otherStart, stretch.otherEnd);
  const anchors: Anchor[] = [];
  for (const [line, at] of onceIn(base, stretch.start, stretch.end)) {
    const otherAt = inOther.get(line);
    if (otherAt !== undefined) anchors.push({ at, otherAt, before: undefined });
  }
  anchors.sort((a, b) => a.at - b.at);

  const stretches: Stretch[] = [];
  let { end, otherEnd } = stretch;
  for (let last = longestRising(anchors); last !== undefined; last = last.before) {
    stretches.push({ start: last.at + 1, end, otherStart: last.otherAt + 1, otherEnd });
    end = last.at;
    otherEnd = last.otherAt;
  }
  stretches.push({ start: stretch.start, end, otherStart: stretch.otherStart, otherEnd });
  return stretches;
}

function onceIn(lines: readonly string[], start: number, end: number): Map<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (let at = start; at < end; at++) {
    const line = lines[at] ?? "";
    if (places.has(line)) repeated.add(line);
    else places.set(line, at);
  }
  for (const line of repeated) places.delete(line);
  return places;
}

interface Anchor {
  readonly at: number;
  readonly otherAt: number;
  /** The one that comes before it in the longest row that ends here. */
  before: Anchor | undefined;
}

/** The last of the longest row of anchors that rises on both sides; they come in the order of the base. */
function longestRising(anchors: readonly Anchor[]): Anchor | undefined {
  /** For each length, the lowest anchor that a row of that length can end with. */
  const ends: Anchor[] = [];
  for (const anchor of anchors) {
    let from = 0;
    let to = ends.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((ends[middle]?.otherAt ?? 0) < anchor.otherAt) from = middle + 1;
      else to = middle;
    }
    anchor.before = ends[from - 1];
    ends[from] = anchor;
  }
  return ends.at(-1);
}

function workOf(base: readonly string[], other: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of base) counts.set(line, (counts.get(line) ?? 0) + 1);
  let pairs = 0;
  for (const line of other) pairs += counts.get(line) ?? 0;
  return pairs * Math.min(base.length, other.length);
}
