import { WorldlineError } from "../../src/record/error.ts";
import type { ObjectHash } from "../../src/record/ids.ts";
import type { ObjectKind, ObjectStore } from "../../src/snapshots/objects/object.ts";
import { hashObject } from "../../src/snapshots/objects/object.ts";

/** Objects in memory, with a count of the reads. */
export class MemoryObjects implements ObjectStore {
  readonly #objects = new Map<ObjectHash, { kind: ObjectKind; bytes: Buffer }>();
  reads = 0;
  writes = 0;

  has(hash: ObjectHash): boolean {
    return this.#objects.has(hash);
  }

  get(hash: ObjectHash, kind: ObjectKind): Buffer {
    this.reads++;
    const found = this.#objects.get(hash);
    if (found?.kind !== kind) throw new WorldlineError("object-missing", { kind, hash });
    return found.bytes;
  }

  put(kind: ObjectKind, bytes: Uint8Array): ObjectHash {
    this.writes++;
    const hash = hashObject(kind, bytes);
    this.#objects.set(hash, { kind, bytes: Buffer.from(bytes) });
    return hash;
  }

  sync(): void {}
  refresh(): void {}
  close(): void {}
}
