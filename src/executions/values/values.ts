import { parse, stringify } from "devalue";
import type { Unstored } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import { isJsonObject, type Json } from "../../record/parts.ts";
import { isError, lookThrough, notKept } from "./look-through.ts";
import { plainCopy } from "./plain-copy.ts";
import { makeRevivers, reducers } from "./reducers.ts";

/** Longer values are stored as a single string, which the log can move into a blob. */
const MAX_INLINE = 4_096;
/**
 * The key of `{"$value":"..."}`, which represents a value that JSON cannot represent, or that is too long for a line. A
 * value that already has this form is wrapped, too.
 */
const MARKER = "$value";

/**
 * Converts a value to the form used in the log. Returns undefined if the value is undefined, because undefined values
 * are not written. Keeps no reference to the value, so the caller can change it later. If any part cannot be stored,
 * throws INPUT_INVALID with the path of that part.
 */
export function keepValue(value: unknown, path: string): Json | undefined {
  if (value === undefined) return undefined;
  const richness = lookThrough(value, path);
  try {
    if (richness === "json" && !isMarked(value)) {
      const text = JSON.stringify(value);
      if (text.length <= MAX_INLINE) return JSON.parse(text) as Json;
    }
    return { [MARKER]: plainJson(stringify(value, reducers)) };
  } catch (error) {
    throw notKept(path, { is: isTooLong(error) ? "too-large" : "odd" }, error);
  }
}

/**
 * Checks whether the JavaScript engine threw this error because a string would exceed the maximum length of about 500
 * million characters.
 */
function isTooLong(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    (error as { readonly code?: unknown }).code === "ERR_STRING_TOO_LONG" ||
    error.message === "Invalid string length"
  );
}

export interface StoredResult {
  /** The stored form; undefined if the result is `undefined` or if nothing could be stored. */
  readonly kept: Json | undefined;
  /**
   * How much was stored. "whole": the entire value. "copy": a copy without the parts in `unstored`. "nothing": no part
   * of the value.
   */
  readonly extent: "whole" | "copy" | "nothing";
  readonly unstored: readonly Unstored[];
}

/**
 * Converts the result of a step's work to the form used in the log. Never throws, because the work is already done and
 * will not run again.
 */
export function keepResult(value: unknown, path: string): StoredResult {
  try {
    return { kept: keepValue(value, path), extent: "whole", unstored: [] };
  } catch (error) {
    if (isTooLong((error as Error).cause)) return lost([{ path, why: "size" }]);
  }
  try {
    const { unstored, ...copied } = plainCopy(value, path);
    if (!("copy" in copied)) return lost(unstored);
    return { kept: keepValue(copied.copy, path), extent: "copy", unstored };
  } catch (error) {
    return lost([{ path, why: isTooLong((error as Error).cause) ? "size" : "unreadable" }]);
  }
}

function lost(unstored: readonly Unstored[]): StoredResult {
  return { kept: undefined, extent: "nothing", unstored };
}

/**
 * Removes escape sequences that JSON does not need. Devalue adds them for HTML pages, but `search` and `forget` expect
 * text in the form that JSON uses.
 */
function plainJson(text: string): string {
  return JSON.stringify(JSON.parse(text));
}

/** Restores a stored value. */
export function restoreValue(kept: Json | undefined): unknown {
  if (!isMarked(kept)) return copyOf(kept);
  try {
    return parse(kept[MARKER], { ...makeRevivers() });
  } catch (cause) {
    throw new WorldlineError("value-unreadable", {}, { cause });
  }
}

/**
 * Converts a step's error to the form used in the log. A failure must always be recorded, so parts that cannot be
 * stored are left out. If no part can be stored, a bare error with the message is stored instead.
 */
export function keepError(thrown: unknown): Json {
  if (thrown === undefined) return { [MARKER]: stringify(undefined) };
  const { kept, extent } = keepResult(thrown, "error");
  if (kept !== undefined && extent !== "nothing") return kept;
  return attempt(bareError(thrown)) ?? "An error that cannot be stored.";
}

function attempt(value: unknown): Json | undefined {
  try {
    return keepValue(value, "error");
  } catch {
    return undefined;
  }
}

function bareError(thrown: unknown): Error {
  try {
    if (!isError(thrown)) return new Error(String(thrown));
    const bare = new Error(thrown.message);
    const fields = Object.keys(thrown).map((key) => [
      key,
      (thrown as unknown as Record<string, unknown>)[key],
    ]);
    const kept = fields.filter(([, value]) =>
      ["string", "number", "boolean", "bigint"].includes(typeof value),
    );
    return Object.assign(bare, Object.fromEntries(kept) as object, {
      name: thrown.name,
      ...(thrown.stack === undefined ? {} : { stack: thrown.stack }),
    });
  } catch {
    return new Error("An error that cannot be read.");
  }
}

function isMarked(value: unknown): value is { readonly [MARKER]: string } {
  if (!isJsonObject(value) || typeof value[MARKER] !== "string") return false;
  return Object.keys(value).length === 1;
}

/** Returns a copy, because all readers share the entry, but callers may change what they receive. */
function copyOf(kept: Json | undefined): unknown {
  return typeof kept === "object" && kept !== null ? structuredClone(kept) : kept;
}
