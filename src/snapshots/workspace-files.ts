import { dirname } from "node:path";
import { Reserve } from "../disk/durable-files.ts";
import { userHome } from "../disk/folders.ts";
import { SerialQueue } from "../disk/lock.ts";
import type {
  Captured,
  CaptureRequest,
  Edit,
  Gap,
  KeptFor,
  PathOutcome,
  PathState,
  RestoreFinished,
  RestoreRequest,
  UnfinishedRestore,
  WorkspaceFiles,
} from "../ports/workspace-files.ts";
import { isWorldlineError, WorldlineError } from "../record/error.ts";
import type { FileState, PathBytes, PathChange } from "../record/files.ts";
import type { ObjectHash, SessionId, SnapshotId } from "../record/ids.ts";
import { WorkspaceCapture } from "./capturing/capture.ts";
import { openFinder } from "./capturing/workspace-finder.ts";
import { compareRoots, gapsOf, listUnder, stateAt } from "./comparing/compare.ts";
import { ignoredIn } from "./comparing/ignored-in.ts";
import { mergeFile } from "./comparing/merge-file.ts";
import type { SnapshotGround, WorkspaceGround } from "./context.ts";
import { readOutsideRules } from "./finding/ignore-rules.ts";
import { Forgotten } from "./keeping/forgotten.ts";
import { Collections, LetGo } from "./keeping/refs.ts";
import { acquireExclusive, acquireShared, type SharedLeaseRequest } from "./keeping/shared-lease.ts";
import { readSnapshot, type Snapshot, writeSnapshot } from "./objects/tree-objects.ts";
import {
  listJournals,
  performRestore,
  type RestoreGround,
  RestoreJournal,
  settleRestore,
} from "./restoring/restore.ts";
import { gitHeadOf, introduceWorkspace } from "./workspace/workspace-folder.ts";

/** Without a manifest the next capture looks at everything; nobody has to wait for a gc to spare it that. */
const CLOSING_WAIT_MS = 1_000;

interface OpenCapture {
  readonly capture: WorkspaceCapture;
  readonly outsideRules: string;
}

/** The files of one workspace, with their snapshots in a store on disk. */
export class StoredWorkspaceFiles implements WorkspaceFiles {
  readonly folder: string;
  readonly #ground: WorkspaceGround;
  readonly #collections: Collections;
  readonly #letGo: LetGo;
  readonly #journal: RestoreJournal;
  /** Opened by the first capture: opening a session reads no ignore rules. */
  #opened: OpenCapture | undefined;
  #introduced: "yes" | "no" = "no";
  /** One capture or restore at a time; the next begins when this is settled. */
  readonly #queue = new SerialQueue();

  constructor(ground: WorkspaceGround) {
    this.folder = ground.folder;
    this.#ground = ground;
    this.#collections = new Collections(ground.store);
    // A store that cannot be read is heard of now, not in the middle of something.
    this.#collections.ever();
    this.#letGo = new LetGo(ground.store.refs);
    this.#journal = new RestoreJournal(ground.store.disk, ground.places.journal);
  }

  async capture(request: CaptureRequest): Promise<Captured> {
    return this.#queue.run(() => this.#shared(() => this.#take(request)));
  }

