import { types } from "node:util";
import { type ErrorParams, WorldlineError } from "../../record/error.ts";

/**
 * The maximum nesting depth. Reading a value back can need more stack space than writing it, so a deeper value could be
 * stored but never read. Real data is never nested this deeply.
 */
export const MAX_NESTED = 1_000;

/**
 * "json": JSON can represent the value as it is, and every object occurs only once. "rich": JSON alone cannot represent
 * the value.
 */
type Richness = "json" | "rich";

interface Place {
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

/**
 * Visits everything in `value`. If any part of it cannot be stored, throws INPUT_INVALID with the path of that part.
 */
export function lookThrough(value: unknown, path: string): Richness {
  const seen = new Set<object>();
  const open: Place[] = [{ value, path, depth: 0 }];
  let richness: Richness = "json";
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value: found } = place;
    if (!isObject(found)) {
      if (richnessOf(place) === "rich") richness = "rich";
      continue;
    }
    if (seen.has(found)) {
      richness = "rich";
      continue;
    }
    seen.add(found);
    const inside = insideOf(found, place);
    if (inside.richness === "rich") richness = "rich";
    // Items are pushed one by one, because a list can be longer than the number of arguments that a call accepts.
    for (const each of inside.places) open.push(each);
  }
  return richness;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function richnessOf({ value, path }: Place): Richness {
  switch (typeof value) {
    case "string":
    case "boolean":
      return "json";
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? "json" : "rich";
    case "symbol":
      throw notKept(path, { is: "symbol" });
    default:
      return value === null ? "json" : "rich";
  }
}

interface Inside {
  readonly richness: Richness;
  readonly places: readonly Place[];
}

function insideOf(value: object, { path, depth }: Place): Inside {
  if (depth > MAX_NESTED) throw notKept(path, { is: "nested" });
  const at = (key: string, item: unknown): Place => ({ value: item, path: key, depth: depth + 1 });
  try {
    return insideOfKnown(value, path, at);
  } catch (error) {
    if (error instanceof WorldlineError) throw error;
    throw threw(path, "looking", error);
  }
}

type At = (path: string, item: unknown) => Place;

function insideOfKnown(value: object, path: string, at: At): Inside {
  if (typeof value === "function") throw notKept(path, { is: "function" });
  if (Array.isArray(value)) return insideOfArray(value, path, at);
  if (isError(value)) return insideOfError(value, path, at);
  if (types.isMap(value)) return insideOfMap(requireBare(value, path), path, at);
  if (types.isSet(value)) {
    const items = [...requireBare(value, path)];
    return { richness: "rich", places: items.map((item, index) => at(`${path}.item(${index})`, item)) };
  }
  if (isPlainObject(value)) return insideOfObject(value, path, at);
  if (isLeaf(value)) {
    requireBare(value, path);
    return { richness: "rich", places: [] };
  }
  throw notKept(path, whatIs(value));
}

function insideOfArray(value: readonly unknown[], path: string, at: At): Inside {
  if (Object.getPrototypeOf(Object.getPrototypeOf(value)) !== Object.prototype)
    throw notKept(path, whatIs(value));
  const keys = Object.keys(value);
  const places = keys.map((key) => {
    if (!/^\d+$/u.test(key)) throw notKept(path, { is: "list-with-field", field: key });
    return at(`${path}[${key}]`, fieldOf(value, key, `${path}[${key}]`));
  });
  requireNoSymbols(value, path);
  return { richness: keys.length === value.length ? "json" : "rich", places };
}

function insideOfMap(value: ReadonlyMap<unknown, unknown>, path: string, at: At): Inside {
  const places = [...value].flatMap(([key, item], index) => [
    at(`${path}.key(${index})`, key),
    at(`${path}.get(${typeof key === "string" ? JSON.stringify(key) : `…${index}`})`, item),
  ]);
  return { richness: "rich", places };
}

function insideOfObject(value: object, path: string, at: At): Inside {
  requireNoSymbols(value, path);
  const keys = Object.keys(value);
  const isOrdinary = Object.getPrototypeOf(value) === Object.prototype && !keys.includes("__proto__");
  return {
    richness: isOrdinary ? "json" : "rich",
    places: keys.map((key) => at(fieldPath(path, key), fieldOf(value, key, fieldPath(path, key)))),
  };
}

function insideOfError(value: Error, path: string, at: At): Inside {
  const named = ["cause", "errors"].filter((key) => Object.hasOwn(value, key));
  const keys = new Set([...named, ...Object.keys(value)]);
  return {
    richness: "rich",
    places: [...keys].map((key) => at(fieldPath(path, key), fieldOf(value, key, fieldPath(path, key)))),
  };
}

export function isError(value: unknown): value is Error {
  return types.isNativeError(value) || value instanceof Error;
}

/**
 * Checks whether the value is a plain object. This includes plain objects from another realm, whose prototype has no
 * prototype itself.
 */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype)
    return !types.isProxy(value) || isOpenProxy(value);
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "isPrototypeOf");
}

