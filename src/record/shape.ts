import type { Entry, EntryBody, EntryKind } from "./entry.ts";
import { OUTSIDE_WHY, outsideBlobsOf, outsideOf } from "./files.ts";
import { type BlobHash, isBlobHash, isEntryId, isSessionId } from "./ids.ts";
import { isJsonObject, type Json, type JsonObject } from "./parts.ts";

type Check = (value: unknown) => boolean;
/**
 * The checks for each field. `confirmation` has no check, because it is never in a log. Stores add this field when they
 * read a session.
 */
type Shape<Body> = { readonly [Field in Exclude<keyof Body, "kind" | "confirmation">]-?: Check };
type Shapes = { readonly [Kind in EntryKind]: Shape<Extract<EntryBody, { kind: Kind }>> };

const text: Check = (value) => typeof value === "string" || isSpilled(value);
const count: Check = (value) => Number.isFinite(value) && (value as number) >= 0;
const ordinal: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 1;
const json: Check = (value) => value !== undefined;
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const fields = (shape: Readonly<Record<string, Check>>): Check => {
  const checks = checksIn(shape);
  return (value) => isJsonObject(value) && misshapenIn(checks, value) === undefined;
};
const byType = (shapes: Readonly<Record<string, Check>>): Check => {
  // Unlike an object, a map has no inherited names, such as `constructor`.
  const checks = new Map<Json | undefined, Check>(Object.entries(shapes));
  return (value) => isJsonObject(value) && (checks.get(value["type"])?.(value) ?? false);
};

const textPart = fields({ text });
const part = byType({ text: textPart, image: fields({ mediaType: text, data: text }) });
const replyPart = byType({
  text: textPart,
  thinking: fields({ text, signature: optional(text) }),
  "tool-call": fields({ call: text, name: text, input: json, malformed: optional(text) }),
});
const usage = fields({ input: count, output: count, cacheRead: count, cacheWrite: count });
const scope = oneOf("both", "conversation", "files");
const author = oneOf("timeline", "outside");
const ranCall = fields({
  call: text,
  about: text,
  wrote: optional(list(text)),
  reads: optional(oneOf("only")),
  looked: optional(oneOf("late")),
});
const during = optional(list(ranCall));
const outsideFile = fields({ blob: isBlobHash, mode: count, size: count });
const outsideUnknown = fields({ why: oneOf(...OUTSIDE_WHY) });
const outsideState: Check = (value) => outsideFile(value) || outsideUnknown(value);
const outside = list(fields({ path: text, before: optional(outsideState), after: optional(outsideState) }));

/**
 * The fields of each kind, with their checks. The type ensures that the table is complete, because a field without a
 * check does not compile. Fields that are not listed were written by a newer program and are left unchanged.
 */
