import type { Edit } from "../../ports/workspace-files.ts";
import type { FileState } from "../../record/files.ts";
import type { ObjectStore } from "../objects/object-store.ts";
import { type ContentEdit, mergeEdits } from "./line-merge.ts";

/**
 * Puts edits onto a file, with the mode that the last of them gave it, if one did. Undefined where they do not fit, or
 * one of the states is no file. The result is durable.
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
