import { isJsonObject, type Json } from "../../../record/json.ts";

/** Half of a pair, such as a cut output leaves: JSON can write it, and providers refuse the whole request for it. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function wellFormed(text: string): string {
  return text.replaceAll(LONE_SURROGATE, "\ufffd");
}

export function wellFormedJson(value: Json): Json {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map((item: Json) => wellFormedJson(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [wellFormed(key), wellFormedJson(item)]),
  );
}