export const shapes: Shapes = {
  session: {
    version: ordinal,
    session: isSessionId,
    workspace: text,
    mode: oneOf("agent", "workspace", "execution"),
    system: text,
    tag: text,
    frames: optional(oneOf("quoted")),
    backtrack: oneOf("on", "off"),
    numbersFrom: count,
    forkedFrom: optional(fields({ session: isSessionId, entry: isEntryId })),
    imported: optional(fields({ from: text, name: text, at: optional(text) })),
    task: optional(fields({ session: isSessionId, call: text })),
    execution: optional(fields({ id: text, scope: text })),
    estimate: count,
  },
  prompt: { parts: list(part), estimate: count },
  step: { number: ordinal, fill: optional(count), original: optional(count) },
  reply: {
    parts: list(replyPart),
    model: text,
    end: optional(oneOf("length", "interrupted")),
    usage: optional(usage),
    estimate: count,
  },
  "tool-start": { call: text, name: text, input: optional(json), granted: optional(text) },
  "tool-end": {
    call: text,
    outcome: oneOf("ok", "error", "denied", "interrupted"),
    parts: list(part),
    denial: optional(fields({ code: text })),
    seen: optional(list(fields({ path: text, sha256: text }))),
    outside: optional(outside),
    estimate: count,
  },
  notice: { text, owner: optional(isEntryId), estimate: count },
  checkpoint: { number: ordinal, on: oneOf("prompt", "manual"), original: optional(count) },
  snapshot: {
    checkpoint: ordinal,
    state: oneOf("complete", "partial", "none"),
    snapshot: optional(text),
    why: optional(text),
    reason: optional(text),
    params: optional(json),
    author,
    gitHead: optional(text),
    machine: optional(text),
    during,
    signs: optional(text),
  },
  backtrack: {
    to: ordinal,
    from: isEntryId,
    left: optional(text),
    leftAuthor: optional(author),
    leftGitHead: optional(text),
    outside: optional(outside),
    files: oneOf("keep", "restore"),
    note: text,
    rationale: optional(text),
    prompt: optional(text),
    prompts: list(list(part)),
    told: list(text),
    moreTold: optional(count),
    changed: list(text),
    moreChanged: optional(count),
    running: list(text),
    times: ordinal,
    estimate: count,
  },
  rewind: {
    to: ordinal,
    from: isEntryId,
    scope,
    left: optional(text),
    leftAuthor: optional(author),
    leftGitHead: optional(text),
    outside: optional(outside),
    only: optional(list(text)),
    choice: optional(oneOf("keep", "take", "merge")),
    through: optional(text),
  },
  redo: {
    journey: isEntryId,
    from: isEntryId,
    scope,
    left: optional(text),
    leftAuthor: optional(author),
    leftGitHead: optional(text),
    outside: optional(outside),
    only: optional(list(text)),
    revokes: oneOf("nothing", "note"),
    estimate: count,
  },
  restored: {
    journey: isEntryId,
    restored: count,
    created: optional(count),
    removed: optional(count),
    merged: optional(count),
    kept: count,
    notRestorable: optional(count),
    failed: count,
    paths: text,
    snapshot: optional(text),
  },
  compaction: {
    summary: text,
    firstKept: isEntryId,
    pinned: list(isEntryId),
    reason: oneOf("asked", "full", "too-long"),
    focus: optional(text),
    tokensBefore: count,
    kept: count,
    model: optional(text),
    usage: optional(usage),
    estimate: count,
  },
  todos: { items: list(fields({ text, status: oneOf("open", "doing", "done") })) },
  title: { title: text },
  label: { target: isEntryId, label: text },
  saved: {
    name: text,
    index: count,
    attempt: ordinal,
    status: oneOf("pending", "success", "failed"),
    state: optional(json),
    context: optional(json),
    variables: optional(json),
    metadata: optional(json),
    output: optional(json),
    error: optional(json),
    decided: optional(oneOf("retry", "skip", "fail")),
    // The reasons are not checked, because a newer program may add other reasons.
    unstored: optional(list(fields({ path: text, why: text, of: optional(text) }))),
  },
  "checkpoint-delete": { index: count, attempt: ordinal },
  "execution-finish": {},
  interrupt: { by: oneOf("person", "crash", "limit") },
  error: { code: text, message: text, hint: optional(text), reason: optional(text), params: optional(json) },
  rotated: { file: ordinal, session: isSessionId, version: ordinal },
  host: {
    host: text,
    hostSession: text,
    message: optional(text),
    granted: optional(text),
    model: optional(text),
    asked: optional(text),
    window: optional(ordinal),
  },
  interval: { snapshot: text, author, machine: optional(text), during, signs: optional(text) },
};

export function isKnownKind(kind: string): kind is EntryKind {
  return Object.hasOwn(shapes, kind);
}

/** The list of checks is computed once, because the checks run for every line in a log. */
const checksOf = Object.fromEntries(
  Object.entries(shapes).map(([kind, shape]) => [kind, checksIn(shape)]),
) as unknown as Readonly<Record<EntryKind, readonly FieldCheck[]>>;

/** The first field of `body` that fails its check; undefined if all fields are valid. */
export function misshapenField(
  kind: EntryKind,
  body: { readonly [field: string]: unknown },
): string | undefined {
  return misshapenIn(checksOf[kind], body);
}

interface FieldCheck {
  readonly field: string;
  readonly check: Check;
}

function checksIn(shape: Readonly<Record<string, Check>>): FieldCheck[] {
  return Object.entries(shape).map(([field, check]) => ({ field, check }));
}

function misshapenIn(
  checks: readonly FieldCheck[],
  body: { readonly [field: string]: unknown },
): string | undefined {
  for (const { field, check } of checks) if (!check(body[field])) return field;
  return undefined;
}

