import { isUtf8 } from "node:buffer";
import { diffIndices } from "node-diff3";
import type { Edit } from "../../ports/workspace-files.ts";
import type { FileState } from "../../record/files.ts";
import type { ObjectStore } from "../objects/object.ts";

/**
 * Applies edits to a file. The result is durable, and has the mode from the last edit that changed the mode. Returns
 * undefined if the edits conflict, or if one of the states is not a file.
 */
export function mergeFile(
  objects: ObjectStore,
  target: FileState,
  edits: readonly Edit[],
): FileState | undefined {
  const contents = contentEdits(objects, edits);
  if (target.kind !== "file" || contents === undefined) return undefined;
  const merged = mergeEdits(objects.get(target.hash, "content"), contents);
  if (merged === undefined) return undefined;
  const hash = objects.put("content", merged);
  objects.sync();
  return { kind: "file", mode: editedMode(edits) ?? target.mode, size: merged.length, hash };
}

function editedMode(edits: readonly Edit[]): number | undefined {
  let mode: number | undefined;
  for (const { before, after } of edits) {
    if (before?.kind === "file" && after?.kind === "file" && before.mode !== after.mode) mode = after.mode;
  }
  return mode;
}

function contentEdits(objects: ObjectStore, edits: readonly Edit[]): ContentEdit[] | undefined {
  const contents: ContentEdit[] = [];
  for (const { before, after } of edits) {
    if (before?.kind !== "file" || after?.kind !== "file") return undefined;
    contents.push({
      before: objects.get(before.hash, "content"),
      after: objects.get(after.hash, "content"),
    });
  }
  return contents;
}

/** One change to a file's content. */
interface ContentEdit {
  readonly before: Buffer;
  readonly after: Buffer;
}

interface Hunk extends LineHunk {
  readonly side: "ours" | "theirs";
}

/** Number of bytes that are examined to find out whether a file is binary. Git examines the same number of bytes. */
const BINARY_LOOK = 8192;

/**
 * Applies the edits to the target one after another, as a three-way merge of lines. The merge preserves every byte. A
 * line includes its line ending, and if the last line does not have a line ending, none is added. Returns undefined if
 * an edit touches lines that have changed, or if one of the files is not text or is too large to compare. If the target
 * equals the edit's `before`, the content does not have to be text.
 */
export function mergeEdits(target: Buffer, edits: readonly ContentEdit[]): Buffer | undefined {
  let merged: Buffer | undefined = target;
  for (const edit of edits) {
    merged = mergeEdit(merged, edit);
    if (merged === undefined) return undefined;
  }
  return merged;
}

function mergeEdit(ours: Buffer, { before, after }: ContentEdit): Buffer | undefined {
  if (before.equals(ours)) return after;
  if (after.equals(before) || after.equals(ours)) return ours;
  if (!isText(ours) || !isText(before) || !isText(after)) return undefined;

  const base = linesOf(before);
  const mine = hunksBetween(base, linesOf(ours));
  const others = hunksBetween(base, linesOf(after));
  if (mine === undefined || others === undefined) return undefined;
  const hunks = [
    ...mine.map((hunk): Hunk => ({ ...hunk, side: "ours" })),
    ...others.map((hunk): Hunk => ({ ...hunk, side: "theirs" })),
  ].sort((a, b) => a.start - b.start);
  const lines = mergeHunks(base, hunks);
  return lines === undefined ? undefined : Buffer.from(lines.join(""), "latin1");
}

function isText(bytes: Buffer): boolean {
  return !bytes.subarray(0, BINARY_LOOK).includes(0) && isUtf8(bytes);
}

/**
 * Decodes each byte as one character and splits the text after each line feed, so that joining the lines restores the
 * same bytes.
 */
function linesOf(bytes: Buffer): string[] {
  return bytes.toString("latin1").match(/[^\n]*\n|[^\n]+/g) ?? [];
}

/** Combines the hunks from both sides. Returns undefined if two hunks touch and differ. */
function mergeHunks(base: readonly string[], hunks: readonly Hunk[]): string[] | undefined {
  const merged: string[][] = [];
  let done = 0;
  let next = 0;
  for (let first = hunks[next]; first !== undefined; first = hunks[next]) {
    const { start } = first;
    let { end } = first;
    const touching: Hunk[] = [];
    for (let hunk = hunks[next]; hunk !== undefined && hunk.start <= end; hunk = hunks[++next]) {
      touching.push(hunk);
      end = Math.max(end, hunk.end);
    }
    const lines = mergeTouching(base, { start, end, hunks: touching });
    if (lines === undefined) return undefined;
    merged.push(base.slice(done, start), lines);
    done = end;
  }
  merged.push(base.slice(done));
  return merged.flat();
}

interface Region {
  readonly start: number;
  readonly end: number;
  readonly hunks: readonly Hunk[];
}

function mergeTouching(base: readonly string[], region: Region): string[] | undefined {
  const ours = region.hunks.filter((hunk) => hunk.side === "ours");
  const theirs = region.hunks.filter((hunk) => hunk.side === "theirs");
  const asOurs = linesWith(base, { ...region, hunks: ours });
  const asTheirs = linesWith(base, { ...region, hunks: theirs });
  if (theirs.length === 0) return asOurs;
  if (ours.length === 0) return asTheirs;
  return asOurs.join("") === asTheirs.join("") ? asOurs : undefined;
}

/** Returns the lines of a region as they are in one of the versions. */
function linesWith(base: readonly string[], { start, end, hunks }: Region): string[] {
  const lines: string[][] = [];
  let done = start;
  for (const hunk of hunks) {
    lines.push(base.slice(done, hunk.start), [...hunk.lines]);
    done = hunk.end;
  }
  lines.push(base.slice(done, end));
  return lines.flat();
}

/**
 * One difference: the base lines from `start` up to but not including `end`, and the lines that replace them in the
 * other version.
 */
interface LineHunk {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** A range of lines in the base, and the range of lines in the other version that it is compared with. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly otherStart: number;
  readonly otherEnd: number;
}

/**
 * Maximum work for a comparison. This much work takes about half a second. The work is the number of pairs of equal
 * lines times the number of positions where a pair may have to be inserted.
 */
const MAX_WORK = 500_000_000;

/**
 * Returns the differences between `base` and `other`, in order, or undefined if finding them would take too long.
 * Finding the longest common subsequence takes cubic time if lines repeat, and source code is full of blank lines and
 * braces. Five thousand such lines took twelve seconds. Equal lines at both ends are therefore removed first. Lines
 * that occur exactly once on each side then serve as anchors, and the slow comparison is used only between anchors.
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
    if (work > MAX_WORK) return undefined;
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

/**
 * Splits a stretch at the lines that occur exactly once on each side and are in the same order on both sides. Returns
 * the whole stretch if there are no such lines.
 */
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
  /** The previous anchor in the longest increasing sequence that ends with this anchor. */
  before: Anchor | undefined;
}

/**
 * Returns the last anchor in the longest sequence that increases on both sides. The anchors must be in the order in
 * which they occur in the base.
 */
function longestRising(anchors: readonly Anchor[]): Anchor | undefined {
  /** The lowest anchor that can end a sequence of each length. */
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
