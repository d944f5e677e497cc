import { isWorldlineError } from "../../record/error.ts";
import { type PathBytes, pathIn } from "../../record/files.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import type { Forgotten, WhyGone } from "../forgetting/forget-objects.ts";
import { decodeFolder, type FolderEntry } from "../objects/folder-object.ts";
import { settleFromBelow } from "../objects/folders-from-below.ts";
import { asObjectHash, decodeSnapshot } from "../objects/snapshot-object.ts";
import type { SegmentDamage, SegmentStore } from "../segments/segment-store.ts";
import { tableOf } from "./marking/kept-store.ts";
import type { ObjectTable } from "./marking/object-table.ts";
import { nameOf, type Ref } from "./ref.ts";
import type { RefDamage, Refs } from "./refs.ts";

export interface VerifyGround {
  readonly store: SegmentStore;
  readonly refs: Refs;
  readonly forgotten: Forgotten;
}

export interface VerifyProgress {
  /** "reading" everything that is stored, in bytes; then "walking" the snapshots, counted. */
  readonly phase: "reading" | "walking";
  readonly done: number;
  readonly of: number;
}

export interface VerifiedStore {
  /** Of the segments, whether anything needs it or not. */
  readonly damage: readonly SegmentDamage[];
  readonly snapshots: number;
  /** Those of which something is lost. */
  readonly problems: readonly SnapshotProblem[];
  /** Those that only lack what was forgotten, or was not in the bundle that they came in: as somebody wanted it. */
  readonly lacking: readonly SnapshotProblem[];
  readonly refDamage: readonly RefDamage[];
}

/** A snapshot that cannot be restored as it was. */
export interface SnapshotProblem {
  readonly snapshot: SnapshotId;
  /** `session:checkpoint` of each that refers to it. */
  readonly names: readonly string[];
  /** The first of the paths. */
  readonly paths: readonly PathProblem[];
  /** How many paths there are, folders that cannot be read counting as one. */
  readonly count: number;
}

export interface PathProblem {
  /** "" for the snapshot itself, or its root. */
  readonly path: PathBytes;
  readonly hash: ObjectHash;
  readonly what: "missing" | "damaged" | WhyGone;
}

/** As many paths are named of one snapshot: of a lost disk there would be millions. */
const MOST_PATHS = 100;

/** Reads everything that is stored, then walks every snapshot that is kept down to the last content. */
export function verifyStore(
  { store, refs, forgotten }: VerifyGround,
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
    // Thousands of checkpoints may have the same files.
    if (own === undefined) names.set(ref.snapshot, [nameOf(ref)]);
    else own.push(nameOf(ref));
  }
  return names;
}

interface WalkGround {
  readonly store: Pick<SegmentStore, "get">;
  /** What is there, also what a program that is still open wrote last: of that, `has` knows nothing. */
  readonly table: ObjectTable;
  readonly damaged: ReadonlySet<ObjectHash>;
  readonly forgotten: ReadonlyMap<ObjectHash, WhyGone>;
}

interface Found {
  readonly paths: readonly PathProblem[];
  readonly count: number;
  /** How many of them nobody let go of. */
  readonly lost: number;
}

const SOUND: Found = { paths: [], count: 0, lost: 0 };

/** Each folder is read once, however many snapshots share it. */
class VerifyingWalk {
  readonly #ground: WalkGround;
  readonly #folders = new Map<ObjectHash, Found>();

  constructor(ground: WalkGround) {
    this.#ground = ground;
  }

  snapshot(id: SnapshotId): Found {
    const hash = asObjectHash(id);
    const snapshot = this.#read(hash, () => decodeSnapshot(this.#ground.store.get(hash, "snapshot")));
    if ("what" in snapshot) return one({ path: "", ...snapshot });
    const { root, outsideRules } = snapshot.value;
    const rules = outsideRules === undefined ? SOUND : this.#content(outsideRules);
    return joined([rules, this.#folder(root.hash)]);
  }

  #folder(hash: ObjectHash): Found {
    settleFromBelow(hash, {
      isSettled: (each) => this.#folders.has(each),
      read: (each) => this.#read(each, () => decodeFolder(this.#ground.store.get(each, "folder"))),
      foldersIn: (folder) =>
        "what" in folder
          ? []
          : folder.value.entries.flatMap(({ state }) => (state.kind === "folder" ? state.hash : [])),
      settle: (each, folder) => {
        const found =
          "what" in folder
            ? one({ path: "", ...folder })
            : joined(folder.value.entries.map((entry) => this.#entry(entry)));
        this.#folders.set(each, found);
      },
    });
    return this.#folders.get(hash) ?? SOUND;
  }

  /** The folders in its own are known by then. */
  #entry({ name, state }: FolderEntry): Found {
    if (state.kind !== "folder" && state.kind !== "file") return SOUND;
    const { paths, count, lost } =
      state.kind === "folder" ? (this.#folders.get(state.hash) ?? SOUND) : this.#content(state.hash);
    if (count === 0) return SOUND;
    return {
      paths: paths.map((each) => ({ ...each, path: each.path === "" ? name : pathIn(name, each.path) })),
      count,
      lost,
    };
  }

  #content(hash: ObjectHash): Found {
    const { table, damaged, forgotten } = this.#ground;
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
      throw error;
    }
  }
}

function one(problem: PathProblem): Found {
  return { paths: [problem], count: 1, lost: isLost(problem) ? 1 : 0 };
}

function joined(found: readonly Found[]): Found {
  const bad = found.filter(({ count }) => count > 0);
  if (bad.length === 0) return SOUND;
  const paths = bad.flatMap((each) => each.paths);
  // What is lost must be among those that are named.
  const named = paths.length > MOST_PATHS ? [...paths.filter(isLost), ...paths.filter(isWanted)] : paths;
  return {
    paths: named.slice(0, MOST_PATHS),
    count: bad.reduce((total, { count }) => total + count, 0),
    lost: bad.reduce((total, { lost }) => total + lost, 0),
  };
}

function isLost({ what }: PathProblem): boolean {
  return what === "missing" || what === "damaged";
}

function isWanted(problem: PathProblem): boolean {
  return !isLost(problem);
}