/** Checks whether the value replaces a string that was moved into a blob; see `spill`. */
export function isSpilled(value: unknown): value is { readonly $blob: string; readonly start: string } {
  return isJsonObject(value) && isBlobHash(value["$blob"]) && typeof value["start"] === "string";
}

/**
 * The number of characters from a spilled string that stay in the line, for use in lists and for people who read the
 * log file.
 */
const START_LENGTH = 120;

/**
 * Strings up to this length are never spilled, regardless of the limit. Ids, times, and values from fixed lists are
 * always shorter. These values must stay in the line, because they determine an entry's meaning and position.
 */
export const SPILL_FLOOR = 32;

/**
 * Matches keys that look like the key for spilled strings. If a tool's input contains such a key, the key is logged
 * with an additional `$`, which is removed when the entry is read.
 */
const RESERVED_KEY = /^\$+blob$/;
const DOLLAR = 0x24;

/**
 * Blobs are UTF-8, which, unlike JSON, cannot represent a lone surrogate. A string that contains a lone surrogate
 * therefore stays in its line.
 */
const LONE_SURROGATE = /\p{Surrogate}/u;

type PutBlob = (text: string) => BlobHash;
type GetBlob = (hash: BlobHash) => string;

/**
 * Moves every string longer than `limit` into a blob, and leaves the blob's hash and the first characters in the line.
 */
export function spill(entry: Entry, limit: number, put: PutBlob): Entry {
  const outside = outsideOf(entry);
  if (outside.length === 0) return spillTexts(entry, limit, put);
  // Paths stay in the line regardless of their length, and so do the hashes that protect blobs from being removed.
  return { ...spillTexts({ ...entry, outside: [] } as Entry, limit, put), outside } as Entry;
}

function spillTexts(entry: Entry, limit: number, put: PutBlob): Entry {
  const longest = Math.max(limit, SPILL_FLOOR);
  if (!differsInLog(entry, longest)) return entry;
  return mapStrings(entry as unknown as Json, {
    key: (key) => (RESERVED_KEY.test(key) ? `$${key}` : key),
    text: (value) => (value.length > longest ? spillText(value, put) : value),
    spilled: undefined,
  }) as unknown as Entry;
}

/**
 * Moves a string into a blob, even if it is short. Returns the value that replaces the text in its line, or the text
 * itself if a blob cannot represent it.
 */
export function spillText(text: string, put: PutBlob): Json {
  if (LONE_SURROGATE.test(text)) return text;
  return { $blob: put(text), length: text.length, start: wellFormed(text.slice(0, START_LENGTH)) };
}

/** The inverse of `spill`: returns the entry with its long strings included in full. */
export function fill(entry: Entry, get: GetBlob): Entry {
  if (!mayPoint(entry)) return entry;
  return mapStrings(entry as unknown as Json, {
    key: (key) => (RESERVED_KEY.test(key) ? key.slice(1) : key),
    text: (value) => value,
    spilled: get,
  }) as unknown as Entry;
}

/** The blobs that an entry refers to, which contain its long strings and the contents of files. */
export function blobsOf(entry: Entry): BlobHash[] {
  return [...textBlobsOf(entry), ...outsideBlobsOf(entry)];
}

/** The blobs that `fill` reads. */
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

/** Checks whether `fill` might change the entry. Most entries do not change. */
export function mayPoint(entry: Entry): boolean {
  return differsInLog(entry, Number.POSITIVE_INFINITY);
}

/**
 * Checks whether an entry may differ between the log and memory. An entry may differ if it contains a string longer
 * than `longest`, or a key that begins with `$`, which marks a spilled string or an escaped key. Allocates no memory
 * and takes no callback, because this check runs for every line that is read or written.
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
  /**
   * Reads a spilled string. Undefined while strings are being spilled, because at that time, a value that looks like a
   * spilled string is the tool's own data.
   */
  readonly spilled: GetBlob | undefined;
}

/**
 * Applies the mapping to all strings. Returns `value` itself if nothing changes, as is the case for most entries, so
 * that loading a log does not copy them.
 */
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

/** Removes half of a surrogate pair that may be left at the end of truncated text. */
function wellFormed(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/u, "");
}
