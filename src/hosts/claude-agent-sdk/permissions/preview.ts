import { replaceText } from "../../../agent/tools/write/replace-text.ts";
import { targetOf, textIn } from "../../../agent/tools/write/target.ts";
import { unifiedDiff } from "../../../agent/tools/write/unified-diff.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../record/json.ts";
import type { SdkCall, ToolFacts } from "./tool-facts.ts";

/** A unified diff of what a call would change; undefined where nobody can say, and the question can be asked without it. */
export async function previewOf(
  workspace: string,
  { name, input }: SdkCall,
  { writes }: ToolFacts,
): Promise<string | undefined> {
  const [place] = writes ?? [];
  if (place === undefined || !["Write", "Edit", "MultiEdit"].includes(name) || !isJsonObject(input))
    return undefined;
  try {
    const target = await targetOf(workspace, place);
    if ("refused" in target) return undefined;
    const before = target.before === undefined ? "" : textIn(target.before.bytes);
    const after = before === undefined ? undefined : afterOf(name, input, before);
    return after === undefined ? undefined : unifiedDiff(target, after);
  } catch {
    return undefined;
  }
}

function afterOf(name: string, input: JsonObject, before: string): string | undefined {
  if (name === "Write") return typeof input["content"] === "string" ? input["content"] : undefined;
  const edits = name === "Edit" ? [input] : input["edits"];
  return Array.isArray(edits) ? edits.reduce<string | undefined>(edited, before) : undefined;
}

function edited(text: string | undefined, edit: Json): string | undefined {
  if (text === undefined || !isJsonObject(edit)) return undefined;
  const { old_string: old, new_string: by, replace_all: all } = edit;
  if (typeof old !== "string" || typeof by !== "string") return undefined;
  // An empty text to replace makes a new file.
  if (old === "") return text === "" ? by : undefined;
  const replaced = replaceText(text, { old, by, times: all === true ? "all" : "once" });
  return "refused" in replaced ? undefined : replaced.text;
}
