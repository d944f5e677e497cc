import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { Preview } from "../tool.ts";
import type { Target } from "./target.ts";
import { textIn } from "./target.ts";

/** Beyond that, finding the smallest difference would take longer than a person waits. */
const MOST_EDITS = 5_000;

/** What a person is shown before it is written. */
export function unifiedDiff({ shown, before }: Target, after: string): Exclude<Preview, { refused: string }> {
  const old = before === undefined ? "" : textIn(before.bytes);
  if (old === undefined) return { without: "not-text" };
  const from = before === undefined ? "/dev/null" : `a/${shown}`;
  const diff = createTwoFilesPatch(from, `b/${shown}`, old, after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    maxEditLength: MOST_EDITS,
  });
  return diff === undefined ? { without: "too-different" } : { diff };
}
