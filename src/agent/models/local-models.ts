import { isJsonObject } from "../../record/json.ts";
import type { ModelServer } from "./model-fetch.ts";

/** For servers on this machine or beside it: they answer at once, or are not there. */
const SHORT_MS = 2_000;

/** The models that a server has now; undefined when it does not answer. */
export async function modelsOfServer(
  server: ModelServer,
  kind: "ollama" | "compatible",
): Promise<readonly string[] | undefined> {
  const path = kind === "ollama" ? "/api/tags" : "/models";
  const answer = await askJson(server, path);
  const list = answer?.[kind === "ollama" ? "models" : "data"];
  if (!Array.isArray(list)) return undefined;
  const names = list.map((row) => (isJsonObject(row) ? row[kind === "ollama" ? "name" : "id"] : undefined));
  return names.filter((name): name is string => typeof name === "string").sort();
}

/** How many tokens a model of Ollama's can hold; undefined when nobody says so. */
export async function ollamaWindow(
  server: ModelServer & { readonly name: string },
): Promise<number | undefined> {
  const answer = await askJson(server, "/api/show", { model: server.name });
  const info = answer?.["model_info"];
  if (!isJsonObject(info)) return undefined;
  // The field begins with the model's family: "qwen3.context_length".
  const lengths = Object.entries(info).filter(([field]) => field.endsWith(".context_length"));
  return lengths.map(([, length]) => length).find((length) => typeof length === "number" && length > 0) as
    | number
    | undefined;
}

/** Undefined where it does not answer, or with something else: whoever really needs it will be told why by the call itself. */
async function askJson(
  { baseUrl, fetch }: ModelServer,
  path: string,
  body?: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const signal = AbortSignal.timeout(SHORT_MS);
    const post = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    const response = await fetch(`${baseUrl}${path}`, body === undefined ? { signal } : { ...post, signal });
    // Of a stream, much more would be read than any list takes.
    const isJson = /^application\/json\b/iu.test(response.headers.get("content-type") ?? "");
    const value: unknown = response.ok && isJson ? await response.json() : await response.body?.cancel();
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
