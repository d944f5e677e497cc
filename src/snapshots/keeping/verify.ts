import { isWorldlineError } from "../../record/error.ts";
import { type PathBytes, pathIn } from "../../record/files.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import { EMPTY_TREE, excessOf, type TreeSize, withEntry } from "../objects/object.ts";
import { asObjectHash, decodeFolder, decodeSnapshot, type FolderEntry } from "../objects/tree-objects.ts";
import { settleFromBelow } from "../objects/tree-sizes.ts";
import type { SegmentDamage, SegmentStore } from "../segments/segment-store.ts";
import type { ForgottenContents, WhyGone } from "./forgotten.ts";
import { type ObjectTable, tableOf } from "./object-table.ts";
import { nameOf, type Ref } from "./ref.ts";
import type { RefDamage, Refs } from "./refs.ts";

export interface VerifyProgress {
  /**
   * The current phase. In the first phase, "reading", everything in the store is read, and progress is counted in
   * bytes. In the second phase, "walking", the snapshots are walked, and progress is counted in snapshots.
   */
  readonly phase: "reading" | "walking";
  readonly done: number;
  readonly of: number;
}

export interface VerifiedStore {
  /** Damage in the segments, whether or not the damaged data is needed. */
  readonly damage: readonly SegmentDamage[];
  readonly snapshots: number;
  /** Snapshots that have lost some of their data. */
  readonly problems: readonly SnapshotProblem[];
  /**
   * Snapshots whose data is missing for a known reason. The data was forgotten, or was not in the bundle that the
   * snapshot came from.
   */
  readonly lacking: readonly SnapshotProblem[];
  readonly refDamage: readonly RefDamage[];
}

/** A snapshot that cannot be restored completely. */
export interface SnapshotProblem {
  readonly snapshot: SnapshotId;
  /** The `session:checkpoint` names of all references to the snapshot. */
  readonly names: readonly string[];
  /** The first affected paths, up to a maximum number. */
  readonly paths: readonly PathProblem[];
  /** Number of affected paths. A folder that cannot be read counts as one path. */
  readonly count: number;
}

export interface PathProblem {
  /** The affected path, or "" for the snapshot itself or its root. */
  readonly path: PathBytes;
  readonly hash: ObjectHash;
  /**
   * The problem. "beyond-limits" means that the snapshot cannot be used, because it is larger than any snapshot that a
   * capture creates. "newer" means that a newer version of Worldline wrote the object.
   */
  readonly what: "missing" | "damaged" | "beyond-limits" | "newer" | WhyGone;
}

/**
 * Maximum number of paths that are listed for one snapshot, because the loss of a disk would affect millions of paths.
 */
const MAX_PATHS = 100;

/**
 * Reads everything in the store, and then walks every snapshot that is kept, including all of its folders and contents.
 */
export function verifyStore(
  {
    store,
    refs,
    forgotten,
  }: { readonly store: SegmentStore; readonly refs: Refs; readonly forgotten: ForgottenContents },
  onProgress?: (progress: VerifyProgress) => void,
): VerifiedStore {
  const damage = store.verify(({ bytes, of }) => onProgress?.({ phase: "reading", done: bytes, of }));
  const damaged = new Set(damage.flatMap(({ hash }) => (hash === undefined || store.has(hash) ? [] : hash)));
  const walk = new VerifyingWalk({ store, damaged, table: tableOf(store), forgotten: forgotten.all() });
  const problems: SnapshotProblem[] = [];
  const lacking: SnapshotProblem[] = [];
  const names = namesBySnapshot(refs.all());
  let done = 0;
  for (const [snapshot, own] of names) {
    const { paths, count, lost } = walk.snapshot(snapshot);
    if (count > 0) (lost > 0 ? problems : lacking).push({ snapshot, names: own, paths, count });
    done += 1;
    onProgress?.({ phase: "walking", done, of: names.size });
  }
  return { damage, snapshots: names.size, problems, lacking, refDamage: refs.damage() };
}

function namesBySnapshot(refs: readonly Ref[]): Map<SnapshotId, string[]> {
  const names = new Map<SnapshotId, string[]>();
  for (const ref of refs) {
    const own = names.get(ref.snapshot);
    // Snapshots are grouped with the names of all their references, because thousands of checkpoints may share one
    // snapshot.
    if (own === undefined) names.set(ref.snapshot, [nameOf(ref)]);
    else own.push(nameOf(ref));
  }
  return names;
}

interface WalkContext {
  readonly store: Pick<SegmentStore, "get">;
  /** All objects that exist, including objects that a running program has just written, which `has` does not count. */
  readonly table: ObjectTable;
  readonly damaged: ReadonlySet<ObjectHash>;
  readonly forgotten: ReadonlyMap<ObjectHash, WhyGone>;
}

