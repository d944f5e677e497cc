import { diffLines } from "diff";

export interface LineCount {
  readonly added: number;
  readonly removed: number;
}

/** Beyond this a comparison line by line takes longer than anybody waits for it. */
const MOST_BYTES = 2 * 1024 * 1024;
export const MOST_EDITS = 4_000;
/** Where git looks for a NUL, too. */
const BINARY_BYTES = 8_000;

/** The text of a file that lines can be shown of; undefined for what is no text, or is huge. */
export function linesTextOf(bytes: Uint8Array): string | undefined {
  if (bytes.length > MOST_BYTES || bytes.subarray(0, BINARY_BYTES).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** How many lines were added and removed; undefined where that is not to be said, or takes too long to find out. */
export function countLines(before: Uint8Array, after: Uint8Array): LineCount | undefined {
  const [old, now] = [linesTextOf(before), linesTextOf(after)];
  if (old === undefined || now === undefined) return undefined;
  const changes = diffLines(old, now, { maxEditLength: MOST_EDITS });
  if (changes === undefined) return undefined;
  let [added, removed] = [0, 0];
  for (const change of changes) {
    if (change.added) added += change.count;
    if (change.removed) removed += change.count;
  }
  return { added, removed };
}
