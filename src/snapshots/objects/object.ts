import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { WorldlineError } from "../../record/error.ts";
import type { PathBytes } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { PlainDamage, SnapshotExcess } from "../../strings/errors/facts.ts";

export type ObjectKind = "content" | "folder" | "snapshot";

/**
 * Objects, each identified by the sha256 of its kind and bytes (see `hashObject`). Written once and never changed.
 * Synchronous, because that was measured to be faster; an instance must be used in a single thread.
 */
export interface ObjectStore {
  /** Whether the object exists. May be false for what another process has just written, until `refresh`. */
  has(hash: ObjectHash): boolean;
  /** Reads and checks the object. Throws SNAPSHOT_MISSING (after checking again what other processes wrote) or SNAPSHOT_DAMAGED. */
  get(hash: ObjectHash, kind: ObjectKind): Buffer;
  /** Adds an object, unless it exists. Durable only after `sync`. */
  put(kind: ObjectKind, bytes: Uint8Array): ObjectHash;
  /** When this returns, everything that was put is durable. Throws STORE_FULL or STORE_UNWRITABLE; may be called again. */
  sync(): void;
  /** Finds what other processes have written since. */
  refresh(): void;
  /** Syncs, and lets other processes continue the file that this one was writing. */
  close(): void;
}

const OURS = Buffer.from("worldline ");

/**
 * The id of a content is the plain sha256 of its bytes, as any other tool computes it. Folders and snapshots are hashed with
 * their kind as a prefix. So is a content that begins with such a prefix, so that no file can have the hash of another
 * object.
 */
export function hashObject(kind: ObjectKind, bytes: Uint8Array): ObjectHash {
  const hash = createHash("sha256");
  if (kind !== "content" || beginsAsOurs(bytes)) hash.update(`worldline ${kind}\0`);
  return hash.update(bytes).digest("hex") as ObjectHash;
}

function beginsAsOurs(bytes: Uint8Array): boolean {
  // The first byte nearly always decides.
  return bytes[0] === OURS[0] && OURS.equals(bytes.subarray(0, OURS.length));
}

/** The first byte of every folder and snapshot. */
export const OBJECT_VERSION = 1;

/** Throws FORMAT_NEWER. This is not damage: the object's hash matches, or the store would not have returned it. */
export function expectVersion(reader: ByteReader, what: "folder" | "snapshot"): void {
  const version = reader.byte();
  if (version === 0) throw reader.damaged("no-version");
  if (version > OBJECT_VERSION) throw new WorldlineError("object-newer", { kind: what });
}

const HASH_BYTES = 32;

/**
 * Reads what `ByteWriter` wrote, and nothing else: each value has only one encoding, so that equal objects have equal hashes.
 * Throws SNAPSHOT_DAMAGED, with `kind` in its parameters, for any other bytes.
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

/** The length of a varint: 53 bits, seven in each byte. */
const MAX_NUMBER_BYTES = 8;
const FIRST_ROOM = 512;

/** Writes numbers, hashes and names one after the other, each in the only form that `ByteReader` accepts. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(FIRST_ROOM);
  #length = 0;

  byte(value: number): void {
    this.#makeRoom(1);
    this.#buffer[this.#length++] = value;
  }

  /** Seven bits in each byte, the low ones first; the eighth bit says that more bytes follow. */
  number(value: number): void {
    this.#makeRoom(MAX_NUMBER_BYTES);
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

/** No system accepts a longer path, so no capture creates one. The depth of folders is at most half of this. */
export const MAX_PATH_BYTES = 4_095;
/** For one snapshot, and for one comparison: more paths would not fit into the memory of a typical process. */
const MAX_PATHS = 5_000_000;

/** Limits for data from outside: for one folder, its bytes, and a name or a link target in it. */
export const MAX_FOLDER_ENTRIES = 1_000_000;
export const MAX_FOLDER_BYTES: number = 64 * 1024 * 1024;
export const MAX_NAME_BYTES = 1_024;
export const MAX_TARGET_BYTES = 4_095;
/** Limits for data from outside, in total: objects that exist or are referred to, and subfolders. */
export const MAX_OBJECTS = 10_000_000;
export const MAX_FOLDERS_NAMED = 20_000_000;

/** The size of a folder including everything below it. Each path counts, even if few objects are shared by many paths. */
export interface TreeSize {
  /** Saturates, because 61 objects can produce 2^60 paths. */
  readonly paths: number;
  /** The length of the longest path within it. */
  readonly longest: number;
}

export const EMPTY_TREE: TreeSize = { paths: 0, longest: 0 };

/** The size with one more entry; `below` is the size of the entry itself, if it is a folder. */
export function withEntry(size: TreeSize, nameBytes: number, below: TreeSize = EMPTY_TREE): TreeSize {
  const length = below.paths === 0 ? nameBytes : nameBytes + 1 + below.longest;
  return {
    paths: Math.min(size.paths + 1 + below.paths, Number.MAX_SAFE_INTEGER),
    longest: Math.min(Math.max(size.longest, length), Number.MAX_SAFE_INTEGER),
  };
}

/** The limit that a snapshot exceeds; undefined for one that a capture can have created. */
export function excessOf(
  { paths, longest }: TreeSize,
  maxPaths: number = MAX_PATHS,
): SnapshotExcess | undefined {
  if (longest > MAX_PATH_BYTES) return { of: "path-bytes", most: MAX_PATH_BYTES };
  return paths > maxPaths ? { of: "paths", most: maxPaths } : undefined;
}

/** After this many paths, it is worth finding out how many there are in total. */
const MANY_PATHS = 200_000;
/**
 * A snapshot that exceeds the limit by this factor is rejected before its paths are enumerated up to the limit. Others are not,
 * because the caller may need only some of their paths.
 */
const FAR_TOO_MANY = 10;

/** Counts the paths that are enumerated, so that a maliciously crafted snapshot cannot make that endless. */
export class PathBudget {
  readonly #maxPaths: number;
  #taken = 0;

  constructor(maxPaths: number = MAX_PATHS) {
    this.#maxPaths = maxPaths;
  }

  /**
   * Throws SNAPSHOT_DAMAGED if the path is too long or exceeds the limit. `sizes`, which is called once there are many paths,
   * may reveal that earlier.
   */
  take(path: PathBytes, sizes: () => readonly (TreeSize | "broken")[]): void {
    this.#taken += 1;
    this.#require({ paths: this.#taken, longest: path.length });
    if (this.#taken !== MANY_PATHS) return;
    for (const size of sizes()) {
      if (size !== "broken") this.#require({ ...size, paths: size.paths / FAR_TOO_MANY });
    }
  }

  #require(size: TreeSize): void {
    const excess = excessOf(size, this.#maxPaths);
    if (excess !== undefined) throw new WorldlineError("snapshot-too-large", excess);
  }
}