interface Found {
  readonly paths: readonly PathProblem[];
  readonly count: number;
  /** Number of affected paths that are not intentionally missing. */
  readonly lost: number;
  readonly size: TreeSize;
}

const SOUND: Found = { paths: [], count: 0, lost: 0, size: EMPTY_TREE };

/** Walks snapshots and collects their problems. Reads each folder only once, even if many snapshots share it. */
class VerifyingWalk {
  readonly #context: WalkContext;
  readonly #folders = new Map<ObjectHash, Found>();

  constructor(context: WalkContext) {
    this.#context = context;
  }

  snapshot(id: SnapshotId): Found {
    const hash = asObjectHash(id);
    const snapshot = this.#read(hash, () => decodeSnapshot(this.#context.store.get(hash, "snapshot")));
    if ("what" in snapshot) return one({ path: "", ...snapshot });
    const { root, outsideRules } = snapshot.value;
    const joined = new JoinedFound();
    if (outsideRules !== undefined) joined.add(this.#content(outsideRules), "");
    joined.add(this.#folder(root.hash), "");
    return joined.found();
  }

  #folder(hash: ObjectHash): Found {
    settleFromBelow(hash, {
      isSettled: (each) => this.#folders.has(each),
      read: (each) => this.#read(each, () => decodeFolder(this.#context.store.get(each, "folder"))),
      foldersIn: (folder) =>
        "what" in folder
          ? []
          : folder.value.entries.flatMap(({ state }) => (state.kind === "folder" ? state.hash : [])),
      settle: (each, folder) => {
        const found =
          "what" in folder ? one({ path: "", ...folder }) : this.#entries(each, folder.value.entries);
        this.#folders.set(each, found);
      },
    });
    return this.#folders.get(hash) ?? SOUND;
  }

  /** Joins the results for a folder's entries. The results for the folder's subfolders are already known. */
  #entries(hash: ObjectHash, entries: readonly FolderEntry[]): Found {
    const joined = new JoinedFound();
    let size = EMPTY_TREE;
    for (const { name, state } of entries) {
      const found = state.kind === "folder" ? (this.#folders.get(state.hash) ?? SOUND) : SOUND;
      size = withEntry(size, name.length, found.size);
      joined.add(state.kind === "file" ? this.#content(state.hash) : found, name);
    }
    if (excessOf(size) !== undefined) return { ...one({ path: "", hash, what: "beyond-limits" }), size };
    return { ...joined.found(), size };
  }

  #content(hash: ObjectHash): Found {
    const { table, damaged, forgotten } = this.#context;
    if (damaged.has(hash)) return one({ path: "", hash, what: "damaged" });
    if (table.find(hash) !== undefined) return SOUND;
    return one({ path: "", hash, what: forgotten.get(hash) ?? "missing" });
  }

  #read<Value>(hash: ObjectHash, read: () => Value): { readonly value: Value } | Omit<PathProblem, "path"> {
    try {
      return { value: read() };
    } catch (error) {
      if (isWorldlineError(error, "SNAPSHOT_MISSING")) return { hash, what: "missing" };
      if (isWorldlineError(error, "SNAPSHOT_DAMAGED")) return { hash, what: "damaged" };
      if (isWorldlineError(error, "FORMAT_NEWER")) return { hash, what: "newer" };
      throw error;
    }
  }
}

function one(problem: PathProblem): Found {
  return { ...SOUND, paths: [problem], count: 1, lost: isLost(problem) ? 1 : 0 };
}

/** Joins the problems in a folder's entries. Stores no more paths than can be listed. */
class JoinedFound {
  readonly #lost: PathProblem[] = [];
  readonly #others: PathProblem[] = [];
  #count = 0;
  #lostCount = 0;

  /** Adds problems that were found in the entry `name`. If `name` is "", the paths of the problems are not changed. */
  add({ paths, count, lost }: Found, name: PathBytes): void {
    this.#count += count;
    this.#lostCount += lost;
    for (const each of paths) {
      const named = isLost(each) ? this.#lost : this.#others;
      if (named.length >= MAX_PATHS) continue;
      named.push({ ...each, path: each.path === "" ? name : pathIn(name, each.path) });
    }
  }

  /** Returns the joined result. Lost paths come first, so that they are not cut from the list. */
  found(): Found {
    if (this.#count === 0) return SOUND;
    const paths = [...this.#lost, ...this.#others].slice(0, MAX_PATHS);
    return { paths, count: this.#count, lost: this.#lostCount, size: EMPTY_TREE };
  }
}

function isLost({ what }: PathProblem): boolean {
  return what !== "forgotten" && what !== "not-in-bundle";
}
