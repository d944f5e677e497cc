import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type Json, type JsonObject } from "../../../record/json.ts";
import type { TodoItem } from "../../../record/parts.ts";

/** What kimi-cli keeps beside the conversation. */
export interface KimiState {
  readonly title?: string;
  readonly todos: readonly TodoItem[];
  readonly warnings: readonly string[];
}

const STATUS: Readonly<Record<string, TodoItem["status"]>> = {
  pending: "open",
  in_progress: "doing",
  done: "done",
};

/** `state.json`, and for the title the `metadata.json` of older versions. Neither has to be there. */
export async function readKimiState(folder: string): Promise<KimiState> {
  const state = await readObject(join(folder, "state.json"));
  const older = await readObject(join(folder, "metadata.json"));
  const title = [state.value?.["custom_title"], older.value?.["title"]].find(
    (one) => typeof one === "string" && one.trim() !== "" && one !== "Untitled",
  );
  return {
    ...(typeof title === "string" ? { title } : {}),
    todos: todosIn(state.value?.["todos"]),
    warnings: [...state.warnings, ...older.warnings],
  };
}

function todosIn(value: Json | undefined): TodoItem[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).flatMap((item) => {
    if (!isJsonObject(item) || typeof item["title"] !== "string") return [];
    return [{ text: item["title"], status: STATUS[String(item["status"])] ?? "open" }];
  });
}

/** The object in a small JSON file. A file that cannot be used is a warning: the conversation does not depend on it. */
export async function readObject(
  path: string,
): Promise<{ readonly value?: JsonObject; readonly warnings: readonly string[] }> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
    return { warnings: isAbsent ? [] : [`${path} could not be read.`] };
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return { value, warnings: [] };
  } catch {
    // Said below: for the reader it is the same whether it is no JSON or no object.
  }
  return { warnings: [`${path} is not a JSON object; it was passed over.`] };
}
