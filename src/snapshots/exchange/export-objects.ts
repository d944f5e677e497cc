import type { ExportedPart, ExportRequest, SnapshotObject, WhyAbsent } from "../../ports/snapshot-objects.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import { Forgotten, type WhyGone } from "../forgetting/forget-objects.ts";
import type { SnapshotGround } from "../ground.ts";
import { ObjectTable } from "../keeping/marking/object-table.ts";
import { asObjectHash, type Snapshot } from "../objects/snapshot-object.ts";
import { Unignored } from "./unignored.ts";
import { WholeSnapshots } from "./whole-snapshots.ts";

/** The parts of an export, one at a time. The caller holds the store's lease. */
export function* exportParts(ground: SnapshotGround, request: ExportRequest): Generator<ExportedPart> {
  const { there, missing } = sortedOut(ground, request.snapshots);
  yield { part: "snapshots", there: [...there.keys()], missing };
  const parts = new Parts(ground, unignoredIn(ground, there, request.ignored));
  for (const [id, snapshot] of there) yield* parts.of(id, snapshot);
}

interface SortedOut {
  readonly there: ReadonlyMap<SnapshotId, Snapshot>;
  readonly missing: readonly SnapshotId[];
}

function sortedOut({ folders }: SnapshotGround, snapshots: readonly SnapshotId[]): SortedOut {
  const whole = new WholeSnapshots(folders);
  const there = new Map<SnapshotId, Snapshot>();
  const missing: SnapshotId[] = [];
  for (const id of new Set(snapshots)) {
    const snapshot = whole.read(id);
    if (snapshot === undefined) missing.push(id);
    else there.set(id, snapshot);
  }
  return { there, missing };
}

function unignoredIn(
  { folders }: SnapshotGround,
  snapshots: SortedOut["there"],
  ignored: ExportRequest["ignored"],
): Pick<Unignored, "has"> {
  if (ignored === "include") return { has: () => true };
  const unignored = new Unignored(folders);
  for (const snapshot of snapshots.values()) unignored.add(snapshot);
  return unignored;
}

class Parts {
  readonly #ground: SnapshotGround;
  readonly #unignored: Pick<Unignored, "has">;
  readonly #told = new ObjectTable();
  /** Read when something is missing, which is not usual. */
  #gone: ReadonlyMap<ObjectHash, WhyGone> | undefined;

  constructor(ground: SnapshotGround, unignored: Pick<Unignored, "has">) {
    this.#ground = ground;
    this.#unignored = unignored;
  }

  *of(id: SnapshotId, { root, outsideRules }: Snapshot): Generator<ExportedPart> {
    const hash = asObjectHash(id);
    yield this.#object("snapshot", hash);
    if (outsideRules !== undefined && this.#isNew(outsideRules)) yield this.#content(outsideRules);
    const waiting = [root.hash];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      if (!this.#isNew(folder)) continue;
      for (const below of yield* this.#folder(folder)) waiting.push(below);
    }
  }

  /** The folder and its contents; returns the folders in it. */
  *#folder(hash: ObjectHash): Generator<ExportedPart, readonly ObjectHash[]> {
    yield this.#object("folder", hash);
    const folders: ObjectHash[] = [];
    for (const { state } of this.#ground.folders.read(hash).entries) {
      if (state.kind === "folder") folders.push(state.hash);
      else if (state.kind === "file" && this.#isNew(state.hash)) yield this.#content(state.hash);
    }
    return folders;
  }

  #content(hash: ObjectHash): ExportedPart {
    return this.#unignored.has(hash)
      ? this.#contentOrWhy(hash)
      : { part: "absent", hash, why: this.#whyGone(hash) === "forgotten" ? "forgotten" : "ignored" };
  }

  #contentOrWhy(hash: ObjectHash): ExportedPart {
    try {
      return this.#object("content", hash);
    } catch (error) {
      if (!isWorldlineError(error, "SNAPSHOT_MISSING") && !isWorldlineError(error, "SNAPSHOT_DAMAGED"))
        throw error;
      return { part: "absent", hash, why: this.#whyAbsent(hash) };
    }
  }

  #object(kind: SnapshotObject["kind"], hash: ObjectHash): ExportedPart {
    return { part: "object", kind, hash, bytes: this.#ground.objects.get(hash, kind) };
  }

  #whyAbsent(hash: ObjectHash): WhyAbsent {
    const why = this.#whyGone(hash);
    if (why === undefined) return "missing";
    return why === "forgotten" ? "forgotten" : "ignored";
  }

  #whyGone(hash: ObjectHash): WhyGone | undefined {
    const { disk, places, objects } = this.#ground;
    if (objects.has(hash)) return undefined;
    this.#gone ??= new Forgotten(disk, places.root).all();
    return this.#gone.get(hash);
  }

  #isNew(hash: ObjectHash): boolean {
    if (this.#told.find(hash) !== undefined) return false;
    this.#told.add(hash, 0);
    return true;
  }
}
