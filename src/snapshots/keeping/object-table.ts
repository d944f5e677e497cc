import { isWorldlineError, type WorldlineError } from "../../record/error.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import type { ObjectStore } from "../objects/object.ts";
import { asObjectHash, decodeFolder, decodeSnapshot } from "../objects/tree-objects.ts";
import type { SegmentStore } from "../segments/segment-store.ts";

const HASH_BYTES = 32;
const FIRST_CAPACITY = 1_024;
/** Number of slots for each object, so that at most half of the slots are used. */
const SLOTS = 2;

/**
 * A table of all objects in a store, with a size and a mark for each object. Each object takes up about 52 bytes. For a
 * million objects, a Set of hashes as text would take several times as much memory. Hashes are evenly distributed, so
 * their first bytes select the slot.
 */
export class ObjectTable {
  #hashes = Buffer.alloc(FIRST_CAPACITY * HASH_BYTES);
  #bytes = new Float64Array(FIRST_CAPACITY);
  #marks = new Uint32Array(FIRST_CAPACITY);
  /** The number of the object in each slot, plus one. Free slots contain 0. */
  #slots = new Uint32Array(FIRST_CAPACITY * SLOTS);
  #size = 0;
  readonly #wanted = Buffer.alloc(HASH_BYTES);

  get size(): number {
    return this.#size;
  }

  /** Adds an object. If the object is already in the table, adds the size of this copy to its size. */
  add(hash: ObjectHash, bytes: number): void {
    const slot = this.#slotOf(hash);
    const known = this.#slots[slot] ?? 0;
    const at = known === 0 ? this.#size : known - 1;
    this.#bytes[at] = (this.#bytes[at] ?? 0) + bytes;
    if (known !== 0) return;
    this.#wanted.copy(this.#hashes, at * HASH_BYTES);
    this.#slots[slot] = at + 1;
    this.#size += 1;
    if (this.#size === this.#bytes.length) this.#grow();
  }

  /** Returns the number of the object, or undefined if the object is not in the table. */
  find(hash: ObjectHash): number | undefined {
    const known = this.#slots[this.#slotOf(hash)] ?? 0;
    return known === 0 ? undefined : known - 1;
  }

  bytesOf(object: number): number {
    return this.#bytes[object] ?? 0;
  }

  /** Returns the object's mark, or 0 if no mark has been set. */
  markOf(object: number): number {
    return this.#marks[object] ?? 0;
  }

  mark(object: number, mark: number): void {
    this.#marks[object] = mark;
  }

  /** Returns the slot that contains the hash, or the free slot where it would be stored. */
  #slotOf(hash: ObjectHash): number {
    this.#wanted.write(hash, "hex");
    let slot = this.#wanted.readUInt32LE(0) % this.#slots.length;
    for (;;) {
      const known = this.#slots[slot] ?? 0;
      if (known === 0 || this.#isWanted(known - 1)) return slot;
      slot = (slot + 1) % this.#slots.length;
    }
  }

  #isWanted(object: number): boolean {
    const start = object * HASH_BYTES;
    return this.#wanted.compare(this.#hashes, start, start + HASH_BYTES) === 0;
  }

  #grow(): void {
    const capacity = 2 * this.#size;
    const [hashes, bytes, marks] = [this.#hashes, this.#bytes, this.#marks];
    this.#hashes = Buffer.alloc(capacity * HASH_BYTES);
    this.#hashes.set(hashes);
    this.#bytes = new Float64Array(capacity);
    this.#bytes.set(bytes);
    this.#marks = new Uint32Array(capacity);
    this.#marks.set(marks);
    this.#slots = new Uint32Array(capacity * SLOTS);
    for (let object = 0; object < this.#size; object += 1) {
      let slot = this.#hashes.readUInt32LE(object * HASH_BYTES) % this.#slots.length;
      while (this.#slots[slot] !== 0) slot = (slot + 1) % this.#slots.length;
      this.#slots[slot] = object + 1;
    }
  }
}

/** The methods of the segment store that gc and its related tasks need. */
export type KeptStore = Pick<SegmentStore, "get" | "refresh" | "segments" | "each" | "rewrite">;

/** Creates a table of all objects that currently exist, including objects that other processes wrote. */
export function tableOf(store: KeptStore): ObjectTable {
  const table = new ObjectTable();
  store.refresh();
  for (const { id } of store.segments()) {
    store.each(id, ({ hash, storedBytes }) => table.add(hash, storedBytes));
  }
  return table;
}

export interface ReachContext {
  readonly store: Pick<ObjectStore, "get">;
  readonly table: ObjectTable;
}

/** Callback for each object that is reached. Returns "stop" if the contents of the object need not be visited. */
export type Enter = (object: number) => "descend" | "stop";

/**
 * Visits every object in a snapshot. If a folder cannot be read, continues with the other folders and throws
 * SNAPSHOT_MISSING or SNAPSHOT_DAMAGED at the end. Does not read the contents of files, and skips missing contents.
 */
export function reachFrom(context: ReachContext, snapshot: SnapshotId, enter: Enter): void {
  const hash = asObjectHash(snapshot);
  const object = context.table.find(hash);
  if (object !== undefined && enter(object) === "stop") return;
  const { root, outsideRules } = decodeSnapshot(context.store.get(hash, "snapshot"));
  if (outsideRules !== undefined) reachContent(context, outsideRules, enter);
  reachFromFolder(context, root.hash, enter);
}

export function reachFromFolder(context: ReachContext, root: ObjectHash, enter: Enter): void {
  // Uses a loop instead of recursion, because a bundle may contain folders of any depth.
  const waiting = [root];
  let damage: WorldlineError | undefined;
  for (let hash = waiting.pop(); hash !== undefined; hash = waiting.pop()) {
    const object = context.table.find(hash);
    if (object !== undefined && enter(object) === "stop") continue;
    try {
      for (const folder of enterFolder(context, hash, enter)) waiting.push(folder);
    } catch (error) {
      if (!isDamage(error)) throw error;
      damage ??= error;
    }
  }
  if (damage !== undefined) throw damage;
}

/** Visits the contents of a folder. Yields its subfolders. */
function* enterFolder({ store, table }: ReachContext, hash: ObjectHash, enter: Enter): Generator<ObjectHash> {
  for (const { state } of decodeFolder(store.get(hash, "folder")).entries) {
    if (state.kind === "folder") yield state.hash;
    else if (state.kind === "file") reachContent({ store, table }, state.hash, enter);
  }
}

/**
 * Checks whether the error means that an object is missing or damaged. Such an error affects only the snapshots that
 * need the object.
 */
export function isDamage(error: unknown): error is WorldlineError {
  return isWorldlineError(error, "SNAPSHOT_DAMAGED") || isWorldlineError(error, "SNAPSHOT_MISSING");
}

export function reachContent({ table }: ReachContext, hash: ObjectHash, enter: Enter): void {
  const object = table.find(hash);
  if (object !== undefined) enter(object);
}
