import type { Disk } from "../../../src/disk/disk.ts";
import type { Processes } from "../../../src/disk/lock-owner.ts";
import type { KeptFor } from "../../../src/ports/workspace-files.ts";
import type { ObjectHash, SessionId, SnapshotId } from "../../../src/record/ids.ts";
import { snapshotPlaces } from "../../../src/snapshots/context.ts";
import { ForgottenContents } from "../../../src/snapshots/keeping/forgotten.ts";
import type { Ref } from "../../../src/snapshots/keeping/ref.ts";
import { Refs } from "../../../src/snapshots/keeping/refs.ts";
import {
  asObjectHash,
  decodeFolder,
  encodeFolder,
  entryOf,
  type FolderEntry,
  folderWith,
  readSnapshot,
  writeSnapshot,
} from "../../../src/snapshots/objects/tree-objects.ts";
import type { SegmentStore } from "../../../src/snapshots/segments/segment-store.ts";
import { openSegments } from "../../../src/snapshots/segments/stored-segments.ts";
import { ManualClock, SimulatedProcesses } from "../../../src/testing/testing.ts";

export const ONE = "aaaaaaaaaa" as SessionId;
export const TWO = "bbbbbbbbbb" as SessionId;
export const WORKSPACE = "/work/space";
export const RETENTION = { keepCount: 2, keepJourneys: 2 };
export const ROOMY = { retention: RETENTION, maxBytes: 1_000_000_000 };

export function minute(at: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString();
}

export function prompt(checkpoint: number, session: SessionId = ONE): KeptFor {
  return { session, checkpoint, on: "prompt" };
}

/** A reference to a snapshot that need not exist. */
export function ref(number: number, session: SessionId = ONE): Ref {
  return {
    keptFor: prompt(number, session),
    snapshot: String(number).padStart(64, "0") as SnapshotId,
    workspace: WORKSPACE,
    at: minute(number),
  };
}

/** Contents by name; a nested object is a folder. */
export interface Tree {
  readonly [name: string]: string | Tree;
}

/** A store with small segments, and the snapshots kept in it. */
export class KeptScene {
  readonly disk: Disk;
  readonly places: ReturnType<typeof snapshotPlaces>;
  readonly store: SegmentStore;
  readonly refs: Refs;
  readonly forgotten: ForgottenContents;
  /** The workspace whose files are captured. */
  workspace = WORKSPACE;
  announced = 0;

  constructor(
    disk: Disk,
    options: { readonly processes?: Processes; readonly seed?: number; readonly segmentBytes?: number } = {},
  ) {
    const clock = new ManualClock({ seed: options.seed ?? 7 });
    const processes = options.processes ?? new SimulatedProcesses().start();
    this.disk = disk;
    this.places = snapshotPlaces("/home");
    const folder = this.places.segments;
    const { segmentBytes = 600 } = options;
    this.store = openSegments({ disk, clock, processes, folder, segmentBytes, compression: "none" });
    this.refs = new Refs(disk, this.places.refs);
    this.forgotten = new ForgottenContents(disk, this.places.root);
  }

  readonly announce = (): void => {
    this.announced += 1;
  };

  /** Captures in the same order as the product: objects are durable before the reference is written. */
  keep(tree: Tree, keptFor: KeptFor, at: number): Ref {
    const { workspace } = this;
    const ref = { keptFor, snapshot: this.put(tree), workspace, at: minute(at) };
    this.refs.add([ref]);
    return ref;
  }

  put(tree: Tree): SnapshotId {
    const { workspace } = this;
    const root = { kind: "folder", mode: 0o755, hash: this.folder(tree) } as const;
    const snapshot = writeSnapshot(this.store, { root, workspace, outsideRules: undefined });
    this.store.sync();
    return snapshot;
  }

  folder(tree: Tree): ObjectHash {
    const names = Object.keys(tree).sort();
    const entries = names.map((name) => this.#entry(name, tree[name] ?? ""));
    const hash = this.store.put("folder", encodeFolder(folderWith(entries)));
    this.store.sync();
    return hash;
  }

  /** The tree as read back from the store. Throws if anything is missing. */
  read(snapshot: SnapshotId): Tree {
    return this.#tree(readSnapshot(this.store, snapshot).root.hash);
  }

  contentOf(text: string): ObjectHash {
    return this.store.put("content", Buffer.from(text));
  }

  /** The number of objects, counting copies. */
  count(): number {
    this.store.refresh();
    return this.store.segments().reduce((total, { records }) => total + records, 0);
  }

  isThere(snapshot: SnapshotId): boolean {
    return this.store.has(asObjectHash(snapshot));
  }

  #tree(hash: ObjectHash): Tree {
    const { entries } = decodeFolder(this.store.get(hash, "folder"));
    return Object.fromEntries(
      entries.map(({ name, state }) => {
        if (state.kind === "folder") return [name, this.#tree(state.hash)];
        if (state.kind !== "file") throw new Error(`${name} is a ${state.kind}`);
        return [name, this.store.get(state.hash, "content").toString()];
      }),
    );
  }

  #entry(name: string, value: string | Tree): FolderEntry {
    if (typeof value !== "string") {
      return { name, state: { kind: "folder", mode: 0o755, hash: this.folder(value) }, failures: 0 };
    }
    const hash = this.contentOf(value);
    return entryOf(name, { kind: "file", mode: 0o644, size: value.length, hash });
  }
}
