import { diffArrays } from "diff";

/** One place where two strings differ. Each line includes its line break. Only the last line may lack one. */
export interface Hunk {
  /** Number of lines before the hunk in the old text (`oldStart`) and in the new text (`newStart`). */
  readonly oldStart: number;
  readonly newStart: number;
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
}

/**
 * Maximum number of different lines. Texts with more differences are not compared line by line, because that would take
 * too long.
 */
const MAX_EDITS = 10_000;
const LINE = /[^\n]*\n|[^\n]+$/gu;

/**
 * Splits content into lines. Each byte becomes one character, so that joining the lines restores the bytes. Returns
 * undefined for binary content.
 */
export function linesOf(bytes: Uint8Array): readonly string[] | undefined {
  if (bytes.includes(0)) return undefined;
  return Buffer.from(bytes).toString("latin1").match(LINE) ?? [];
}

export function bytesOf(lines: readonly string[]): Uint8Array {
  return Buffer.from(lines.join(""), "latin1");
}

/** Returns the places where two strings differ, from top to bottom, or undefined if they differ nearly everywhere. */
export function hunksBetween(old: readonly string[], now: readonly string[]): readonly Hunk[] | undefined {
  const changes = diffArrays([...old], [...now], { maxEditLength: MAX_EDITS });
  if (changes === undefined) return undefined;
  const hunks: Hunk[] = [];
  let [oldAt, newAt] = [0, 0];
  let open: { oldStart: number; newStart: number; oldLines: string[]; newLines: string[] } | undefined;
  for (const { added, removed, value } of changes) {
    if (!added && !removed) {
      open = undefined;
      oldAt += value.length;
      newAt += value.length;
      continue;
    }
    if (open === undefined) {
      open = { oldStart: oldAt, newStart: newAt, oldLines: [], newLines: [] };
      hunks.push(open);
    }
    if (removed) {
      open.oldLines.push(...value);
      oldAt += value.length;
    } else {
      open.newLines.push(...value);
      newAt += value.length;
    }
  }
  return hunks;
}

/** Returns the old text with some of the hunks applied. */
export function withHunks(old: readonly string[], hunks: readonly Hunk[]): readonly string[] {
  const lines: string[] = [];
  let at = 0;
  for (const { oldStart, oldLines, newLines } of inOrder(hunks)) {
    lines.push(...old.slice(at, oldStart), ...newLines);
    at = oldStart + oldLines.length;
  }
  return [...lines, ...old.slice(at)];
}

/**
 * Returns the later text without the changes that the hunks made to an earlier text. This is a three-way merge that
 * requires the lines of each hunk to be unchanged. Returns undefined if these lines, or the lines next to an empty
 * hunk, have changed in the later text.
 */
export function withoutHunks(
  then: readonly string[],
  later: readonly string[],
  hunks: readonly Hunk[],
): readonly string[] | undefined {
  const since = hunksBetween(then, later);
  if (since === undefined) return undefined;
  const lines: string[] = [];
  let at = 0;
  for (const hunk of inOrder(hunks)) {
    if (since.some((other) => isTouching(other, hunk))) return undefined;
    const start = hunk.newStart + shiftBefore(since, hunk.newStart);
    lines.push(...later.slice(at, start), ...hunk.oldLines);
    at = start + hunk.newLines.length;
  }
  return [...lines, ...later.slice(at)];
}

function inOrder(hunks: readonly Hunk[]): readonly Hunk[] {
  return [...hunks].sort((a, b) => a.oldStart - b.oldStart);
}

/**
 * Checks whether a later change overlaps a hunk, or is at the position where the hunk deleted lines. The change refers
 * to lines of the earlier text.
 */
function isTouching({ oldStart, oldLines }: Hunk, hunk: Hunk): boolean {
  const [from, to] = [hunk.newStart, hunk.newStart + hunk.newLines.length];
  const [sinceFrom, sinceTo] = [oldStart, oldStart + oldLines.length];
  if (from === to || sinceFrom === sinceTo) return isPointInside([from, to], [sinceFrom, sinceTo]);
  return sinceFrom < to && sinceTo > from;
}

/**
 * Checks whether two ranges collide if at least one of them is empty. A position between two lines is inside a range
 * unless it is at one of the range's ends. Two positions collide if they are equal.
 */
function isPointInside([from, to]: readonly [number, number], [a, b]: readonly [number, number]): boolean {
  if (from === to && a === b) return from === a;
  return from === to ? a < from && from < b : from < a && a < to;
}

function shiftBefore(since: readonly Hunk[], line: number): number {
  return since
    .filter(({ oldStart, oldLines }) => oldStart + oldLines.length <= line)
    .reduce((shift, { oldLines, newLines }) => shift + newLines.length - oldLines.length, 0);
}
