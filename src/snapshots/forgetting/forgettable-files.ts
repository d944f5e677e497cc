import { dirname } from "node:path";
import { Reserve } from "../../disk/durable-files.ts";
import { ownerOf } from "../../disk/lock.ts";
import type {
  ErasedContents,
  EraseRequest,
  FilesQuery,
  ForgettableFiles,
  FoundInSnapshots,
  HeldContents,
} from "../../ports/snapshot-objects.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { SnapshotContext } from "../context.ts";
import type { ExchangeOptions } from "../exchange/snapshot-objects.ts";
import { acquireShared } from "../keeping/shared-lease.ts";
import { segmentPlaces } from "../segments/segment-format.ts";
import { SnapshotUpkeep } from "../snapshot-upkeep.ts";
import { findSecrets, type SearchContext } from "./find-secrets.ts";

const NOTHING: FoundInSnapshots = {
  contents: [],
  snapshots: 0,
  places: [],
  inWorkspace: [],
  inNames: [],
  labels: 0,
  unreadable: 0,
  unlisted: [],
};

/** Erases contents from the store on disk. */
export class StoredForgettableFiles implements ForgettableFiles {
  readonly #context: SearchContext;
  readonly #options: ExchangeOptions;

  constructor(context: SearchContext, options: ExchangeOptions) {
    this.#context = context;
    this.#options = options;
  }

  async find(
    request: FilesQuery,
    onProgress?: (done: number, of: number) => void,
  ): Promise<FoundInSnapshots> {
    const { store } = this.#context;
    if (store.disk.stat(store.places.root) === undefined) return NOTHING;
    const { disk, clock, places } = store;
    const reserve = new Reserve({ disk, clock, home: dirname(places.root) });
    return reserve.retryWithRoom(async () => {
      const lease = await acquireShared(store, places.leases, this.#options);
      try {
        store.objects.refresh();
        store.folders.clear();
        return findSecrets(this.#context, request, onProgress);
      } finally {
        await lease.release();
      }
    });
  }

  async erase({ contents, request, before }: EraseRequest): Promise<ErasedContents> {
    const { store } = this.#context;
    if (store.disk.stat(store.places.root) === undefined) {
      await before();
      return { erased: 0, labels: 0, left: [] };
    }
    const upkeep = new SnapshotUpkeep(store, this.#options);
    const text = request.what === "content" ? request : undefined;
    const { left, labels } = await upkeep.erase(new Set(contents), { text, before });
    return { erased: contents.length - left.length, labels, left: holdersOf(store, left) };
  }

  close(): void {
    this.#context.store.objects.close();
  }
}

/** Returns what prevents the contents from being erased: one element for each program, and one for damaged segments. */
function holdersOf(
  { disk, places, objects }: SnapshotContext,
  hashes: readonly ObjectHash[],
): HeldContents[] {
  const wanted = new Set(hashes);
  const byHolder = new Map<string | undefined, Set<ObjectHash>>();
  for (const { id } of objects.segments()) {
    objects.each(id, ({ hash }) => {
      if (!wanted.has(hash)) return;
      const owner = ownerOf(disk, segmentPlaces(places.segments, id).lock);
      const by = owner === undefined ? undefined : `${owner.name} (pid ${owner.pid} on ${owner.host})`;
      byHolder.set(by, (byHolder.get(by) ?? new Set()).add(hash));
    });
  }
  return Array.from(byHolder, ([by, held]) =>
    by === undefined
      ? { contents: held.size, why: "damaged" as const }
      : { contents: held.size, why: "held" as const, by },
  );
}
