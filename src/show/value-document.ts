import type { Json } from "../record/parts.ts";

/**
 * Converts a value to JSON. A value that JSON cannot express becomes an object with one key that begins with "$":
 * `$date`, `$map`, `$set`, `$bytes` (base64), `$bigint`, `$number` (NaN, Infinity, -0), `$undefined`, `$error`, `$text`
 * (everything else), `$cycle`. If a key of the value itself begins with "$", another "$" is added in front of it.
 */
export function valueDocument(value: unknown, within: readonly unknown[] = []): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value !== "object") return primitiveDocument(value);
  if (within.includes(value)) return { $cycle: true };
  const inside = (each: unknown): Json => valueDocument(each, [...within, value]);
  if (Array.isArray(value)) return value.map(inside);
  const special = specialDocument(value, inside);
  if (special !== undefined) return special;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key.startsWith("$") ? `$${key}` : key, inside(each)]),
  );
}

function primitiveDocument(value: unknown): Json {
  if (value === undefined) return { $undefined: true };
  if (typeof value === "bigint") return { $bigint: String(value) };
  if (typeof value !== "number") return { $text: String(value) };
  if (Object.is(value, -0)) return { $number: "-0" };
  return Number.isFinite(value) ? value : { $number: String(value) };
}

/** Converts an object that is not plain. Returns undefined for a plain object. */
function specialDocument(value: object, inside: (value: unknown) => Json): Json | undefined {
  if (value instanceof Date)
    return { $date: Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString() };
  if (value instanceof Map) return { $map: [...value].map(([key, each]) => [inside(key), inside(each)]) };
  if (value instanceof Set) return { $set: [...value].map(inside) };
  if (ArrayBuffer.isView(value)) {
    return { $bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") };
  }
  if (value instanceof ArrayBuffer) return { $bytes: Buffer.from(value).toString("base64") };
  if (value instanceof Error) return errorDocument(value, inside);
  if (value instanceof RegExp || value instanceof URL) return { $text: String(value) };
  return undefined;
}

function errorDocument(error: Error, inside: (value: unknown) => Json): Json {
  const { name, message, cause } = error;
  const fields = Object.entries(error).filter(
    ([key]) => !["name", "message", "cause", "stack"].includes(key),
  );
  return {
    $error: {
      name,
      message,
      ...(cause === undefined ? {} : { cause: inside(cause) }),
      ...Object.fromEntries(fields.map(([key, each]) => [key, inside(each)])),
    },
  };
}