  async has(snapshot: SnapshotId): Promise<boolean> {
    if (this.#collections.sinceLastPeek() === "some") this.#readAnew();
    if (this.#isLetGo(snapshot)) return false;
    try {
      // Read, not looked up: what another process that lives wrote last is not yet counted as there for good.
      this.#read(snapshot);
      return true;
    } catch (error) {
      if (isWorldlineError(error, "SNAPSHOT_MISSING")) return false;
      // It is there; whoever needs it hears what is wrong with it.
      if (isWorldlineError(error, "SNAPSHOT_DAMAGED")) return true;
      throw error;
    }
  }

  async compare(before: SnapshotId, after: SnapshotId): Promise<readonly PathChange[]> {
    return compareRoots(this.#ground.store.folders, this.#read(before).root, this.#read(after).root);
  }

  async stateAt(snapshot: SnapshotId, path: PathBytes): Promise<FileState | undefined> {
    return stateAt(this.#ground.store.folders, this.#read(snapshot).root, path);
  }

  async gaps(snapshot: SnapshotId): Promise<readonly Gap[]> {
    return gapsOf(this.#ground.store.folders, this.#read(snapshot).root.hash);
  }

  async list(snapshot: SnapshotId, under: PathBytes = ""): Promise<readonly PathState[]> {
    return listUnder(this.#ground.store.folders, this.#read(snapshot).root, under);
  }

  async content(hash: ObjectHash): Promise<Uint8Array> {
    return readContent(this.#ground.store, hash);
  }

  async ignoredIn(snapshot: SnapshotId, paths: readonly PathBytes[]): Promise<ReadonlySet<PathBytes>> {
    return ignoredIn(this.#ground.store.folders, this.#read(snapshot), paths);
  }

  async merge(target: FileState, edits: readonly Edit[]): Promise<FileState | undefined> {
    // What it puts there must not be taken for there already when a gc has just removed it.
    return this.#sharingStore(async () => mergeFile(this.#ground.store.objects, target, edits));
  }

  async restore(request: RestoreRequest): Promise<readonly PathOutcome[]> {
    return this.#queue.run(() =>
      this.#alone(async () => {
        const [unfinished] = this.#journals();
        if (unfinished !== undefined)
          throw new WorldlineError("restore-cut-off", { session: unfinished.session });
        return performRestore(this.#restoring(request.finished), request);
      }),
    );
  }

  async unfinished(): Promise<readonly UnfinishedRestore[]> {
    if (this.#journals().length === 0 && this.#journal.damaged().length === 0) return [];
    // A living restore has its journal too: what is there when nobody restores is of the dead.
    return this.#queue.run(() =>
      this.#alone(async () => {
        this.#journal.reportDamaged();
        return this.#journals();
      }),
    );
  }

  async settle(
    restore: UnfinishedRestore,
    how: "forward" | "discard",
    finished?: RestoreFinished,
  ): Promise<readonly PathOutcome[]> {
    return this.#queue.run(() =>
      this.#alone(async () => settleRestore(this.#restoring(finished), restore, how)),
    );
  }

  async keep(keptFor: KeptFor, snapshot: SnapshotId): Promise<void> {
    await this.#shared(async () => {
      // What is left of it is not all of it, and must not be promised again.
      if (this.#isLetGo(snapshot)) throw new WorldlineError("snapshot-let-go", { snapshot });
      this.#read(snapshot);
      this.#keep(keptFor, snapshot);
    });
  }

  async label(session: SessionId, checkpoint: number, label: string): Promise<void> {
    await this.#shared(async () => this.#ground.store.refs.label(session, checkpoint, label));
  }

  async close(): Promise<void> {
    await this.#queue.idle();
    try {
      await whereWritable(async () => this.#closeCapture());
    } finally {
      await whereWritable(async () => this.#ground.store.objects.close());
    }
  }

  async #closeCapture(): Promise<void> {
    try {
      // With a lease, as it must not say that something is there which a gc has removed meanwhile: then it is forgotten.
      const capture = this.#opened?.capture;
      if (capture?.isUnsaved === true) await this.#sharingStore(async () => capture.save(), CLOSING_WAIT_MS);
    } catch (error) {
      // A cache, as `writeManifest` says.
      if (!isWorldlineError(error)) throw error;
    } finally {
      await this.#opened?.capture.forget();
    }
  }

  async #take(request: CaptureRequest): Promise<Captured> {
    const { objects, folders } = this.#ground.store;
    this.#introduce();
    const gitHead = gitHeadOf(this.folder);
    this.#opened ??= openCapture(this.#ground);
    const { capture, outsideRules: rules } = this.#opened;
    const { root, failures } = await capture.take(request);
    const outsideRules = rules === "" ? undefined : objects.put("content", Buffer.from(rules));
    const snapshot = writeSnapshot(objects, { root, workspace: this.folder, outsideRules });
    objects.sync();
    if (request.keptFor !== undefined) this.#keep(request.keptFor, snapshot);
    this.#letGo.except(snapshot);
    return {
      snapshot,
      state: failures === 0 ? "complete" : "partial",
      gaps: failures === 0 ? [] : gapsOf(folders, root.hash),
      ...(gitHead === undefined ? {} : { gitHead }),
    };
  }

  /**
   * What is remembered of the store is true until the next gc. While somebody has a lease there is none, so that this never
   * takes anything from under a capture.
   */
  async #noticeCollections(): Promise<void> {
    if (this.#collections.sinceLastLook() === "none") return;
    this.#readAnew();
    await this.#opened?.capture.forget();
  }

  #readAnew(): void {
    const { objects, folders } = this.#ground.store;
    objects.refresh();
    folders.clear();
    this.#letGo.forget();
  }

  #isLetGo(snapshot: SnapshotId): boolean {
    return this.#collections.ever() === "yes" && this.#letGo.has(snapshot);
  }

