/** Deeper, or of more values and characters, is for `JSON.stringify` to judge; a circle is both. */
const MOST_NESTED = 32;
const MOST_SIZE = 1_000_000;

/**
 * Whether `value` is sure to be written as JSON: texts, numbers and the like in lists and objects of a usual size.
 * False says nothing. For most drafts this spares the writing of a long text that is thrown away again.
 */
export function isPlain(value: unknown): boolean {
  return roomLeft(value, MOST_SIZE, 0) >= 0;
}

/** What is left of `room` beside `value`; negative when there is none, or the value is none of the plain ones. */
function roomLeft(value: unknown, room: number, nested: number): number {
  switch (typeof value) {
    case "string":
      return room - value.length;
    case "number":
    case "boolean":
    case "undefined":
      return room - 1;
    case "object":
      return value === null ? room - 1 : roomBeside(value, room, nested + 1);
    default:
      return -1;
  }
}

function roomBeside(holder: object, room: number, nested: number): number {
  if (nested > MOST_NESTED || !isUsual(holder)) return -1;
  // Holes in a list are written too.
  let left = room - (Array.isArray(holder) ? holder.length : 1);
  for (const key in holder) {
    left = roomLeft((holder as Readonly<Record<string, unknown>>)[key], left - key.length, nested);
    if (left < 0) return left;
  }
  return left;
}

/** A boxed BigInt cannot be written, and a `toJSON` may do anything. */
function isUsual(holder: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(holder);
  const isKnown = prototype === Object.prototype || prototype === Array.prototype || prototype === null;
  return isKnown && (holder as { readonly toJSON?: unknown }).toJSON === undefined;
}
