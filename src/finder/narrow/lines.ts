import { diffArrays } from "diff";

/** One place where two texts differ. Each line includes its line break, so that the last one may have none. */
export interface Hunk {
  /** The number of lines before the hunk in the old text, and in the new text. */
  readonly oldStart: number;
  readonly newStart: number;
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
}

/** Texts that differ in more lines than this are not compared line by line, which would take too long. */
const MAX_EDITS = 10_000;
const LINE = /[^\n]*\n|[^\n]+$/gu;

/** One character per byte, so that joining the lines restores the bytes; undefined for binary content. */
export function linesOf(bytes: Uint8Array): readonly string[] | undefined {
  if (bytes.includes(0)) return undefined;
  return Buffer.from(bytes).toString("latin1").match(LINE) ?? [];
}

export function bytesOf(lines: readonly string[]): Uint8Array {
  return Buffer.from(lines.join(""), "latin1");
}

/** The places where two texts differ, from top to bottom; undefined if they differ nearly everywhere. */
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

/** The old text with some of the hunks applied. */
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
 * Removes these hunks, which were made to an earlier text, from a later text. This is a three-way merge, in which each
 * hunk must find its lines unchanged. Undefined if those lines, or the lines next to an empty hunk, have changed since.
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

/** Whether a later change (in lines of the earlier text) overlaps a hunk, or is where the hunk deleted lines. */
function isTouching({ oldStart, oldLines }: Hunk, hunk: Hunk): boolean {
  const [from, to] = [hunk.newStart, hunk.newStart + hunk.newLines.length];
  const [sinceFrom, sinceTo] = [oldStart, oldStart + oldLines.length];
  if (from === to || sinceFrom === sinceTo) return isPointInside([from, to], [sinceFrom, sinceTo]);
  return sinceFrom < to && sinceTo > from;
}

/** A position between two lines is inside a range unless it is at one of its ends; two positions collide if they are equal. */
function isPointInside([from, to]: readonly [number, number], [a, b]: readonly [number, number]): boolean {
  if (from === to && a === b) return from === a;
  return from === to ? a < from && from < b : from < a && a < to;
}

function shiftBefore(since: readonly Hunk[], line: number): number {
  return since
    .filter(({ oldStart, oldLines }) => oldStart + oldLines.length <= line)
    .reduce((shift, { oldLines, newLines }) => shift + newLines.length - oldLines.length, 0);
}
