import type { Entry } from "./entry.ts";
import type { BlobHash } from "./ids.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import { outsideBlobsOf, outsideOf } from "./outside.ts";
import { isSpilled } from "./shape.ts";

/** How much of a spilled text stays in the line, for lists and for people who read the file. */
const START_LENGTH = 120;

/**
 * No text of up to this length is ever spilled, whatever the limit: ids, times and the words of closed lists,
 * which hold an entry in its place, are all shorter, and must stand in the line.
 */
export const SPILL_FLOOR = 32;

/** A tool's input may hold a key of this name; it gets one more `$` in the log, and loses it on the way back. */
const RESERVED_KEY = /^\$+blob$/;
const DOLLAR = 0x24;

/** Blobs are UTF-8, which cannot hold one; JSON can, so such a text stays in its line. */
const LONE_SURROGATE = /\p{Surrogate}/u;

export type PutBlob = (text: string) => BlobHash;
export type GetBlob = (hash: BlobHash) => string;

/** Moves every text longer than `limit` into a blob; its place keeps the hash and how it starts. */
export function spill(entry: Entry, limit: number, put: PutBlob): Entry {
  const outside = outsideOf(entry);
  if (outside.length === 0) return spillTexts(entry, limit, put);
  // Paths and hashes, which hold blobs in their place, stand in the line however long they are.
  return { ...spillTexts({ ...entry, outside: [] } as Entry, limit, put), outside } as Entry;
}

function spillTexts(entry: Entry, limit: number, put: PutBlob): Entry {
  const longest = Math.max(limit, SPILL_FLOOR);
  if (!differsInLog(entry, longest)) return entry;
  return mapStrings(entry as unknown as Json, {
    key: (key) => (isReserved(key) ? `$${key}` : key),
    text: (value) => (value.length > longest ? spillText(value, put) : value),
    spilled: undefined,
  }) as unknown as Entry;
}

/** What stands in the line for a text that goes into a blob, however short; the text itself where no blob can hold it. */
export function spillText(text: string, put: PutBlob): Json {
  if (LONE_SURROGATE.test(text)) return text;
  return { $blob: put(text), length: text.length, start: wellFormed(text.slice(0, START_LENGTH)) };
}

/** The inverse of `spill`: the entry with all its texts in place. */
export function fill(entry: Entry, get: GetBlob): Entry {
  if (!mayPoint(entry)) return entry;
  return mapStrings(entry as unknown as Json, {
    key: (key) => (isReserved(key) ? key.slice(1) : key),
    text: (value) => value,
    spilled: get,
  }) as unknown as Entry;
}

/** The blobs that an entry points to: its long texts, and the contents of files. */
export function blobsOf(entry: Entry): BlobHash[] {
  return [...textBlobsOf(entry), ...outsideBlobsOf(entry)];
}

/** Those that `fill` asks for. */
export function textBlobsOf(entry: Entry): BlobHash[] {
  if (!mayPoint(entry)) return [];
  const hashes: BlobHash[] = [];
  mapStrings(entry as unknown as Json, {
    key: (key) => key,
    text: (value) => value,
    spilled: (hash) => {
      hashes.push(hash);
      return "";
    },
  });
  return hashes;
}

/** False where `fill` would change nothing, as in most entries. */
export function mayPoint(entry: Entry): boolean {
  return differsInLog(entry, Number.POSITIVE_INFINITY);
}

/**
 * Whether an entry may differ between the log and memory: it holds a text longer than `longest`, or a key that begins
 * with a `$`, as both that of a spilled text and one that must not be taken for it do. Makes no objects and calls
 * nothing back, because it looks at every line that is read or written.
 */
function differsInLog(value: unknown, longest: number): boolean {
  if (typeof value === "string") return value.length > longest;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return someDiffers(value, longest);
  for (const key in value) {
    if (key.charCodeAt(0) === DOLLAR || differsInLog((value as JsonObject)[key], longest)) return true;
  }
  return false;
}

function someDiffers(items: readonly unknown[], longest: number): boolean {
  for (let at = 0; at < items.length; at += 1) if (differsInLog(items[at], longest)) return true;
  return false;
}

interface Mapping {
  readonly key: (key: string) => string;
  readonly text: (text: string) => Json;
  /** Undefined while spilling: what looks like a spilled text is then the tool's own data. */
  readonly spilled: GetBlob | undefined;
}

/** Returns `value` itself where nothing changes, as in most entries: loading a log must not copy it. */
function mapStrings(value: Json, mapping: Mapping): Json {
  if (typeof value === "string") return mapping.text(value);
  if (Array.isArray(value)) return mapItems(value, mapping);
  if (!isJsonObject(value)) return value;
  if (mapping.spilled !== undefined && isSpilled(value)) return mapping.spilled(value.$blob as BlobHash);
  return mapFields(value, mapping);
}

function mapItems(items: readonly Json[], mapping: Mapping): Json {
  const mapped = items.map((item) => mapStrings(item, mapping));
  return mapped.every((item, index) => item === items[index]) ? items : mapped;
}

function mapFields(fields: JsonObject, mapping: Mapping): Json {
  let mapped: [string, Json][] | undefined;
  const keys = Object.keys(fields);
  for (const [index, key] of keys.entries()) {
    const item = fields[key] as Json;
    const newKey = mapping.key(key);
    const newItem = mapStrings(item, mapping);
    if (mapped === undefined && newKey === key && newItem === item) continue;
    mapped ??= keys.slice(0, index).map((earlier) => [earlier, fields[earlier] as Json]);
    mapped.push([newKey, newItem]);
  }
  return mapped === undefined ? fields : Object.fromEntries(mapped);
}

/** A cut may leave half a surrogate pair behind. */
function wellFormed(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/u, "");
}

function isReserved(key: string): boolean {
  return key.startsWith("$") && RESERVED_KEY.test(key);
}
