import { createHash } from "node:crypto";
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
  RestoreStep,
  UnfinishedRestore,
  WorkspaceFiles,
} from "../../src/ports/workspace-files.ts";
import { WorldlineError } from "../../src/record/error.ts";
import {
  type FileState,
  folderOf,
  isFailure,
  isSameState,
  isWithin,
  type PathBytes,
  type PathChange,
} from "../../src/record/files.ts";
import type { ObjectHash, SessionId, SnapshotId } from "../../src/record/ids.ts";

type States = ReadonlyMap<PathBytes, FileState>;

/** Thrown to end a restore as a killed process would. */
export class Killed extends Error {}

/** An in-memory implementation that keeps the promises of the port. */
export class MemoryWorkspace implements WorkspaceFiles {
  readonly folder: string = "/work";
  readonly snapshots = new Map<SnapshotId, States>();
  readonly kept: { readonly keptFor: KeptFor; readonly snapshot: SnapshotId }[] = [];
  readonly labels: string[] = [];
  readonly ignored = new Set<PathBytes>();
  readonly journals: UnfinishedRestore[] = [];
  readonly compared: string[] = [];
  gitHead: string | undefined;
  /** The error with which the next capture fails. */
  failing: Error | undefined;
  /**
   * Where the next restore is killed: before the log is written, after this many paths, or once the log has
   * recorded the end.
   */
  killAt: "journal" | number | "end" | undefined;
  /** Runs when the journal of the next restore is written. */
  onJournal: (() => Promise<void>) | undefined;
  #now = new Map<PathBytes, FileState>([["", folderState()]]);
  readonly #contents = new Map<ObjectHash, string>();

  write(path: PathBytes, text: string, mode = 0o644): void {
    this.mkdir(folderOf(path));
    this.#now.set(path, this.file(text, mode));
  }

