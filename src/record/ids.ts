declare const brand: unique symbol;

/**
 * A branded type. Only the functions in this file create such values, so an entry id cannot be passed where a session
 * id is expected.
 */
type Branded<Value, Name extends string> = Value & { readonly [brand]: Name };

export type SessionId = Branded<string, "SessionId">;
export type EntryId = Branded<string, "EntryId">;
export type SnapshotId = Branded<string, "SnapshotId">;
/** The SHA-256 hash of a blob's bytes, in hex. */
export type BlobHash = Branded<string, "BlobHash">;
/** The SHA-256 hash of an object in the snapshot store, in hex. */
export type ObjectHash = Branded<string, "ObjectHash">;
/** The place of a line in its session's log, counted from 1 without gaps. */
export type Seq = Branded<number, "Seq">;
/**
 * The number that users and the agent use to refer to a checkpoint. Numbers begin at 1 and are never reused in a
 * session.
 */
export type CheckpointNumber = Branded<number, "CheckpointNumber">;

/**
 * The characters that can appear in ids. The letters i, l, o, and u are left out, so that characters cannot be misread
 * and ids do not contain words.
 */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/** Contains a 1 at the index of each character code in the alphabet. */
const IN_ALPHABET = new Uint8Array(128);
for (const character of ALPHABET) IN_ALPHABET[character.charCodeAt(0)] = 1;
const ENTRY_ID_LENGTH = 12;
const SESSION_ID_LENGTH = 10;
const TAG_LENGTH = 10;

/**
 * A function that returns `count` random bytes. The function is passed as an argument, so that tests are repeatable.
 */
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
 * Returns a new tag, which marks our own notices in the context. The tag is random, so foreign text cannot contain it.
 */
export function newTag(random: RandomBytes): string {
  return spell(random(TAG_LENGTH));
}

export function isEntryId(value: unknown): value is EntryId {
  return typeof value === "string" && isSpelled(value, ENTRY_ID_LENGTH);
}

/**
 * Checks whether the value is a session id. This check also protects the file system, because a valid id is safe to use
 * as a folder name.
 */
export function isSessionId(value: unknown): value is SessionId {
  return typeof value === "string" && /^[a-hjkmnp-tv-z][0-9a-hjkmnp-tv-z]{9}$/.test(value);
}

/** Checks whether the value is a UUID. Other agents identify their sessions and messages by UUIDs. */
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
 * Encodes bytes with the alphabet. Uses a plain loop for speed, because this function runs for every entry that is
 * written.
 */
function spell(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 1) text += ALPHABET[(bytes[at] ?? 0) % ALPHABET.length];
  return text;
}

/**
 * Checks a string's length and characters. Runs twice for every line that is read, so it uses a loop, which is faster
 * than a regular expression.
 */
function isSpelled(text: string, length: number): boolean {
  if (text.length !== length) return false;
  for (let at = 0; at < length; at += 1) if (IN_ALPHABET[text.charCodeAt(at)] !== 1) return false;
  return true;
}

/**
 * An entry's id as two 30-bit numbers. This form takes up half the memory of a string, and adds no object that the
 * garbage collector would have to visit.
 */
export interface PackedId {
  readonly idHigh: number;
  readonly idLow: number;
}

const BITS = 5;
const HALF = 6;

/** The numeric value of each character, indexed by its code. */
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
