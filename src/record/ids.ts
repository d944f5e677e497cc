declare const brand: unique symbol;

/**
 * A branded type: only the functions in this file produce it, so an entry id cannot be passed where a session id is
 * expected.
 */
type Branded<Value, Name extends string> = Value & { readonly [brand]: Name };

export type SessionId = Branded<string, "SessionId">;
export type EntryId = Branded<string, "EntryId">;
export type SnapshotId = Branded<string, "SnapshotId">;
/** The sha256 of a blob's bytes, in hex. */
export type BlobHash = Branded<string, "BlobHash">;
/** The sha256 of an object in the snapshot store, in hex. */
export type ObjectHash = Branded<string, "ObjectHash">;
/** The place of a line in its session's log, counted from 1 without gaps. */
export type Seq = Branded<number, "Seq">;
/**
 * The number by which users and the agent refer to a checkpoint. Numbers begin at 1 and are never reused in a session.
 */
export type CheckpointNumber = Branded<number, "CheckpointNumber">;

/** Lacks i, l, o, and u, so that characters cannot be misread and words cannot appear. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/** Contains a 1 at the code of each character in the alphabet. */
const IN_ALPHABET = new Uint8Array(128);
for (const character of ALPHABET) IN_ALPHABET[character.charCodeAt(0)] = 1;
const ENTRY_ID_LENGTH = 12;
const SESSION_ID_LENGTH = 10;
const TAG_LENGTH = 10;

/** Returns `count` random bytes. It is passed as an argument, so that tests can repeat a run. */
export type RandomBytes = (count: number) => Uint8Array;

export function newEntryId(random: RandomBytes): EntryId {
  return spell(random(ENTRY_ID_LENGTH)) as EntryId;
}

/** Returns an id that begins with a letter, so that it cannot be mistaken for a checkpoint's number. */
export function newSessionId(random: RandomBytes): SessionId {
  const [first = 0, ...rest] = random(SESSION_ID_LENGTH);
  const letters = ALPHABET.slice(10);
  return `${letters[first % letters.length]}${spell(Uint8Array.from(rest))}` as SessionId;
}

/**
 * Returns a new tag, which marks our own notices in the context. Foreign text cannot contain it, because it cannot be
 * known in advance.
 */
export function newTag(random: RandomBytes): string {
  return spell(random(TAG_LENGTH));
}

export function isEntryId(value: unknown): value is EntryId {
  return typeof value === "string" && isSpelled(value, ENTRY_ID_LENGTH);
}

/**
 * Whether the value is a session id. This also protects the file system: a valid id is safe to use as a folder name.
 */
export function isSessionId(value: unknown): value is SessionId {
  return typeof value === "string" && /^[a-hjkmnp-tv-z][0-9a-hjkmnp-tv-z]{9}$/.test(value);
}

/** Whether the value is a UUID. Other agents identify their sessions and messages by UUIDs. */
export function isUuid(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}

export function isBlobHash(value: unknown): value is BlobHash {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** A snapshot's id is the hash of its object. */
export function isSnapshotId(value: unknown): value is SnapshotId {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

export function toSeq(value: number): Seq {
  return value as Seq;
}

export function toCheckpointNumber(value: number): CheckpointNumber {
  return value as CheckpointNumber;
}

/**
 * Encodes bytes in the alphabet. Uses a plain loop, which is fast, because this runs for every entry that is written.
 */
function spell(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 1) text += ALPHABET[(bytes[at] ?? 0) % ALPHABET.length];
  return text;
}

/**
 * Compares characters one by one, which is faster than a regular expression, because this runs twice for every line
 * that is read.
 */
function isSpelled(text: string, length: number): boolean {
  if (text.length !== length) return false;
  for (let at = 0; at < length; at += 1) if (IN_ALPHABET[text.charCodeAt(at)] !== 1) return false;
  return true;
}

/**
 * An entry's id as two 30-bit numbers. This takes half the memory of a string, and does not add an object that the
 * garbage collector has to visit.
 */
export interface PackedId {
  readonly idHigh: number;
  readonly idLow: number;
}

const BITS = 5;
const HALF = 6;

/** The value of each character, by its code. */
const VALUES = new Uint8Array(128);
for (const [value, character] of [...ALPHABET].entries()) VALUES[character.charCodeAt(0)] = value;

export function packId(id: EntryId): PackedId {
  return { idHigh: packHalf(id, 0), idLow: packHalf(id, HALF) };
}

export function unpackId({ idHigh, idLow }: PackedId): EntryId {
  return `${unpackHalf(idHigh)}${unpackHalf(idLow)}` as EntryId;
}

function packHalf(id: string, from: number): number {
  let packed = 0;
  for (let at = from; at < from + HALF; at += 1) packed = (packed << BITS) | (VALUES[id.charCodeAt(at)] ?? 0);
  return packed;
}

function unpackHalf(packed: number): string {
  let text = "";
  for (let shift = BITS * (HALF - 1); shift >= 0; shift -= BITS) text += ALPHABET[(packed >>> shift) & 31];
  return text;
}
