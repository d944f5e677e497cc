import { types } from "node:util";
import { WorldlineError } from "../../record/error.ts";
import { isError, viewName, viewTypeNamed } from "./look-through.ts";

/** An error as plain data. */
interface ErrorData {
  readonly type: string;
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Fields that are not enumerable, such as `cause`. */
  readonly hidden: FieldData;
  readonly fields: FieldData;
}

/**
 * Names and values are stored in separate lists, because a field named `__proto__` would set the prototype of an
 * object.
 */
interface FieldData {
  /** Whether the object has no prototype. */
  readonly bare: boolean;
  readonly keys: readonly string[];
  readonly values: readonly unknown[];
}

interface BytesData {
  readonly type: string;
  readonly base64: string;
}

interface PatternData {
  readonly source: string;
  readonly flags: string;
  readonly lastIndex: number;
}

const errorTypes: Readonly<Record<string, ErrorConstructor>> = {
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

/**
 * Converts values that `devalue` cannot store itself. `devalue` tries the functions in this order. All results are
 * objects, because `devalue` treats a falsy result as "not converted".
 */
export const reducers = {
  Failure: (value: unknown): ErrorData | false => isError(value) && errorData(value),
  Bytes: (value: unknown): BytesData | false => ArrayBuffer.isView(value) && bytesData(value),
  Fields: (value: unknown): FieldData | false => hasOddField(value) && fieldData(value, Object.keys(value)),
  Pattern: (value: unknown): PatternData | false =>
    types.isRegExp(value) &&
    value.lastIndex !== 0 && { source: value.source, flags: value.flags, lastIndex: value.lastIndex },
};

/**
 * Checks for an own `__proto__` field. `devalue` refuses objects with such a field, because many parsers handle them
 * unsafely.
 */
function hasOddField(value: unknown): value is object {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.prototype.propertyIsEnumerable.call(value, "__proto__")
  );
}

function errorData(error: Error): ErrorData {
  const shown = Object.keys(error);
  const hidden = hiddenFields(error).filter((key) => !shown.includes(key));
  return {
    type: typeOf(error),
    name: String(error.name),
    message: String(error.message),
    stack: typeof error.stack === "string" ? error.stack : undefined,
    hidden: fieldData(error, hidden),
    fields: fieldData(error, shown),
  };
}

const ALWAYS: readonly string[] = ["name", "message", "stack"];

/** `cause`, `errors`, and other small fields that are not enumerable, such as `code`. */
export function hiddenFields(error: Error): string[] {
  return Object.getOwnPropertyNames(error).filter((key) => {
    if (key === "cause" || key === "errors") return true;
    const { value, enumerable } = Object.getOwnPropertyDescriptor(error, key) ?? {};
    const isSmall = ["string", "number", "boolean", "bigint"].includes(typeof value);
    return !ALWAYS.includes(key) && enumerable === false && isSmall;
  });
}

/** The name of the nearest built-in class, or of Worldline's own error class. */
function typeOf(error: Error): string {
  if (error instanceof WorldlineError) return "WorldlineError";
  if (error instanceof DOMException) return "DOMException";
  if (error instanceof AggregateError) return "AggregateError";
  for (let at: unknown = error; at !== null; at = Object.getPrototypeOf(at)) {
    const name = (at as { constructor?: { name?: unknown } }).constructor?.name;
    if (typeof name === "string" && Object.hasOwn(errorTypes, name)) return name;
  }
  return "Error";
}

function fieldData(value: object, keys: readonly string[]): FieldData {
  const fields = value as Readonly<Record<string, unknown>>;
  // `bare` comes first, because in a cycle the object is created before the other fields are known.
  return { bare: Object.getPrototypeOf(value) === null, keys, values: keys.map((key) => fields[key]) };
}

/** Stores only the bytes that the view shows, not the rest of its buffer. */
function bytesData(view: ArrayBufferView): BytesData {
  const type = viewName(view);
  return { type, base64: Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString("base64") };
}

/**
 * The inverse of the reducers. In a cycle, `devalue` calls a reviver with incomplete data first, and again when the
 * data is complete. By the second call, other values already refer to the first object, so that object is filled
 * instead of being replaced.
 */
export function makeRevivers(): {
  readonly Failure: (data: ErrorData) => unknown;
  readonly Bytes: (data: BytesData) => unknown;
  readonly Fields: (data: FieldData) => unknown;
  readonly Pattern: (data: PatternData) => unknown;
} {
  const made = new WeakMap<object, object>();
  const once = <Data extends object, Made extends object>(data: Data, make: (data: Data) => Made): Made => {
    const known = made.get(data) as Made | undefined;
    if (known !== undefined) return known;
    const fresh = make(data);
    made.set(data, fresh);
    return fresh;
  };
  return {
    Failure: (data: ErrorData) => filledError(once(data, emptyError), data),
    Bytes: (data: BytesData) => once(data, viewOf),
    Fields: (data: FieldData) =>
      filled(
        once(data, () => (data.bare ? (Object.create(null) as object) : {})),
        data,
        "shown",
      ),
    Pattern: (data: PatternData) => {
      const pattern = new RegExp(data.source, data.flags);
      pattern.lastIndex = data.lastIndex;
      return pattern;
    },
  };
}

function emptyError({ type, message, name }: ErrorData): Error {
  if (type === "DOMException") return new DOMException(message, name);
  if (type === "AggregateError") return new AggregateError([], message);
  // The error's code, reason, parameters, and hint are among its fields. Older errors have no reason.
  if (type === "WorldlineError") return new WorldlineError("stored-error", { message });
  return new (errorTypes[type] ?? Error)(message);
}

function filledError(error: Error, { name, stack, hidden, fields }: ErrorData): Error {
  hide(error, "stack", stack);
  filled(error, hidden, "hidden");
  filled(error, fields, "shown");
  if (error.name !== name) hide(error, "name", name);
  return error;
}

function filled(holder: object, data: Partial<FieldData> | undefined, as: "shown" | "hidden"): object {
  for (const [index, key] of (data?.keys ?? []).entries()) {
    Object.defineProperty(holder, key, {
      value: data?.values?.[index],
      enumerable: as === "shown",
      writable: true,
      configurable: true,
    });
  }
  return holder;
}

function hide(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, { value, enumerable: false, writable: true, configurable: true });
}

function viewOf({ type, base64 }: BytesData): ArrayBufferView {
  const bytes = Buffer.from(base64, "base64");
  if (type === "Buffer") return bytes;
  const View = viewTypeNamed(type);
  if (View === undefined) throw new TypeError(`Unknown typed array: ${type}`);
  // Copies the bytes to a separate buffer, because `Buffer.from` returns parts of a shared one.
  return new View(Uint8Array.from(bytes).buffer);
}
