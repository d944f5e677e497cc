import type { EntryOf } from "../../record/entry.ts";
import { type Part, textPart } from "../../record/parts.ts";

type ToolResult = Pick<EntryOf<"tool-end">, "parts" | "seen" | "outside">;

/** What a tool came to, in as few words as there is to say. */
export type ToolContent = string | readonly Part[] | ToolResult;

export function toolResultOf(content: ToolContent): ToolResult {
  if (typeof content === "string") return { parts: [textPart(content)] };
  return "parts" in content ? content : { parts: content };
}
