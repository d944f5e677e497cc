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
import { openScanner } from "./capturing/workspace-scanner.ts";
import { compareRoots, gapsOf, listUnder, stateAt } from "./comparing/compare.ts";
import { ignoredIn } from "./comparing/ignored-in.ts";
import { mergeFile } from "./comparing/merge-file.ts";
import type { SnapshotContext, WorkspaceContext } from "./context.ts";
import { readOutsideRules } from "./finding/ignore-rules.ts";
import { ForgottenContents } from "./keeping/forgotten.ts";
import { GcRuns, ReleasedSnapshots } from "./keeping/refs.ts";
import { acquireExclusive, acquireShared, type SharedLeaseRequest } from "./keeping/shared-lease.ts";
import { readSnapshot, type Snapshot, writeSnapshot } from "./objects/tree-objects.ts";
import {
  listJournals,
  performRestore,
  type RestoreContext,
  RestoreJournal,
  settleRestore,
} from "./restoring/restore.ts";
import { gitHeadOf, introduceWorkspace } from "./workspace/workspace-folder.ts";

/**
 * Maximum time that `close` waits for a gc before it gives up on saving the manifest. Without the manifest, the next
 * capture checks everything, but this cost does not justify a longer wait.
 */
const CLOSING_WAIT_MS = 1_000;

interface OpenCapture {
  readonly capture: WorkspaceCapture;
  readonly outsideRules: string;
}

/** The files of one workspace, whose snapshots are in a store on disk. */
export class StoredWorkspaceFiles implements WorkspaceFiles {
  readonly folder: string;
  readonly #context: WorkspaceContext;
  readonly #gcRuns: GcRuns;
  readonly #released: ReleasedSnapshots;
  readonly #journal: RestoreJournal;
  /**
   * The open capture. The capture is opened when the first snapshot is created, so that opening a session does not read
   * any ignore rules.
   */
  #opened: OpenCapture | undefined;
  #introduced: "yes" | "no" = "no";
  /** Queues captures and restores, so that they run one at a time. */
  readonly #queue = new SerialQueue();

  constructor(context: WorkspaceContext) {
    this.folder = context.folder;
    this.#context = context;
    this.#gcRuns = new GcRuns(context.store);
    // If the store cannot be read, this call fails now rather than in the middle of an operation.
    this.#gcRuns.ever();
    this.#released = new ReleasedSnapshots(context.store.refs);
    this.#journal = new RestoreJournal(context.store.disk, context.places.journal);
  }

  async capture(request: CaptureRequest): Promise<Captured> {
    return this.#queue.run(() => this.#shared(() => this.#take(request)));
  }

