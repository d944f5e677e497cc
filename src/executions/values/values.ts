import { parse, stringify } from "devalue";
import { WorldlineError } from "../../record/error.ts";
import { isJsonObject, type Json } from "../../record/json.ts";
import { isError, lookThrough, notKept } from "./look-through.ts";
import { makeRevivers, reducers } from "./reducers.ts";

/** Longer ones stand as one text, which the log can move out of the line. */
const MOST_INLINE = 4_096;
/** `{"$value":"..."}` stands for a value that JSON cannot hold, or not in a line. A value that looks like it is written so, too. */
const MARKER = "$value";

/**
 * The value as the log keeps it; undefined for `undefined`, which is not written. What is handed in may change
 * afterwards: nothing of it is held on to. Rejects with INPUT_INVALID, naming the path, what cannot be kept.
 */
export function keepValue(value: unknown, path: string): Json | undefined {
  if (value === undefined) return undefined;
  const richness = lookThrough(value, path);
  if (richness === "json" && !isMarked(value)) {
    const text = JSON.stringify(value);
    if (text.length <= MOST_INLINE) return JSON.parse(text) as Json;
  }
  try {
    return { [MARKER]: plainJson(stringify(value, reducers)) };
  } catch (error) {
    throw notKept(path, "holds something odd", error);
  }
}

/** Devalue escapes more than JSON needs, for pages of HTML; `search` and `forget` must find a text as JSON writes it. */
function plainJson(text: string): string {
  return JSON.stringify(JSON.parse(text));
}

/** The value as it was. */
export function giveBack(kept: Json | undefined): unknown {
  if (!isMarked(kept)) return copyOf(kept);
  try {
    return parse(kept[MARKER], { ...makeRevivers() });
  } catch (cause) {
    throw new WorldlineError("ENTRY_INVALID", "A value of this execution cannot be read.", {
      hint: "See what is wrong: worldline doctor",
      cause,
    });
  }
}

/**
 * What a step failed with. A failure must be written down whatever it carries: what cannot be kept of an error
 * is left out, and of anything else that was thrown its text is kept.
 */
export function keepError(thrown: unknown): Json {
  if (thrown === undefined) return { [MARKER]: stringify(undefined) };
  return attempt(thrown) ?? attempt(bareError(thrown)) ?? "An error that cannot be kept.";
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
    return new Error("An error that cannot be looked at.");
  }
}

function isMarked(value: unknown): value is { readonly [MARKER]: string } {
  if (!isJsonObject(value) || typeof value[MARKER] !== "string") return false;
  return Object.keys(value).length === 1;
}

/** Entries are shared by all who read them, and what is handed out may be changed. */
function copyOf(kept: Json | undefined): unknown {
  return typeof kept === "object" && kept !== null ? structuredClone(kept) : kept;
}
