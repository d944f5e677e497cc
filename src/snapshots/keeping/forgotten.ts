import { join } from "node:path";
import type { Disk } from "../../disk/disk.ts";
import { writeError } from "../../disk/disk.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { SnapshotPlaces } from "../context.ts";
import type { KeptStore } from "./object-table.ts";
import { SealedFile } from "./ref.ts";

export interface FoundContents {
  readonly found: readonly ObjectHash[];
  /** Objects that could not be read and whose content is therefore unknown. */
  readonly unreadable: readonly ObjectHash[];
}

/** Examines all file contents in the store, one at a time, whether or not anything refers to them. */
export function findContents(
  store: KeptStore,
  matches: (bytes: Buffer) => boolean,
  onProgress?: (done: number, of: number) => void,
): FoundContents {
  const [found, unreadable] = [new Set<ObjectHash>(), new Set<ObjectHash>()];
  store.refresh();
  const segments = store.segments();
  for (const [at, { id }] of segments.entries()) {
    store.each(id, ({ hash, kind }) => {
      if (kind !== "content" || found.has(hash)) return;
      const bytes = readableContent(store, hash);
      if (bytes === undefined) unreadable.add(hash);
      else if (matches(bytes)) found.add(hash);
    });
    onProgress?.(at + 1, segments.length);
  }
  return { found: [...found], unreadable: [...unreadable] };
}

interface EraseContext {
  readonly disk: Disk;
  readonly places: Pick<SnapshotPlaces, "segments">;
  readonly store: KeptStore;
  readonly forgotten: ForgottenContents;
  /** Notifies other processes that objects they remember may no longer exist in the store. */
  readonly announce: () => void;
}

/**
 * Removes objects, including those that snapshots contain. Returns the objects that remain, either because a running
 * program holds their segment, or because their segment contains a damaged object that must be kept. The removal is
 * recorded first, so that forgotten objects are not reported as lost. After a crash, the removal can be repeated. The
 * caller must hold the store's lease exclusively.
 */
export function eraseObjects(
  { disk, places, store, forgotten, announce }: EraseContext,
  hashes: ReadonlySet<ObjectHash>,
  at: string,
): readonly ObjectHash[] {
  if (hashes.size === 0) return [];
  forgotten.add(hashes, at);
  announce();
  for (const segment of holding(store, hashes).keys()) store.rewrite(segment, (hash) => !hashes.has(hash));
  syncNames(disk, places.segments);
  return [...new Set([...holding(store, hashes).values()].flat())];
}

/** Syncs the names in the folder. Without this step, a power loss could bring back a segment that was removed. */
function syncNames(disk: Disk, folder: string): void {
  try {
    if (disk.stat(folder) !== undefined) disk.syncFolder(folder);
  } catch (error) {
    throw writeError(error, { what: "path", of: folder });
  }
}

/** Returns the segments that contain any of the objects, each with the objects that it contains. */
function holding(store: KeptStore, hashes: ReadonlySet<ObjectHash>): Map<string, ObjectHash[]> {
  const found = new Map<string, ObjectHash[]>();
  store.refresh();
  for (const { id } of store.segments()) {
    store.each(id, ({ hash }) => {
      if (hashes.has(hash)) found.set(id, [...(found.get(id) ?? []), hash]);
    });
  }
  return found;
}

/** Reason why an object that snapshots refer to is intentionally missing. */
export type WhyGone = "forgotten" | "not-in-bundle";

/**
 * Records the objects that were intentionally forgotten or left out of a bundle, so that they are not reported as
 * missing.
 */
export class ForgottenContents {
  readonly #file: SealedFile;

  /** Opens the records in the snapshot store's folder, `root`. */
  constructor(disk: Disk, root: string) {
    this.#file = new SealedFile(disk, join(root, "forgotten.jsonl"));
  }

  add(hashes: Iterable<ObjectHash>, at: string, why: WhyGone = "forgotten"): void {
    this.#file.append(Array.from(hashes, (hash) => ({ hash, at, ...(why === "forgotten" ? {} : { why }) })));
  }

  isForgotten(hash: ObjectHash): boolean {
    return this.whyGone(hash) === "forgotten";
  }

  /**
   * Returns why an object is intentionally missing. Reads the records each time instead of caching them, because they
   * are rarely needed.
   */
  whyGone(hash: ObjectHash): WhyGone | undefined {
    return this.all().get(hash);
  }

  /** Returns all recorded objects. An object that was both left out of a bundle and forgotten counts as forgotten. */
  all(): ReadonlyMap<ObjectHash, WhyGone> {
    const gone = new Map<ObjectHash, WhyGone>();
    for (const { hash, why } of this.#file.read().lines) {
      const known = hash as unknown as ObjectHash;
      if (gone.get(known) !== "forgotten")
        gone.set(known, why === "not-in-bundle" ? "not-in-bundle" : "forgotten");
    }
    return gone;
  }
}

function readableContent(store: KeptStore, hash: ObjectHash): Buffer | undefined {
  try {
    return store.get(hash, "content");
  } catch (error) {
    if (isWorldlineError(error, "SNAPSHOT_DAMAGED") || isWorldlineError(error, "SNAPSHOT_MISSING"))
      return undefined;
    throw error;
  }
}
