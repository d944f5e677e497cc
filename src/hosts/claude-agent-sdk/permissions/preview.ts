import { refusalOf, replaceText } from "../../../agent/tools/edit.ts";
import { type Target, targetOf, textIn, unifiedDiff } from "../../../agent/tools/put-file.ts";
import type { PermissionRequest } from "../../../ports/person.ts";
import { type Remark, remark } from "../../../record/error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../record/parts.ts";
import type { SdkCall, ToolFacts } from "./tool-facts.ts";

/**
 * The preview of a change in a question to the user: a diff against the current file, or the reason that there is no
 * diff. The preview never relies on claims in the call.
 */
export type ShownChange = Pick<PermissionRequest, "diff" | "without" | "cannot">;

const CHANGES = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);

/** Creates the preview of a call. The preview is empty if the call does not edit a file. */
export async function previewOf(
  workspace: string,
  { name, input }: SdkCall,
  { writes }: ToolFacts,
): Promise<ShownChange> {
  if (!CHANGES.has(name)) return {};
  const [place] = writes ?? [];
  if (place === undefined || !isJsonObject(input)) return { without: "unknown" };
  try {
    const target = await targetOf(workspace, place);
    return "refused" in target ? { cannot: target.refused } : changeOf(name, input, target);
  } catch {
    return { without: "unknown" };
  }
}

function changeOf(name: string, input: JsonObject, target: Target): ShownChange {
  if (name === "Write") {
    const { content } = input;
    return typeof content === "string" ? unifiedDiff(target, content) : { without: "unknown" };
  }
  const before = target.before === undefined ? undefined : textIn(target.before.bytes);
  if (target.before !== undefined && before === undefined)
    return { cannot: remark("edit-not-text", { path: target.shown }) };
  if (name === "NotebookEdit") return cellChange(input, target, before);
  const edits = name === "Edit" ? [input] : input["edits"];
  if (!Array.isArray(edits)) return { without: "unknown" };
  let text = before;
  for (const edit of edits) {
    const next = edited(text, edit, target.shown);
    if ("cannot" in next || "without" in next) return next;
    text = next.text;
  }
  return text === undefined ? { without: "unknown" } : unifiedDiff(target, text);
}

type Edited = { readonly text: string } | Required<Pick<ShownChange, "cannot">> | { without: "unknown" };

function edited(text: string | undefined, edit: Json, shown: string): Edited {
  if (!isJsonObject(edit)) return { without: "unknown" };
  const { old_string: old, new_string: by, replace_all: all } = edit;
  if (typeof old !== "string" || typeof by !== "string") return { without: "unknown" };
  // If the text to replace is empty, the call creates a file.
  if (old === "")
    return text === undefined || text === ""
      ? { text: by }
      : { cannot: remark("edit-file-exists", { path: shown }) };
  if (text === undefined) return { cannot: noFile(shown) };
  const replaced = replaceText(text, { old, by, times: all === true ? "all" : "once" });
  return "refused" in replaced ? { cannot: refusalOf(shown, replaced, "exactly") } : { text: replaced.text };
}

function noFile(path: string): Remark {
  return remark("nothing-there", { kind: "file", path, similar: [] });
}

/** Creates a diff of the one cell that changes. Cells without an id are numbered, starting with `cell-0`. */
function cellChange(input: JsonObject, target: Target, before: string | undefined): ShownChange {
  const { shown } = target;
  if (before === undefined) return { cannot: noFile(shown) };
  const cells = cellsOf(before);
  if (cells === undefined) return { cannot: remark("notebook-unreadable", { path: shown }) };
  const { cell_id: id, new_source: source, edit_mode: mode = "replace" } = input;
  const cell =
    typeof id === "string" ? cells.find((each, index) => [each.id, `cell-${index}`].includes(id)) : undefined;
  if (typeof id === "string" && cell === undefined)
    return { cannot: remark("notebook-cell-missing", { path: shown, cell: id }) };
  if (mode !== "insert" && cell === undefined) return { without: "unknown" };
  const old = mode === "insert" ? "" : (cell?.source ?? "");
  const by = mode === "delete" ? "" : source;
  if (typeof by !== "string") return { without: "unknown" };
  const bytes = Buffer.from(ended(old));
  const held = target.before === undefined ? {} : { before: { ...target.before, bytes } };
  return unifiedDiff(
    { ...target, shown: `${shown} ${typeof id === "string" ? id : ""}`.trim(), ...held },
    ended(by),
  );
}

interface Cell {
  readonly id: string | undefined;
  readonly source: string;
}

function cellsOf(text: string): readonly Cell[] | undefined {
  let notebook: unknown;
  try {
    notebook = JSON.parse(text);
  } catch {
    return undefined;
  }
  const cells = isJsonObject(notebook) ? notebook["cells"] : undefined;
  if (!Array.isArray(cells)) return undefined;
  return cells.map((cell) => {
    const { id, source } = isJsonObject(cell) ? cell : { id: undefined, source: undefined };
    return {
      id: typeof id === "string" ? id : undefined,
      source: Array.isArray(source) ? source.join("") : typeof source === "string" ? source : "",
    };
  });
}

/** Adds a final line break to the source of a cell, because the break makes no difference. */
function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
