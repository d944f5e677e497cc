import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { WorldlineError } from "../../record/error.ts";
import type { PathBytes } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { PlainDamage } from "../../strings/errors/facts.ts";

export type ObjectKind = "content" | "folder" | "snapshot";

/**
 * Objects, each known by the sha256 of its kind and bytes (see `hashObject`). Written once and never changed.
 * Synchronous, as everything that was measured to be fast here; one instance belongs to one thread.
 */
export interface ObjectStore {
  /** Whether it is there. May say no of what another process has just written, until `refresh`. */
  has(hash: ObjectHash): boolean;
  /** Reads and checks it. Throws SNAPSHOT_MISSING (having looked again at what others wrote) or SNAPSHOT_DAMAGED. */
  get(hash: ObjectHash, kind: ObjectKind): Buffer;
  /** Adds an object, unless it is there. Durable only after `sync`. */
  put(kind: ObjectKind, bytes: Uint8Array): ObjectHash;
  /** When this returns, everything that was put is durable. Throws STORE_FULL or STORE_UNWRITABLE; may be called again. */
  sync(): void;
  /** Looks at what other processes have written since. */
  refresh(): void;
  /** Syncs, and lets others continue the file that this one was writing. */
  close(): void;
}

const OURS = Buffer.from("worldline ");

/**
 * Content is known by the plain sha256 of its bytes, as any other tool computes it. Folders and snapshots have their kind in
 * front; and so has content that begins as they do, so that no file, whoever wrote it, can have the hash of another object.
 */
export function hashObject(kind: ObjectKind, bytes: Uint8Array): ObjectHash {
  const hash = createHash("sha256");
  if (kind !== "content" || beginsAsOurs(bytes)) hash.update(`worldline ${kind}\0`);
  return hash.update(bytes).digest("hex") as ObjectHash;
}

function beginsAsOurs(bytes: Uint8Array): boolean {
  // The first byte decides nearly always.
  return bytes[0] === OURS[0] && OURS.equals(bytes.subarray(0, OURS.length));
}

/** The first byte of every folder and snapshot. */
export const OBJECT_VERSION = 1;

/** Throws FORMAT_NEWER, which is no damage: the object's hash fits, or it would not have been handed out. */
export function expectVersion(reader: ByteReader, what: "folder" | "snapshot"): void {
  const version = reader.byte();
  if (version === 0) throw reader.damaged("no-version");
  if (version > OBJECT_VERSION) throw new WorldlineError("object-newer", { kind: what });
}

const HASH_BYTES = 32;

/**
 * Reads what `ByteWriter` wrote. Only that: each value has one spelling, so that equal objects have equal
 * hashes. Throws SNAPSHOT_DAMAGED, with `kind` in its parameters, where the bytes are anything else.
 */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #kind: "folder" | "snapshot";
  #at = 0;

  constructor(bytes: Uint8Array, kind: "folder" | "snapshot") {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#kind = kind;
  }

  byte(): number {
    return this.#bytes[this.#advance(1)] ?? 0;
  }

  number(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (value > Number.MAX_SAFE_INTEGER) throw this.damaged("number-too-large");
      if (byte < 0x80) {
        if (byte === 0 && scale > 1) throw this.damaged("number-too-long");
        return value;
      }
      scale *= 0x80;
      if (scale > Number.MAX_SAFE_INTEGER) throw this.damaged("number-too-large");
    }
  }

  hash(): ObjectHash {
    const start = this.#advance(HASH_BYTES);
    return this.#bytes.toString("hex", start, start + HASH_BYTES) as ObjectHash;
  }

  path(): PathBytes {
    const length = this.number();
    const start = this.#advance(length);
    return this.#bytes.toString("latin1", start, start + length);
  }

  text(): string {
    const length = this.number();
    const start = this.#advance(length);
    const bytes = this.#bytes.subarray(start, start + length);
    if (!isUtf8(bytes)) throw this.damaged("not-utf8");
    return bytes.toString("utf8");
  }

  end(): void {
    if (this.#at < this.#bytes.length) throw this.damaged("too-long");
  }

  damaged(damage: PlainDamage): WorldlineError {
    return new WorldlineError("object-unreadable", { kind: this.#kind, damage: { damage } });
  }

  #advance(count: number): number {
    const start = this.#at;
    if (count > this.#bytes.length - start) throw this.damaged("cut-short");
    this.#at += count;
    return start;
  }
}

/** Of a varint: 53 bits, seven in each byte. */
const LONGEST_NUMBER = 8;
const FIRST_ROOM = 512;

/** Puts numbers, hashes and names behind each other, each in the one way that `ByteReader` accepts. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(FIRST_ROOM);
  #length = 0;

  byte(value: number): void {
    this.#makeRoom(1);
    this.#buffer[this.#length++] = value;
  }

  /** Seven bits in each byte, the low ones first; the eighth says that more follow. */
  number(value: number): void {
    this.#makeRoom(LONGEST_NUMBER);
    let rest = value;
    while (rest >= 0x80) {
      this.#buffer[this.#length++] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[this.#length++] = rest;
  }

  hash(hex: string): void {
    this.#makeRoom(HASH_BYTES);
    this.#length += this.#buffer.write(hex, this.#length, HASH_BYTES, "hex");
  }

  text(text: PathBytes | string, encoding: "latin1" | "utf8"): void {
    const length = encoding === "latin1" ? text.length : Buffer.byteLength(text, encoding);
    this.number(length);
    this.#makeRoom(length);
    this.#length += this.#buffer.write(text, this.#length, length, encoding);
  }

  bytes(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#length));
  }

  #makeRoom(count: number): void {
    if (this.#length + count <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + count));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
