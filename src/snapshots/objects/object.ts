import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { WorldlineError } from "../../record/error.ts";
import type { PathBytes } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { PlainDamage, SnapshotExcess } from "../../strings/errors/facts.ts";

export type ObjectKind = "content" | "folder" | "snapshot";

/**
 * Stores objects, each identified by a sha256 of its kind and bytes (see `hashObject`). An object is written once and
 * never changed. The methods are synchronous, because synchronous methods were measured to be faster. An instance must
 * be used from a single thread only.
 */
export interface ObjectStore {
  /**
   * Checks whether the object exists. Until `refresh` is called, the result may be false for an object that another
   * process has just written.
   */
  has(hash: ObjectHash): boolean;
  /**
   * Reads and checks the object. Throws SNAPSHOT_DAMAGED if the object is damaged. Throws SNAPSHOT_MISSING if the
   * object is not found even after a check for objects that other processes wrote.
   */
  get(hash: ObjectHash, kind: ObjectKind): Buffer;
  /** Adds an object unless it already exists. The object is durable only after `sync`. */
  put(kind: ObjectKind, bytes: Uint8Array): ObjectHash;
  /**
   * Makes all added objects durable. If this call throws STORE_FULL or STORE_UNWRITABLE, the caller can repeat the
   * call.
   */
  sync(): void;
  /** Finds objects that other processes have written since the last check. */
  refresh(): void;
  /** Syncs the added objects, and then allows other processes to append to the file that this process was writing. */
  close(): void;
}

const OURS = Buffer.from("worldline ");

/**
 * Computes the id of an object. The id of file content is the plain sha256 of its bytes, as computed by any other tool.
 * Folders and snapshots are hashed with their kind as a prefix. File content that begins with such a prefix is also
 * hashed with a prefix, so that a file cannot have the same hash as an object of another kind.
 */
export function hashObject(kind: ObjectKind, bytes: Uint8Array): ObjectHash {
  const hash = createHash("sha256");
  if (kind !== "content" || beginsAsOurs(bytes)) hash.update(`worldline ${kind}\0`);
  return hash.update(bytes).digest("hex") as ObjectHash;
}

function beginsAsOurs(bytes: Uint8Array): boolean {
  // The first byte is compared separately, because it almost always rules out a match.
  return bytes[0] === OURS[0] && OURS.equals(bytes.subarray(0, OURS.length));
}

/** The first byte of every folder object and snapshot object. */
export const OBJECT_VERSION = 1;

/**
 * Reads the version, and throws FORMAT_NEWER if it is unknown. An unknown version does not mean that the object is
 * damaged, because the store returns only objects that match their hash.
 */
export function expectVersion(reader: ByteReader, what: "folder" | "snapshot"): void {
  const version = reader.byte();
  if (version === 0) throw reader.damaged("no-version");
  if (version > OBJECT_VERSION) throw new WorldlineError("object-newer", { kind: what });
}

const HASH_BYTES = 32;

/**
 * Reads only what `ByteWriter` wrote. Each value has only one encoding, so that equal objects have equal hashes. Throws
 * SNAPSHOT_DAMAGED, with `kind` in its parameters, for any other bytes.
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

/** Maximum length of a varint in bytes, for 53 bits with seven bits in each byte. */
const MAX_NUMBER_BYTES = 8;
const FIRST_ROOM = 512;

/** Writes numbers, hashes, and names one after another, each in the only form that `ByteReader` accepts. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(FIRST_ROOM);
  #length = 0;

  byte(value: number): void {
    this.#makeRoom(1);
    this.#buffer[this.#length++] = value;
  }

  /** Writes a number with seven bits in each byte, the low bits first. The eighth bit means that more bytes follow. */
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

/**
 * Maximum length of a path. No system accepts a longer path, so no capture creates one. Folders can be nested at most
 * half this number of levels deep.
 */
export const MAX_PATH_BYTES = 4_095;
/**
 * Maximum number of paths in one snapshot or in one comparison. More paths would not fit into the memory of a typical
 * process.
 */
const MAX_PATHS = 5_000_000;

/**
 * Limits for imported data: the number of entries in a folder, the size of a folder, and the length of a name or link
 * target in it.
 */
export const MAX_FOLDER_ENTRIES = 1_000_000;
export const MAX_FOLDER_BYTES: number = 64 * 1024 * 1024;
export const MAX_NAME_BYTES = 1_024;
export const MAX_TARGET_BYTES = 4_095;
/**
 * Limits for the total amount of imported data: the number of objects that exist or are referred to, and the number of
 * subfolders.
 */
export const MAX_OBJECTS = 10_000_000;
export const MAX_FOLDERS_NAMED = 20_000_000;

/** The size of a folder with everything below it. Each path counts, even if many paths share a few objects. */
export interface TreeSize {
  /** The number of paths. It is capped, because 61 objects can produce 2^60 paths. */
  readonly paths: number;
  /** The length of the longest path in the folder. */
  readonly longest: number;
}

export const EMPTY_TREE: TreeSize = { paths: 0, longest: 0 };

/** Returns the size of a folder after an entry is added. `below` is the size of the entry itself if it is a folder. */
export function withEntry(size: TreeSize, nameBytes: number, below: TreeSize = EMPTY_TREE): TreeSize {
  const length = below.paths === 0 ? nameBytes : nameBytes + 1 + below.longest;
  return {
    paths: Math.min(size.paths + 1 + below.paths, Number.MAX_SAFE_INTEGER),
    longest: Math.min(Math.max(size.longest, length), Number.MAX_SAFE_INTEGER),
  };
}

/** Returns the limit that a snapshot exceeds, or undefined if a capture could have created the snapshot. */
export function excessOf(
  { paths, longest }: TreeSize,
  maxPaths: number = MAX_PATHS,
): SnapshotExcess | undefined {
  if (longest > MAX_PATH_BYTES) return { of: "path-bytes", most: MAX_PATH_BYTES };
  return paths > maxPaths ? { of: "paths", most: maxPaths } : undefined;
}

/** Number of paths after which it pays off to compute the total number of paths. */
const MANY_PATHS = 200_000;
/**
 * Factor by which a snapshot must exceed the limit to be rejected immediately. If the excess is smaller, paths are
 * enumerated up to the limit, because the caller may need only some of them.
 */
const FAR_TOO_MANY = 10;

/** Counts the enumerated paths, so that a maliciously crafted snapshot cannot make the enumeration endless. */
export class PathBudget {
  readonly #maxPaths: number;
  #taken = 0;

  constructor(maxPaths: number = MAX_PATHS) {
    this.#maxPaths = maxPaths;
  }

  /**
   * Counts a path. Throws SNAPSHOT_DAMAGED if the path is too long or if there are too many paths. Once there are many
   * paths, calls `sizes`, which can show earlier that the limit will be exceeded.
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
