import { isUtf8 } from "node:buffer";
import type { LineHunk } from "./line-hunks.ts";
import { hunksBetween } from "./line-hunks.ts";

/** One change of a file's bytes. */
export interface ContentEdit {
  readonly before: Buffer;
  readonly after: Buffer;
}

interface Hunk extends LineHunk {
  readonly side: "ours" | "theirs";
}

/** As git looks for it. */
const BINARY_LOOK = 8192;

/**
 * Puts each edit onto the target, one after the other, as a three-way merge of lines. Exact to the byte: a line's
 * end belongs to it, and so does the lack of one. Undefined where edits touch what has become different, and where
 * something is no text or too much to compare; but bytes of any kind follow where the edit begins with just them.
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

/** One character for each byte, split behind each line feed: joined, they are the same bytes again. */
function linesOf(bytes: Buffer): string[] {
  return bytes.toString("latin1").match(/[^\n]*\n|[^\n]+/g) ?? [];
}

/** Undefined when hunks of both sides touch and do not say the same. */
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

/** The region as one side has it. */
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