/** A proxy can be read like its target object. If reading throws, the error is reported with the path. */
function isOpenProxy(value: object): boolean {
  return Object.prototype.toString.call(value) === "[object Object]";
}

const BOXED = ["[object Number]", "[object String]", "[object Boolean]", "[object BigInt]"];
const TEXTS = ["[object URL]", "[object URLSearchParams]"];

export function isLeaf(value: object): boolean {
  if (types.isDate(value) || types.isRegExp(value)) return isOwn(value);
  if (ArrayBuffer.isView(value)) {
    return !types.isSharedArrayBuffer(value.buffer) && isOwn(value) && isKnownView(value);
  }
  if (types.isArrayBuffer(value)) return true;
  const tag = Object.prototype.toString.call(value);
  if (types.isBoxedPrimitive(value)) return BOXED.includes(tag);
  return TEXTS.includes(tag) || tag.startsWith("[object Temporal.");
}

function isKnownView(value: ArrayBufferView): boolean {
  return Buffer.isBuffer(value) || viewTypeNamed(viewName(value)) !== undefined;
}

/**
 * Checks whether the object is a direct instance of the built-in class. An instance of a derived class would lose its
 * class when it is read back.
 */
function isOwn(value: object): boolean {
  const name = (Object.getPrototypeOf(value) as { constructor?: { name?: unknown } } | null)?.constructor
    ?.name;
  return name === "Buffer" || Object.prototype.toString.call(value) === `[object ${String(name)}]`;
}

/**
 * Rejects extra fields on a map, a date, or bytes, because these fields would be missing when the value is read back.
 */
function requireBare<Value extends object>(value: Value, path: string): Value {
  if (!isOwn(value) && !types.isBoxedPrimitive(value)) throw notKept(path, whatIs(value));
  const isCounted = ArrayBuffer.isView(value) || types.isBoxedPrimitive(value);
  const extra = isCounted ? undefined : Object.keys(value)[0];
  if (extra !== undefined) throw notKept(path, { is: "with-field", field: extra });
  requireNoSymbols(value, path);
  return value;
}

function requireNoSymbols(value: object, path: string): void {
  const symbol = Object.getOwnPropertySymbols(value).find((each) =>
    Object.prototype.propertyIsEnumerable.call(value, each),
  );
  if (symbol !== undefined) throw notKept(path, { is: "with-symbol", field: String(symbol) });
}

function whatIs(value: object): ValueFault {
  if (types.isPromise(value)) return { is: "promise" };
  const name = nameOfClass(value);
  return name === undefined ? { is: "not-plain" } : { is: "instance", of: name };
}

/** The name of the object's class; undefined if the class has no name. */
export function nameOfClass(value: object): string | undefined {
  const name = (value as { readonly constructor?: { readonly name?: unknown } }).constructor?.name;
  return typeof name === "string" && name !== "" ? name : undefined;
}

function fieldOf(value: object, key: string, path: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>>)[key];
  } catch (error) {
    const isGetter = Object.getOwnPropertyDescriptor(value, key)?.get !== undefined;
    throw threw(path, isGetter ? "getter" : "reading", error);
  }
}

/** Extends a path: `state.list`, or `state["odd key"]` where a dot is not possible. */
export function fieldPath(path: string, key: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key)
    ? `${path}.${key}`
    : `${path}[${JSON.stringify(key)}]`;
}

const MAX_PATH = 120;

/** Removes the middle of a long path, because its ends are the most useful parts. */
export function shownPath(path: string): string {
  if (path.length <= MAX_PATH) return path;
  const letters = [...path];
  const half = MAX_PATH / 2;
  return `${letters.slice(0, half).join("")}…${letters.slice(-half).join("")}`;
}

function threw(path: string, doing: ErrorParams<"value-threw">["doing"], cause: unknown): WorldlineError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new WorldlineError("value-threw", { path: shownPath(path), doing, why }, { cause });
}

type ValueFault = ErrorParams<"value-not-kept">["fault"];

export function notKept(path: string, fault: ValueFault, cause?: unknown): WorldlineError {
  return new WorldlineError("value-not-kept", { path: shownPath(path), fault }, { cause });
}

/** The types of byte views that can be restored. */
const viewTypes = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
} as const;

type ViewType = new (buffer: ArrayBuffer) => ArrayBufferView;

/**
 * Returns undefined for a type that this version does not support. Substituting another type would restore a different
 * value.
 */
export function viewTypeNamed(name: string): ViewType | undefined {
  return Object.hasOwn(viewTypes, name) ? viewTypes[name as keyof typeof viewTypes] : undefined;
}

/** The name that the log uses for a view's type. */
export function viewName(view: ArrayBufferView): string {
  return Buffer.isBuffer(view) ? "Buffer" : Object.prototype.toString.call(view).slice("[object ".length, -1);
}