  async has(snapshot: SnapshotId): Promise<boolean> {
    if (this.#gcRuns.sinceLastPeek() === "some") this.#readAnew();
    if (this.#isReleased(snapshot)) return false;
    try {
      // The snapshot is read rather than looked up. A lookup would miss the latest data of another running process,
      // because that data is not known to be durable yet.
      this.#read(snapshot);
      return true;
    } catch (error) {
      if (isWorldlineError(error, "SNAPSHOT_MISSING")) return false;
      // The snapshot exists. A later read will report what is wrong with the snapshot.
      if (isWorldlineError(error, "SNAPSHOT_DAMAGED")) return true;
      throw error;
    }
  }

  async compare(before: SnapshotId, after: SnapshotId): Promise<readonly PathChange[]> {
    return compareRoots(this.#context.store.folders, this.#read(before).root, this.#read(after).root);
  }

  async stateAt(snapshot: SnapshotId, path: PathBytes): Promise<FileState | undefined> {
    return stateAt(this.#context.store.folders, this.#read(snapshot).root, path);
  }

  async gaps(snapshot: SnapshotId): Promise<readonly Gap[]> {
    return gapsOf(this.#context.store.folders, this.#read(snapshot).root.hash);
  }

  async list(snapshot: SnapshotId, under: PathBytes = ""): Promise<readonly PathState[]> {
    return listUnder(this.#context.store.folders, this.#read(snapshot).root, under);
  }

  async content(hash: ObjectHash): Promise<Uint8Array> {
    return readContent(this.#context.store, hash);
  }

  async ignoredIn(snapshot: SnapshotId, paths: readonly PathBytes[]): Promise<ReadonlySet<PathBytes>> {
    return ignoredIn(this.#context.store.folders, this.#read(snapshot), paths);
  }

  async merge(target: FileState, edits: readonly Edit[]): Promise<FileState | undefined> {
    // The store is shared during the merge. A gc may just have run, so objects that were stored earlier may no longer
    // exist.
    return this.#sharingStore(async () => mergeFile(this.#context.store.objects, target, edits));
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
    // A running restore also has a journal. A journal that is found under the exclusive lease, however, belongs to an
    // interrupted restore.
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
      // A released snapshot may be incomplete, so it must not be kept again.
      if (this.#isReleased(snapshot)) throw new WorldlineError("snapshot-let-go", { snapshot });
      this.#read(snapshot);
      this.#keep(keptFor, snapshot);
    });
  }

  async label(session: SessionId, checkpoint: number, label: string): Promise<void> {
    await this.#shared(async () => this.#context.store.refs.label(session, checkpoint, label));
  }

  async close(): Promise<void> {
    await this.#queue.idle();
    try {
      await whereWritable(async () => this.#closeCapture());
    } finally {
      await whereWritable(async () => this.#context.store.objects.close());
    }
  }

  async #closeCapture(): Promise<void> {
    try {
      // The manifest is saved under a lease, because it must not refer to objects that a gc has removed. If a gc has
      // run, what the capture remembers is discarded instead.
      const capture = this.#opened?.capture;
      if (capture?.isUnsaved === true) await this.#sharingStore(async () => capture.save(), CLOSING_WAIT_MS);
    } catch (error) {
      // The error is ignored, because the manifest is only a cache, as in `writeManifest`.
      if (!isWorldlineError(error)) throw error;
    } finally {
      await this.#opened?.capture.forget();
    }
  }

  async #take(request: CaptureRequest): Promise<Captured> {
    const { objects, folders } = this.#context.store;
    this.#introduce();
    const gitHead = gitHeadOf(this.folder);
    this.#opened ??= openCapture(this.#context);
    const { capture, outsideRules: rules } = this.#opened;
    const { root, failures } = await capture.take(request);
    const outsideRules = rules === "" ? undefined : objects.put("content", Buffer.from(rules));
    const snapshot = writeSnapshot(objects, { root, workspace: this.folder, outsideRules });
    objects.sync();
    if (request.keptFor !== undefined) this.#keep(request.keptFor, snapshot);
    this.#released.except(snapshot);
    return {
      snapshot,
      state: failures === 0 ? "complete" : "partial",
      gaps: failures === 0 ? [] : gapsOf(folders, root.hash),
      ...(gitHead === undefined ? {} : { gitHead }),
    };
  }

  /**
   * Discards what this object remembers about the store if a gc has run. gc does not run while a process holds a lease,
   * so nothing that a running capture needs is discarded.
   */
  async #noticeGcRuns(): Promise<void> {
    if (this.#gcRuns.sinceLastLook() === "none") return;
    this.#readAnew();
    await this.#opened?.capture.forget();
  }

  #readAnew(): void {
    const { objects, folders } = this.#context.store;
    objects.refresh();
    folders.clear();
    this.#released.forget();
  }

  #isReleased(snapshot: SnapshotId): boolean {
    return this.#gcRuns.ever() === "yes" && this.#released.has(snapshot);
  }

  /** Records which workspace this folder in the store belongs to, both for people and for gc. */
  #introduce(): void {
    if (this.#introduced === "yes") return;
    const { store, places } = this.#context;
    introduceWorkspace(store, places, this.folder);
    new Reserve({ disk: store.disk, clock: store.clock, home: dirname(store.places.root) }).fill();
    this.#introduced = "yes";
  }

  #keep(keptFor: KeptFor, snapshot: SnapshotId): void {
    const { clock, refs } = this.#context.store;
    const at = new Date(clock.now()).toISOString();
    const { sessionsIn: store } = this.#context;
    refs.add([{ keptFor, snapshot, workspace: this.folder, at, ...(store === undefined ? {} : { store }) }]);
  }

  #read(snapshot: SnapshotId): Snapshot {
    return readSnapshot(this.#context.store.objects, snapshot);
  }

  #journals(): UnfinishedRestore[] {
    return listJournals(this.#context.store.disk, this.#context.places.journal);
  }

  #restoring(finished: RestoreFinished | undefined): RestoreContext {
    const { root, disk, store } = this.#context;
    const content: RestoreContext["content"] = (hash) => readContent(store, hash);
    return {
      root,
      workspaceDisk: disk,
      content,
      journal: this.#journal,
      clock: store.clock,
      finished: async (outcomes) => finished?.(outcomes, async (request) => this.#take(request)),
    };
  }

  /** Runs a capture. It shares the workspace and the store with other processes. */
  async #shared<Result>(work: () => Promise<Result>): Promise<Result> {
    const { store, places } = this.#context;
    const ofWorkspace = await acquireShared(store, places.leases, this.#lease("workspace"));
    try {
      return await this.#sharingStore(work);
    } finally {
      await ofWorkspace.release();
    }
  }

  /** Runs a restore. It needs exclusive access to the workspace, and shares the store. */
  async #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const { store, places } = this.#context;
    const ofWorkspace = await acquireExclusive(store, places.leases, this.#lease("workspace"));
    try {
      return await this.#sharingStore(work);
    } finally {
      await ofWorkspace.release();
    }
  }

  async #sharingStore<Result>(work: () => Promise<Result>, longestWaitMs = Infinity): Promise<Result> {
    const { store } = this.#context;
    const lease = this.#lease("snapshots");
    const waitMs = Math.min(lease.waitMs, longestWaitMs);
    const ofStore = await acquireShared(store, store.places.leases, { ...lease, waitMs });
    try {
      await this.#noticeGcRuns();
      return await work();
    } finally {
      await ofStore.release();
    }
  }

  #lease(what: "workspace" | "snapshots"): SharedLeaseRequest {
    const { name, waitMs, takeOver = "no" } = this.#context;
    return { name, waitMs, takeOver, what };
  }
}

/**
 * Runs `close`, and ignores a full or read-only disk. Everything that was acknowledged is already durable, and pending
 * data was never acknowledged. A full disk must therefore not make finished work look as if it had failed.
 */
async function whereWritable(close: () => Promise<void>): Promise<void> {
  try {
    await close();
  } catch (error) {
    if (!isWorldlineError(error, "STORE_FULL") && !isWorldlineError(error, "STORE_UNWRITABLE")) throw error;
  }
}

function openCapture(context: WorkspaceContext): OpenCapture {
  const outsideRules = readOutsideRules({
    disk: context.disk,
    root: context.root,
    home: userHome(),
    config: process.env["XDG_CONFIG_HOME"],
  });
  return { capture: new WorkspaceCapture(context, outsideRules, openScanner), outsideRules };
}

/**
 * Reads a file's bytes. If the bytes were removed intentionally, throws SNAPSHOT_MISSING with the reason for the
 * removal.
 */
function readContent(
  { objects, disk, places }: Pick<SnapshotContext, "objects" | "disk" | "places">,
  hash: ObjectHash,
): Buffer {
  try {
    return objects.get(hash, "content");
  } catch (error) {
    if (!isWorldlineError(error, "SNAPSHOT_MISSING")) throw error;
    const why = new ForgottenContents(disk, places.root).whyGone(hash);
    if (why === undefined) throw error;
    throw new WorldlineError(
      why === "forgotten" ? "content-forgotten" : "content-not-in-bundle",
      {},
      { cause: error },
    );
  }
}
