import { types } from "node:util";
import type { Unstored } from "../../record/entry.ts";
import {
  fieldPath,
  isError,
  isLeaf,
  isPlainObject,
  MAX_NESTED,
  nameOfClass,
  shownPath,
} from "./look-through.ts";
import { hiddenFields } from "./reducers.ts";

/** The maximum number of missing parts to list. A longer list would not be more useful. */
const MAX_UNSTORED = 20;
/** Marks a value that cannot be copied, so that its container leaves it out. */
const NOTHING = Symbol("nothing");

export interface PlainCopy {
  /** The copy; absent if no part of the value is data. */
  readonly copy?: unknown;
  readonly unstored: readonly Unstored[];
}

/**
 * Copies as much of `value` as can be stored, and lists what is missing. Class instances become the result of their
 * `toJSON` method, or plain objects with the same fields. Functions, symbols, and live objects (streams, sockets,
 * promises) are left out. Data is never left out silently. If a value is nested too deeply, it is not copied at all.
 */
export function plainCopy(value: unknown, path: string): PlainCopy {
  const copier = new Copier();
  try {
    const copy = copier.copyOf(value, { path, depth: 0 });
    const { unstored } = copier;
    const isLost = copy === NOTHING || (unstored.length > 0 && isEmpty(copy));
    return isLost ? { unstored } : { copy, unstored };
  } catch (error) {
    if (error instanceof TooDeep) return { unstored: [{ path: shownPath(error.path), why: "nested" }] };
    throw error;
  }
}

interface Place {
  readonly path: string;
  readonly depth: number;
}

class TooDeep extends Error {
  readonly path: string;
  constructor(path: string) {
    super("A value is nested too deeply.");
    this.path = path;
  }
}

class Copier {
  readonly unstored: Unstored[] = [];
  readonly #copies = new Map<object, unknown>();

  copyOf(value: unknown, place: Place): unknown {
    if (typeof value === "symbol") return this.#leaveOut(place.path, "symbol");
    if (typeof value === "function") return this.#leaveOut(place.path, "function");
    if (typeof value !== "object" || value === null) return value;
    if (this.#copies.has(value)) return this.#copies.get(value);
    if (place.depth > MAX_NESTED) throw new TooDeep(place.path);
    try {
      return this.#copyOfObject(value, place);
    } catch (error) {
      if (error instanceof TooDeep) throw error;
      return this.#leaveOut(place.path, "unreadable");
    }
  }

  #copyOfObject(value: object, place: Place): unknown {
    if (Array.isArray(value)) return this.#listOf(value, place);
    if (isError(value)) return this.#errorOf(value, place);
    if (types.isMap(value)) return this.#mapOf(value, place);
    if (types.isSet(value)) return this.#setOf(value, place);
    const builtIn = this.#builtInOf(value, place);
    if (builtIn !== undefined) return builtIn;
    if (types.isPromise(value)) return this.#leaveOut(place.path, "promise");
    const said = this.#saidOf(value, place);
    if (said !== NOTHING) return said;
    if (isPlainObject(value)) {
      const bare = Object.getPrototypeOf(value) === null;
      return this.#filled(value, bare ? (Object.create(null) as object) : {}, place);
    }
    return this.#instanceOf(value, place);
  }

  /**
   * Returns dates, regular expressions, bytes, and similar built-in objects, either unchanged or as copies without
   * anything that a derived class adds.
   */
  #builtInOf(value: object, { path }: Place): unknown {
    const isBytes = ArrayBuffer.isView(value);
    if (isLeaf(value)) {
      const extra =
        isBytes || types.isBoxedPrimitive(value) ? undefined : Reflect.ownKeys(value).find(isShown(value));
      if (extra === undefined) return value;
      this.#leaveOut(keyPath(path, extra), "fields");
    } else if (types.isDate(value) || types.isRegExp(value) || isBytes) this.#noteClass(value, path);
    if (types.isDate(value)) return new Date(value.getTime());
    if (types.isRegExp(value)) return new RegExp(value.source, value.flags);
    if (isBytes) return Uint8Array.from(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    return isLeaf(value) ? structuredClone(value) : undefined;
  }

