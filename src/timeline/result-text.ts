import type { EntryOf } from "../record/entry.ts";

const TAGGED = /^\s*<tool_use_error>(?:Error: )?(?<said>[\s\S]*?)<\/tool_use_error>\s*$/u;

/** What a result says beyond its outcome, which is shown beside it: agents repeat that for their model. */
export function resultText(outcome: EntryOf<"tool-end">["outcome"], text: string): string {
  if (outcome === "denied") return text.replace(/^Denied: /u, "");
  return outcome === "error" ? (TAGGED.exec(text)?.groups?.["said"] ?? text) : text;
}
