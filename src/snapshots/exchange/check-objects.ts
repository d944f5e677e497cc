import type { ObjectsCheck, SnapshotObject } from "../../ports/snapshot-objects.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import { ObjectTable } from "../keeping/marking/object-table.ts";
import { decodeFolder } from "../objects/folder-object.ts";
import { hashObject } from "../objects/hash-object.ts";
import { asObjectHash, decodeSnapshot } from "../objects/snapshot-object.ts";

/** What was seen of an object, as bits of its mark. */
const THERE = { content: 1, folder: 2, snapshot: 4 } as const;
const NEEDED = { content: 8, folder: 16 } as const;
const ABSENT = 32;
const ANY_THERE = THERE.content | THERE.folder | THERE.snapshot;

/**
 * Checks objects that somebody else has made: that each is what its hash says, that no folder says what a restore
 * must not do, and that all of them belong together. Holds 52 bytes for each.
 */
export class CheckingObjects implements ObjectsCheck {
  readonly #table = new ObjectTable();

  object({ kind, hash, bytes }: SnapshotObject): string | undefined {
    if (hashObject(kind, bytes) !== hash) return `the ${kind} is not what its hash says`;
    if ((this.#markOf(hash) & (ANY_THERE | ABSENT)) !== 0) return `the ${kind} stands in the bundle already`;
    this.#mark(hash, THERE[kind]);
    try {
      if (kind === "folder") this.#readFolder(bytes);
      if (kind === "snapshot") this.#readSnapshot(bytes);
    } catch (error) {
      if (isWorldlineError(error, "SNAPSHOT_DAMAGED")) return error.message.replace(/\.$/u, "");
      throw error;
    }
    return undefined;
  }

  absent(hash: ObjectHash): string | undefined {
    if ((this.#markOf(hash) & (ANY_THERE | ABSENT)) !== 0) return "what is said to be absent is there";
    this.#mark(hash, ABSENT);
    return undefined;
  }

  finish(snapshots: readonly SnapshotId[]): string | undefined {
    const wanted = new Set(snapshots);
    for (const id of wanted) {
      if ((this.#markOf(asObjectHash(id)) & THERE.snapshot) === 0) return `snapshot ${id} is missing`;
    }
    let count = 0;
    for (let object = 0; object < this.#table.size; object += 1) {
      const mark = this.#table.markOf(object);
      if ((mark & THERE.snapshot) !== 0) count += 1;
      const fault = faultOf(mark);
      if (fault !== undefined) return fault;
    }
    return count === wanted.size ? undefined : "it holds a snapshot that it does not announce";
  }

  #readFolder(bytes: Uint8Array): void {
    for (const { state } of decodeFolder(bytes).entries) {
      if (state.kind === "folder") this.#mark(state.hash, NEEDED.folder);
      if (state.kind === "file") this.#mark(state.hash, NEEDED.content);
    }
  }

  #readSnapshot(bytes: Uint8Array): void {
    const { root, outsideRules } = decodeSnapshot(bytes);
    this.#mark(root.hash, NEEDED.folder);
    if (outsideRules !== undefined) this.#mark(outsideRules, NEEDED.content);
  }

  #markOf(hash: ObjectHash): number {
    const object = this.#table.find(hash);
    return object === undefined ? 0 : this.#table.markOf(object);
  }

  #mark(hash: ObjectHash, bit: number): void {
    if (this.#table.find(hash) === undefined) this.#table.add(hash, 0);
    const object = this.#table.find(hash);
    if (object !== undefined) this.#table.mark(object, this.#table.markOf(object) | bit);
  }
}

function faultOf(mark: number): string | undefined {
  const has = (bits: number): boolean => (mark & bits) !== 0;
  if (has(NEEDED.folder) !== has(THERE.folder))
    return has(THERE.folder)
      ? "no snapshot in it has one of its folders"
      : "a folder of a snapshot is missing";
  if (has(NEEDED.content) !== has(THERE.content | ABSENT))
    return has(NEEDED.content)
      ? "a content is neither there nor said to be absent"
      : "no snapshot in it has one of its contents";
  return undefined;
}