  mkdir(path: PathBytes): void {
    if (path === "" || this.#now.get(path)?.kind === "folder") return;
    this.mkdir(folderOf(path));
    this.#now.set(path, folderState());
  }

  put(path: PathBytes, state: FileState): void {
    this.#now.set(path, state);
  }

  remove(path: PathBytes): void {
    for (const each of [...this.#now.keys()]) if (each !== "" && isWithin(each, path)) this.#now.delete(each);
  }

  file(text: string, mode = 0o644): FileState {
    const hash = hashOf(text) as ObjectHash;
    this.#contents.set(hash, text);
    return { kind: "file", mode, size: text.length, hash };
  }

  /** Files with their content, everything else by kind. Folders appear only if they are empty. */
  get told(): Record<string, string> {
    const paths = [...this.#now.keys()].filter((path) => path !== "").sort();
    const isEmpty = (path: PathBytes): boolean => !paths.some((each) => each.startsWith(`${path}/`));
    return Object.fromEntries(
      paths.flatMap((path) => {
        const state = this.#now.get(path);
        if (state?.kind === "file") return [[path, this.#contents.get(state.hash) ?? "?"]];
        return state?.kind === "folder" && !isEmpty(path) ? [] : [[path, `(${state?.kind})`]];
      }),
    );
  }

  async capture(request: CaptureRequest): Promise<Captured> {
    const { failing } = this;
    this.failing = undefined;
    if (failing !== undefined) throw failing;
    request.onProgress?.({ phase: "looking", files: 0, bytes: 0, ofFiles: 0, ofBytes: 0 });
    if (request.signal?.aborted === true)
      throw new WorldlineError("stated", { code: "CANCELLED", message: "The capture was canceled." });
    const snapshot = hashOf(JSON.stringify([...this.#now].sort())) as SnapshotId;
    this.snapshots.set(snapshot, new Map(this.#now));
    if (request.keptFor !== undefined) this.kept.push({ keptFor: request.keptFor, snapshot });
    const gaps = await this.gaps(snapshot);
    return {
      snapshot,
      state: gaps.length > 0 ? "partial" : "complete",
      gaps,
      ...(this.gitHead === undefined ? {} : { gitHead: this.gitHead }),
    };
  }

  async has(snapshot: SnapshotId): Promise<boolean> {
    return this.snapshots.has(snapshot);
  }

  async compare(before: SnapshotId, after: SnapshotId): Promise<readonly PathChange[]> {
    this.compared.push(`${before} ${after}`);
    const [old, young] = [this.#states(before), this.#states(after)];
    const paths = [...new Set([...old.keys(), ...young.keys()])].sort();
    return paths
      .map((path) => ({ path, before: old.get(path), after: young.get(path) }))
      .filter((change) => !isSameState(change.before, change.after));
  }

  async stateAt(snapshot: SnapshotId, path: PathBytes): Promise<FileState | undefined> {
    return this.#states(snapshot).get(path);
  }

  async gaps(snapshot: SnapshotId): Promise<readonly Gap[]> {
    return [...this.#states(snapshot)].flatMap(([path, state]) =>
      state.kind === "left-out" && isFailure(state.why) ? [{ path, why: state.why }] : [],
    );
  }

  async list(snapshot: SnapshotId, under: PathBytes = ""): Promise<readonly PathState[]> {
    const found = [...this.#states(snapshot)].filter(([path]) => isWithin(path, under)).sort();
    return found.map(([path, state]) => ({ path, state }));
  }

  async content(hash: ObjectHash): Promise<Uint8Array> {
    return Buffer.from(this.#contents.get(hash) ?? "");
  }

  async ignoredIn(_snapshot: SnapshotId, paths: readonly PathBytes[]): Promise<ReadonlySet<PathBytes>> {
    return new Set(paths.filter((path) => [...this.ignored].some((each) => isWithin(path, each))));
  }

  /** Merges only text that was appended at the end. */
  async merge(target: FileState, edits: readonly Edit[]): Promise<FileState | undefined> {
    let text = this.#textOf(target);
    for (const { before, after } of edits) {
      const [old, young] = [this.#textOf(before), this.#textOf(after)];
      if (text === undefined || old === undefined || young?.startsWith(old) !== true) return undefined;
      text += young.slice(old.length);
    }
    return text === undefined ? undefined : this.file(text);
  }

  async restore(request: RestoreRequest): Promise<readonly PathOutcome[]> {
    if (this.journals.length > 0)
      throw new WorldlineError("stated", { code: "RESTORE_UNFINISHED", message: "One is unfinished." });
    const { session, journey, steps } = request;
    const journal = { id: `j${this.kept.length}`, session, journey, steps };
    const { killAt, onJournal } = this;
    this.killAt = undefined;
    this.journals.push(journal);
    await onJournal?.();
    if (killAt === "journal") throw new Killed();
    try {
      await request.commit();
    } catch (error) {
      this.#drop(journal);
      throw error;
    }
    const outcomes = this.#make(steps.slice(0, killAt === "end" ? undefined : killAt));
    if (typeof killAt === "number") throw new Killed();
    request.onProgress?.(steps.length, steps.length);
    await request.finished?.(outcomes, async (wanted) => this.capture(wanted));
    if (killAt === "end") throw new Killed();
    this.#drop(journal);
    this.#requireWhole();
    return outcomes;
  }

  async unfinished(): Promise<readonly UnfinishedRestore[]> {
    return [...this.journals];
  }

  async settle(
    restore: UnfinishedRestore,
    how: "forward" | "discard",
    finished?: RestoreFinished,
  ): Promise<readonly PathOutcome[]> {
    const outcomes = how === "forward" ? this.#make(restore.steps) : [];
    if (how === "forward") await finished?.(outcomes, async (wanted) => this.capture(wanted));
    this.#drop(restore);
    return outcomes;
  }

  async keep(keptFor: KeptFor, snapshot: SnapshotId): Promise<void> {
    this.#states(snapshot);
    this.kept.push({ keptFor, snapshot });
  }

  async label(session: SessionId, checkpoint: number, label: string): Promise<void> {
    this.labels.push(`${session} ${checkpoint} ${label}`);
  }

  async close(): Promise<void> {}

  #make(steps: readonly RestoreStep[]): PathOutcome[] {
    return steps.map(({ path, before, after }) => {
      const now = this.#now.get(path);
      if (isSameState(now, after)) return { path, outcome: "restored" };
      if (!isSameState(now, before)) return { path, outcome: "kept", why: "it changed meanwhile" };
      if (after === undefined) this.#now.delete(path);
      else this.#now.set(path, after);
      return { path, outcome: "restored" };
    });
  }

  /** Rejects what a real disk would not allow: a path whose parent is not a folder. */
  #requireWhole(): void {
    for (const path of this.#now.keys()) {
      if (path !== "" && this.#now.get(folderOf(path))?.kind !== "folder")
        throw new Error(`${path} hangs in the air`);
    }
  }

  #drop(journal: UnfinishedRestore): void {
    this.journals.splice(this.journals.indexOf(journal), 1);
  }

  #textOf(state: FileState | undefined): string | undefined {
    return state?.kind === "file" ? this.#contents.get(state.hash) : undefined;
  }

  #states(snapshot: SnapshotId): States {
    const states = this.snapshots.get(snapshot);
    if (states === undefined)
      throw new WorldlineError("stated", { code: "SNAPSHOT_MISSING", message: "The snapshot is not there." });
    return states;
  }
}

function folderState(): FileState {
  return { kind: "folder", mode: 0o755, hash: "0".repeat(64) as ObjectHash };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
