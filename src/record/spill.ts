import type { Entry } from "./entry.ts";
import type { BlobHash } from "./ids.ts";
import { isJsonObject, type Json } from "./json.ts";
import { isSpilled } from "./shape.ts";

/** How much of a spilled text stays in the line, for lists and for people who read the file. */
const START_LENGTH = 120;

/** A tool's input may hold a key of this name; it gets one more `$` in the log, and loses it on the way back. */
const RESERVED_KEY = /^\$+blob$/;

/** Blobs are UTF-8, which cannot hold one; JSON can, so such a text stays in its line. */
const LONE_SURROGATE = /\p{Surrogate}/u;

export type PutBlob = (text: string) => BlobHash;
export type GetBlob = (hash: BlobHash) => string;

/** Moves every text longer than `limit` into a blob; its place keeps the hash and how it starts. */
export function spill(entry: Entry, limit: number, put: PutBlob): Entry {
  return mapStrings(entry as unknown as Json, {
    key: (key) => (RESERVED_KEY.test(key) ? `$${key}` : key),
    text: (value) =>
      value.length > limit && !LONE_SURROGATE.test(value)
        ? { $blob: put(value), length: value.length, start: wellFormed(value.slice(0, START_LENGTH)) }
        : value,
    spilled: undefined,
  }) as unknown as Entry;
}

/** The inverse of `spill`: the entry with all its texts in place. */
export function fill(entry: Entry, get: GetBlob): Entry {
  return mapStrings(entry as unknown as Json, {
    key: (key) => (RESERVED_KEY.test(key) ? key.slice(1) : key),
    text: (value) => value,
    spilled: get,
  }) as unknown as Entry;
}

/** The blobs that an entry points to. */
export function blobsOf(entry: Entry): BlobHash[] {
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

interface Mapping {
  readonly key: (key: string) => string;
  readonly text: (text: string) => Json;
  /** Undefined while spilling: what looks like a spilled text is then the tool's own data. */
  readonly spilled: GetBlob | undefined;
}

function mapStrings(value: Json, mapping: Mapping): Json {
  if (typeof value === "string") return mapping.text(value);
  if (Array.isArray(value)) return value.map((item: Json) => mapStrings(item, mapping));
  if (!isJsonObject(value)) return value;
  if (mapping.spilled !== undefined && isSpilled(value)) return mapping.spilled(value.$blob as BlobHash);
  const pairs = Object.entries(value).map(([key, item]) => [mapping.key(key), mapStrings(item, mapping)]);
  return Object.fromEntries(pairs) as Json;
}

/** A cut may leave half a surrogate pair behind. */
function wellFormed(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/u, "");
}
