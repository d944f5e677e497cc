import type { ObjectHash } from "../../record/ids.ts";

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
