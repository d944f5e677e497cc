import type { ExportedPart, ExportRequest, SnapshotObject, WhyAbsent } from "../../ports/snapshot-objects.ts";
import { isWorldlineError } from "../../record/error.ts";
import { type PathBytes, pathIn } from "../../record/files.ts";
import type { ObjectHash, SnapshotId } from "../../record/ids.ts";
import { rulesText } from "../comparing/ignored-in.ts";
import type { SnapshotContext } from "../context.ts";
import { type IgnoreRules, RULES_NAME, rulesOf } from "../finding/ignore-rules.ts";
import { ForgottenContents, type WhyGone } from "../keeping/forgotten.ts";
import { ObjectTable } from "../keeping/object-table.ts";
import type { Folder } from "../objects/tree-objects.ts";
import { asObjectHash, entryNamed, type FolderCache, type Snapshot } from "../objects/tree-objects.ts";
import { WholeSnapshots } from "../objects/tree-sizes.ts";

/** Yields an export in parts. The caller must hold the store's lease. */
export function* exportParts(context: SnapshotContext, request: ExportRequest): Generator<ExportedPart> {
  const { there, missing } = sortedOut(context, request.snapshots);
  yield { part: "snapshots", there: [...there.keys()], missing };
  const parts = new ExportParts(context, unignoredIn(context, there, request.ignored));
  for (const [id, snapshot] of there) yield* parts.of(id, snapshot);
}

interface SortedOut {
  readonly there: ReadonlyMap<SnapshotId, Snapshot>;
  readonly missing: readonly SnapshotId[];
}

function sortedOut({ folders }: SnapshotContext, snapshots: readonly SnapshotId[]): SortedOut {
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
  { folders }: SnapshotContext,
  snapshots: SortedOut["there"],
  ignored: ExportRequest["ignored"],
): Pick<Unignored, "has"> {
  if (ignored === "include") return { has: () => true };
  const unignored = new Unignored(folders);
  for (const snapshot of snapshots.values()) unignored.add(snapshot);
  return unignored;
}

class ExportParts {
  readonly #context: SnapshotContext;
  readonly #unignored: Pick<Unignored, "has">;
  readonly #sent = new ObjectTable();
  /**
   * Contents that were deliberately left out or forgotten, with the reasons. Loaded only in the rare case that an
   * object is missing.
   */
  #gone: ReadonlyMap<ObjectHash, WhyGone> | undefined;

  constructor(context: SnapshotContext, unignored: Pick<Unignored, "has">) {
    this.#context = context;
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

  /** Yields the folder and its contents. Returns its subfolders. */
  *#folder(hash: ObjectHash): Generator<ExportedPart, readonly ObjectHash[]> {
    yield this.#object("folder", hash);
    const folders: ObjectHash[] = [];
    for (const { state } of this.#context.folders.read(hash).entries) {
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
    return { part: "object", kind, hash, bytes: this.#context.objects.get(hash, kind) };
  }

  #whyAbsent(hash: ObjectHash): WhyAbsent {
    const why = this.#whyGone(hash);
    if (why === undefined) return "missing";
    return why === "forgotten" ? "forgotten" : "ignored";
  }

  #whyGone(hash: ObjectHash): WhyGone | undefined {
    const { disk, places, objects } = this.#context;
    if (objects.has(hash)) return undefined;
    this.#gone ??= new ForgottenContents(disk, places.root).all();
    return this.#gone.get(hash);
  }

  #isNew(hash: ObjectHash): boolean {
    if (this.#sent.find(hash) !== undefined) return false;
    this.#sent.add(hash, 0);
    return true;
  }
}

/** A folder, and the rules that apply to its contents. */
interface Visit {
  readonly path: PathBytes;
  readonly hash: ObjectHash;
  readonly rules: KnownRules;
}

/**
 * Ignore rules and a name that identifies them. Equal rules have the same name, so that a folder that several
 * snapshots share is examined once.
 */
interface KnownRules {
  readonly name: string;
  readonly rules: IgnoreRules;
}

/**
 * Collects the contents whose path at least one snapshot does not ignore, and the contents of the ignore rules
 * themselves.
 */
class Unignored {
  readonly #folders: FolderCache;
  readonly #contents = new ObjectTable();
  readonly #visited = new Set<string>();

  constructor(folders: FolderCache) {
    this.#folders = folders;
  }

  has(content: ObjectHash): boolean {
    return this.#contents.find(content) !== undefined;
  }

  /**
   * Adds a snapshot. The ignore rules from outside the workspace are not among the snapshot's files, but are needed to
   * determine what was ignored.
   */
  add({ root, outsideRules }: Snapshot): void {
    if (outsideRules !== undefined) this.#add(outsideRules);
    const outside = outsideRules === undefined ? "" : rulesText(this.#folders.objects, outsideRules);
    // Without the rules from outside the workspace, it is unknown what was ignored, so everything counts as ignored.
    if (outside === undefined) return;
    const rules = { name: outsideRules ?? "", rules: rulesOf(outside) };
    const waiting: Visit[] = [{ path: "", hash: root.hash, rules }];
    for (let visit = waiting.pop(); visit !== undefined; visit = waiting.pop()) {
      for (const below of this.#visit(visit)) waiting.push(below);
    }
  }

  #visit({ path, hash, rules: above }: Visit): Visit[] {
    const key = `${above.name} ${hash} ${path}`;
    if (this.#visited.has(key)) return [];
    this.#visited.add(key);
    const folder = this.#folders.read(hash);
    const rules = this.#extend(above, path, folder);
    if (rules === undefined) return [];
    const below: Visit[] = [];
    for (const { name, state } of folder.entries) {
      if (state.kind !== "file" && state.kind !== "folder") continue;
      const own = pathIn(path, name);
      if (rules.rules.ignores(own, state.kind)) continue;
      if (state.kind === "folder") below.push({ path: own, hash: state.hash, rules });
      else this.#add(state.hash);
    }
    return below;
  }

  #add(content: ObjectHash): void {
    if (!this.has(content)) this.#contents.add(content, 0);
  }

  /**
   * Returns the rules for the contents of this folder, or undefined if the rules are lost. In that case, everything
   * counts as ignored. As in git, links are not followed.
   */
  #extend(above: KnownRules, path: PathBytes, folder: Folder): KnownRules | undefined {
    const own = entryNamed(folder, RULES_NAME)?.state;
    if (own?.kind !== "file") return above;
    const text = rulesText(this.#folders.objects, own.hash);
    if (text === undefined) return undefined;
    return { name: `${above.name} ${path}/${own.hash}`, rules: above.rules.within(path, text) };
  }
}