  /** Says whose folder ours is, for people and for gc. */
  #introduce(): void {
    if (this.#introduced === "yes") return;
    const { store, places } = this.#ground;
    introduceWorkspace(store, places, this.folder);
    new Reserve({ disk: store.disk, clock: store.clock, home: dirname(store.places.root) }).fill();
    this.#introduced = "yes";
  }

  #keep(keptFor: KeptFor, snapshot: SnapshotId): void {
    const { clock, refs } = this.#ground.store;
    const at = new Date(clock.now()).toISOString();
    const { sessionsIn: store } = this.#ground;
    refs.add([{ keptFor, snapshot, workspace: this.folder, at, ...(store === undefined ? {} : { store }) }]);
  }

  #read(snapshot: SnapshotId): Snapshot {
    return readSnapshot(this.#ground.store.objects, snapshot);
  }

  #journals(): UnfinishedRestore[] {
    return listJournals(this.#ground.store.disk, this.#ground.places.journal);
  }

  #restoring(finished: RestoreFinished | undefined): RestoreGround {
    const { root, disk, store } = this.#ground;
    const content: RestoreGround["content"] = (hash) => readContent(store, hash);
    return {
      root,
      workspaceDisk: disk,
      content,
      journal: this.#journal,
      clock: store.clock,
      finished: async (outcomes) => finished?.(outcomes, async (request) => this.#take(request)),
    };
  }

  /** Captures share the workspace and the store with others. */
  async #shared<Result>(work: () => Promise<Result>): Promise<Result> {
    const { store, places } = this.#ground;
    const ofWorkspace = await acquireShared(store, places.leases, this.#lease("workspace"));
    try {
      return await this.#sharingStore(work);
    } finally {
      await ofWorkspace.release();
    }
  }

  /** A restore has the workspace alone, and shares the store. */
  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const { store, places } = this.#ground;
    const ofWorkspace = await acquireExclusive(store, places.leases, this.#lease("workspace"));
    try {
      return await this.#sharingStore(work);
    } finally {
      await ofWorkspace.release();
    }
  }

  async #sharingStore<Result>(work: () => Promise<Result>, longestWaitMs = Infinity): Promise<Result> {
    const { store } = this.#ground;
    const lease = this.#lease("snapshots");
    const waitMs = Math.min(lease.waitMs, longestWaitMs);
    const ofStore = await acquireShared(store, store.places.leases, { ...lease, waitMs });
    try {
      await this.#noticeCollections();
      return await work();
    } finally {
      await ofStore.release();
    }
  }

  #lease(what: "workspace" | "snapshots"): SharedLeaseRequest {
    const { name, waitMs, takeOver = "no" } = this.#ground;
    return { name, waitMs, takeOver, what };
  }
}

/**
 * What was promised is durable by the time somebody closes, and what still waits to be written never was: that there is no
 * room for it must not make what was done look undone.
 */
async function whereWritable(close: () => Promise<void>): Promise<void> {
  try {
    await close();
  } catch (error) {
    if (!isWorldlineError(error, "STORE_FULL") && !isWorldlineError(error, "STORE_UNWRITABLE")) throw error;
  }
}

function openCapture(ground: WorkspaceGround): OpenCapture {
  const outsideRules = readOutsideRules({
    disk: ground.disk,
    root: ground.root,
    home: userHome(),
    config: process.env["XDG_CONFIG_HOME"],
  });
  return { capture: new WorkspaceCapture(ground, outsideRules, openFinder), outsideRules };
}

/** A file's bytes. Where they are gone on purpose, SNAPSHOT_MISSING says so, and nobody looks for them. */
function readContent(
  { objects, disk, places }: Pick<SnapshotGround, "objects" | "disk" | "places">,
  hash: ObjectHash,
): Buffer {
  try {
    return objects.get(hash, "content");
  } catch (error) {
    if (!isWorldlineError(error, "SNAPSHOT_MISSING")) throw error;
    const why = new Forgotten(disk, places.root).whyGone(hash);
    if (why === undefined) throw error;
    throw new WorldlineError(
      why === "forgotten" ? "content-forgotten" : "content-not-in-bundle",
      {},
      { cause: error },
    );
  }
}