  /**
   * The result of the object's own `toJSON` method. Database models, decimals, and Moment.js objects have such a
   * method.
   */
  #saidOf(value: object, { path, depth }: Place): unknown {
    const { toJSON } = value as { readonly toJSON?: unknown };
    if (typeof toJSON !== "function") return NOTHING;
    let said: unknown;
    try {
      said = Reflect.apply(toJSON, value, [""]);
    } catch {
      // If `toJSON` fails, the object's fields may still be readable.
      return NOTHING;
    }
    if (said === undefined || said === value) return NOTHING;
    this.#noteClass(value, path);
    const copy = this.copyOf(said, { path, depth: depth + 1 });
    this.#copies.set(value, copy);
    return copy;
  }

  #instanceOf(value: object, place: Place): unknown {
    const { path } = place;
    if (isLive(value)) return this.#leaveOut(path, "live", nameOfClass(value));
    this.#noteClass(value, path);
    const copy = this.#filled(value, {}, place);
    // An empty copy means that the object has no fields, or only private fields.
    return isEmpty(copy) ? NOTHING : copy;
  }

  #listOf(value: readonly unknown[], place: Place): unknown {
    const { path, depth } = place;
    const copy: unknown[] = [];
    this.#copies.set(value, copy);
    copy.length = value.length;
    if (Object.getPrototypeOf(Object.getPrototypeOf(value)) !== Object.prototype)
      this.#noteClass(value, path);
    for (const key of Reflect.ownKeys(value).filter(isShown(value))) {
      if (typeof key === "symbol" || !/^\d+$/u.test(key)) {
        this.#leaveOut(keyPath(path, key), "fields");
        continue;
      }
      const item = this.copyOf(this.#read(value, key), { path: `${path}[${key}]`, depth: depth + 1 });
      copy[Number(key)] = item === NOTHING ? undefined : item;
    }
    return copy;
  }

  #mapOf(value: ReadonlyMap<unknown, unknown>, { path, depth }: Place): unknown {
    const copy = new Map<unknown, unknown>();
    this.#copies.set(value, copy);
    this.#noteAdded(value, { path, plain: Map.prototype });
    let at = 0;
    for (const [key, item] of Map.prototype.entries.call(value)) {
      const ownKey = this.copyOf(key, { path: `${path}.key(${at})`, depth: depth + 1 });
      const own = this.copyOf(item, {
        path: `${path}.get(${typeof key === "string" ? JSON.stringify(key) : `…${at}`})`,
        depth: depth + 1,
      });
      if (ownKey !== NOTHING) copy.set(ownKey, own === NOTHING ? undefined : own);
      at += 1;
    }
    return copy;
  }

  #setOf(value: ReadonlySet<unknown>, { path, depth }: Place): unknown {
    const copy = new Set<unknown>();
    this.#copies.set(value, copy);
    this.#noteAdded(value, { path, plain: Set.prototype });
    let at = 0;
    for (const item of Set.prototype.values.call(value)) {
      const own = this.copyOf(item, { path: `${path}.item(${at})`, depth: depth + 1 });
      if (own !== NOTHING) copy.add(own);
      at += 1;
    }
    return copy;
  }

  /**
   * Copies an error with the same prototype, so that the nearest built-in class is found, and with all fields that can
   * be stored.
   */
  #errorOf(value: Error, place: Place): unknown {
    const copy = Object.create(Object.getPrototypeOf(value) as object) as object;
    for (const key of ["name", "message", "stack"] as const) {
      Object.defineProperty(copy, key, { value: value[key], writable: true, configurable: true });
    }
    return this.#filled(value, copy, place, hiddenFields(value));
  }

  #filled(value: object, copy: object, { path, depth }: Place, hidden: readonly string[] = []): object {
    const keys = [...Reflect.ownKeys(value).filter(isShown(value))];
    this.#copies.set(value, copy);
    for (const key of new Set<string | symbol>([...hidden, ...keys])) {
      const here = keyPath(path, key);
      if (typeof key === "symbol") {
        this.#leaveOut(here, "symbol");
        continue;
      }
      const own = this.copyOf(this.#read(value, key), { path: here, depth: depth + 1 });
      if (own === NOTHING) continue;
      const enumerable = keys.includes(key);
      Object.defineProperty(copy, key, { value: own, enumerable, writable: true, configurable: true });
    }
    return copy;
  }

  /** Reads a field. If the field's getter throws, returns a value that cannot be stored. */
  #read(value: object, key: string): unknown {
    try {
      return (value as Readonly<Record<string, unknown>>)[key];
    } catch {
      return UNREADABLE;
    }
  }

  #noteAdded(value: object, { path, plain }: { readonly path: string; readonly plain: object }): void {
    if (Object.getPrototypeOf(value) !== plain) this.#noteClass(value, path);
    for (const key of Reflect.ownKeys(value).filter(isShown(value)))
      this.#leaveOut(keyPath(path, key), "fields");
  }

  #noteClass(value: object, path: string): void {
    this.#leaveOut(path, "class", nameOfClass(value));
  }

  #leaveOut(path: string, why: Unstored["why"], of?: string): typeof NOTHING {
    if (this.unstored.length < MAX_UNSTORED) {
      this.unstored.push({ path: shownPath(path), why, ...(of === undefined ? {} : { of }) });
    }
    return NOTHING;
  }
}

/** Creates a value that throws on every access, like the value that it replaces. */
const UNREADABLE = new Proxy(
  {},
  {
    getPrototypeOf: () => {
      throw new TypeError("The value cannot be read.");
    },
  },
);

function isShown(value: object): (key: string | symbol) => boolean {
  return (key) => Object.prototype.propertyIsEnumerable.call(value, key);
}

function keyPath(path: string, key: string | symbol): string {
  return typeof key === "symbol" ? `${path}[${String(key)}]` : fieldPath(path, key);
}

/**
 * Checks whether the value is a live object: an emitter (such as a stream, socket, or request) or an async iterable.
 */
function isLive(value: object): boolean {
  const { on, emit, addEventListener } = value as Readonly<Record<string, unknown>>;
  const isEmitter = typeof on === "function" && typeof emit === "function";
  return isEmitter || typeof addEventListener === "function" || Symbol.asyncIterator in value;
}

function isEmpty(copy: unknown): boolean {
  if (typeof copy !== "object" || copy === null || isError(copy)) return false;
  const prototype: unknown = Object.getPrototypeOf(copy);
  return (prototype === Object.prototype || prototype === null) && Object.keys(copy).length === 0;
}
