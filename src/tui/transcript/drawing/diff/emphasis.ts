import { diffWordsWithSpace } from "diff";
import type { Brush, Paint } from "../../../look/look.ts";

const LONGEST = 400;

/** Both lines with what differs marked; undefined where they have too little in common to be one line that changed. */
export function emphasised(
  before: string,
  after: string,
  paint: Paint,
): { readonly before: string; readonly after: string } | undefined {
  if (before.length > LONGEST || after.length > LONGEST) return undefined;
  const parts = diffWordsWithSpace(before, after);
  const same = parts.reduce(
    (sum, part) => (part.added || part.removed ? sum : sum + part.value.trim().length),
    0,
  );
  if (same * 3 < Math.max(before.trim().length, after.trim().length)) return undefined;
  const mark = (text: string, brush: Brush, isMarked: boolean): string =>
    brush(isMarked ? paint.underline(paint.strong(text)) : text);
  let old = "";
  let now = "";
  for (const { value, added, removed } of parts) {
    if (!added) old += mark(value, paint.removed, removed);
    if (!removed) now += mark(value, paint.added, added);
  }
  return { before: old, after: now };
}
