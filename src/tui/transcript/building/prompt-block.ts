import type { EntryOf } from "../../../record/entry.ts";
import type { EntryId } from "../../../record/ids.ts";
import { type Part, textOf } from "../../../record/parts.ts";
import type { PromptBlock } from "../block.ts";

export function promptBlock({ id, parts }: EntryOf<"prompt">, checkpoint: number | undefined): PromptBlock {
  return { ...said(id, id, parts), ...(checkpoint === undefined ? {} : { checkpoint }) };
}

/** What the user said before a backtrack, where what it left cannot be shown: it is still being worked on. */
export function promptsAgain({ id, prompts }: EntryOf<"backtrack">): readonly PromptBlock[] {
  return prompts.map((parts, index) => said(`${id}-prompt-${index}`, id, parts));
}

function said(key: string, entry: EntryId, parts: readonly Part[]): PromptBlock {
  const images = parts.filter(({ type }) => type === "image").length;
  return { kind: "prompt", key, text: textOf(parts), images, entry };
}
