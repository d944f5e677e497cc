import type { CaptureProgress } from "../../ports/workspace-files.ts";
import { errnoOf, isWorldlineError, WorldlineError } from "../../record/error.ts";
import {
  type FileContent,
  type FolderState,
  isFailure,
  type LeftOutState,
  type PathBytes,
} from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import { type FolderEdit, updateRoot } from "../comparing/update-folders.ts";
import type { WorkspaceContext } from "../context.ts";
import { statOf } from "../finding/coverage.ts";
import { type Findings, type Found, isSame, Pending, type Signature } from "../finding/findings.ts";
import { headerText, readManifest, writeManifest } from "../finding/manifest.ts";
import { EMPTY_FOLDER, type FolderCache } from "../objects/tree-objects.ts";
import type { PathStat, WorkspaceDisk } from "../workspace/workspace-disk.ts";
import {
  isOpenHere,
  leaveOutBeside,
  lookAtKnown,
  type Mappings,
  mappingsAt,
  storePath,
  UnseenWrites,
} from "./read-files.ts";

/**
 * Number of edits after which the manifest is saved immediately, so that the edited paths do not have to be checked
 * again if the program is killed.
 */
const SAVE_AT_ONCE = 1_000;

/**
 * Captures one workspace. The first capture starts from the manifest. The results of the captures are saved for the
 * next process.
 */
export class WorkspaceCapture {
  readonly #context: WorkspaceContext;
  readonly #outsideRules: string;
  readonly #openFinder: OpenScanner;
  #open: { readonly capturing: RootCapture; readonly scanner: WorkspaceScanner } | undefined;

  constructor(context: WorkspaceContext, outsideRules: string, openFinder: OpenScanner) {
    this.#context = context;
    this.#outsideRules = outsideRules;
    this.#openFinder = openFinder;
  }

  async take(request: TakeRequest): Promise<CapturedRoot> {
    this.#open ??= this.#begin();
    const taken = await this.#takeOrForget(this.#open.capturing, request);
    if (taken.edits >= SAVE_AT_ONCE) {
      // The objects must be durable before the manifest refers to them. The snapshot is written after the manifest, and
      // its existence shows other processes that the objects are durable.
      this.#context.store.objects.sync();
      await this.save();
    }
    return taken;
  }

  /**
   * Discards what this object remembers, because the store may have dropped objects that this object relies on. The
   * next capture checks everything.
   */
  async forget(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.scanner.close();
  }

  get isUnsaved(): boolean {
    return this.#open?.capturing.unsaved() !== undefined;
  }

  /**
   * Saves the manifest. The caller must hold the store's lease, so that the objects that the manifest refers to still
   * exist.
   */
  async save(): Promise<void> {
    const root = this.#open?.capturing.unsaved();
    if (this.#open === undefined || root === undefined) return;
    const { store, places, limits } = this.#context;
    const header = headerText({ root, limits });
    const bytes = await this.#open.scanner.save(header);
    if (bytes === undefined) return;
    writeManifest(store, places, bytes);
    this.#open.capturing.saved();
  }

  /**
   * Performs a capture. If the capture fails, discards what this object remembers, because the scanner does not report
   * the same change twice. After a failure, it is unknown how much of the scanner's report was processed, so the next
   * capture starts from the manifest.
   */
  async #takeOrForget(capturing: RootCapture, request: TakeRequest): Promise<CapturedRoot> {
    try {
      return await capturing.take(request);
    } catch (error) {
      if (!isWorldlineError(error, "CANCELLED")) await this.forget();
      throw error;
    }
  }

  #begin(): { readonly capturing: RootCapture; readonly scanner: WorkspaceScanner } {
    const { store, places, limits, disk, root } = this.#context;
    const outsideRules = this.#outsideRules;
    const manifest = readManifest(store, places, limits);
    const scanner = this.#openFinder(this.#context, { outsideRules, manifest: manifest?.bytes });
    const capturing = new RootCapture({
      disk,
      root,
      scanner,
      folders: store.folders,
      maxFileBytes: limits.maxFileBytes,
      base: manifest?.root,
      mappings: mappingsAt(root),
    });
    return { capturing, scanner };
  }
}

interface RootCaptureDeps {
  readonly disk: WorkspaceDisk;
  readonly folders: FolderCache;
  readonly scanner: WorkspaceScanner;
  /** The absolute path of the workspace. */
  readonly root: PathBytes;
  readonly maxFileBytes: number;
  /** The root folder that the scanner's memory belongs to. */
  readonly base: ObjectHash | undefined;
  readonly mappings: Mappings;
}

interface TakeRequest {
  readonly look: "everything" | readonly PathBytes[];
  readonly onProgress?: ((progress: CaptureProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface CapturedRoot {
  readonly root: FolderState;
  readonly failures: number;
  /** Number of paths that were checked because they might have changed. */
  readonly edits: number;
}

type Edits = Map<PathBytes, FolderEdit>;

/**
 * Applies the changes since the last capture to the root folder. The result is durable once the objects are synced. If
 * a sync fails, the objects stay pending, and the next sync writes them.
 */
class RootCapture {
  readonly #deps: RootCaptureDeps;
  readonly #pending = new Pending();
  #base: ObjectHash | undefined;
  /** Whether the scanner has learned something that is not in the manifest. */
  #learned: "something" | "nothing" = "nothing";
  /**
   * Whether the previous capture in this process ended normally. If not, the caller's list of changed paths is
   * incomplete.
   */
  #isUpToDate = false;

  constructor(parts: RootCaptureDeps) {
    this.#deps = parts;
    this.#base = parts.base;
  }

  async take(request: TakeRequest): Promise<CapturedRoot> {
    const { disk, folders, root } = this.#deps;
    const edits: Edits = new Map();
    const unseen = new UnseenWrites(this.#deps.mappings);
    throwIfCancelled(request.signal);
    const { unknown, learned } = this.#takeKnown(this.#isUpToDate ? request.look : "everything", edits);
    this.#isUpToDate = false;
    const settled =
      unknown === undefined ? 0 : await this.#takeUnknown(unknown, { ...request, unseen }, edits);
    const { mode } = requireFolder(statOf(disk, root));
    for (const { path, signature } of learned) if (signature !== undefined) unseen.add(path, signature);
    leaveOutBeside(edits, folders, this.#base === undefined ? undefined : asFolder(this.#base));
    const updated = updateRoot(folders, this.#base, edits);
    const readAgain = unseen.toReadAgain();
    // If a file was read again but is unchanged, and must be read again next time, the scanner has nothing new to
    // remember.
    if (updated.root !== this.#base || settled > readAgain.length) this.#learned = "something";
    this.#base = updated.root;
    this.#pending.clear();
    // The scanner is told about a change only after the root folder contains it. From then on, the scanner no longer
    // reports the change.
    this.#learn(learned);
    if (readAgain.length > 0)
      this.#deps.scanner.learn(readAgain.map((path) => ({ path, signature: undefined })));
    this.#isUpToDate = true;
    return {
      root: { kind: "folder", mode, hash: updated.root },
      failures: updated.failures,
      edits: edits.size,
    };
  }

  /** Returns the root folder that the scanner's memory matches, or undefined if the memory contains nothing unsaved. */
  unsaved(): ObjectHash | undefined {
    return this.#pending.isEmpty && this.#learned === "something" ? this.#base : undefined;
  }

  saved(): void {
    this.#learned = "nothing";
  }

  /** Checks the paths that the caller reported as changed. Returns the paths that still require a search. */
  #takeKnown(
    look: TakeRequest["look"],
    edits: Edits,
  ): {
    readonly unknown: "all" | readonly PathBytes[] | undefined;
    readonly learned: readonly LearnedPath[];
  } {
    if (look === "everything" || this.#base === undefined || !look.every(isClean))
      return { unknown: "all", learned: [] };
    const context = { ...this.#store(), folders: this.#deps.folders, base: asFolder(this.#base) };
    const { known, unknown } = lookAtKnown(context, look);
    // A moment later, the search covers all of these paths. It may find that the folder of a known path no longer
    // exists. Using only the results of the search keeps the capture consistent.
    if (unknown.length > 0) return { unknown: look, learned: [] };
    for (const { path, edit } of known) edits.set(path, edit);
    return { unknown: undefined, learned: known };
  }

  #learn(learned: readonly LearnedPath[]): void {
    if (learned.length === 0) return;
    this.#deps.scanner.learn(learned);
    this.#learned = "something";
  }

  /** Returns the number of findings that need not be read again until their times change. */
  async #takeUnknown(
    look: "all" | readonly PathBytes[],
    request: RunningTake,
    edits: Edits,
  ): Promise<number> {
    const { scanner, disk, root } = this.#deps;
    request.onProgress?.({ phase: "looking", files: 0, bytes: 0, ofFiles: 0, ofBytes: 0 });
    this.#pending.add(await scanner.scan(look, request.unseen.toReport()));
    throwIfCancelled(request.signal);
    if (this.#pending.isEmpty) return 0;
    let settled = 0;
    for (const path of this.#pending.gone) edits.set(path, undefined);
    const files: Found[] = [];
    for (const found of this.#pending.found) {
      // Other threads cannot tell which files this thread has open.
      if (found.kind === "file" && isOpenHere(disk, `${root}/${found.path}`, found.signature.inode))
        edits.set(found.path, { kind: "left-out", why: "own-store" });
      else if (found.kind === "file") files.push(found);
      else {
        edits.set(found.path, this.#editOf(found));
        settled += 1;
      }
    }
    return settled + (await this.#storeAll(files, request, edits));
  }

  async #storeAll(files: readonly Found[], request: RunningTake, edits: Edits): Promise<number> {
    const { scanner } = this.#deps;
    const foundByPath = new Map(files.map((found) => [found.path, found]));
    const ofBytes = files.reduce((sum, { size }) => sum + size, 0);
    let [done, bytes, settled] = [0, 0, 0];
    const progress = (): void =>
      request.onProgress?.({ phase: "storing", files: done, bytes, ofFiles: files.length, ofBytes });
    const onStored = (stored: readonly StoredPath[]): void => {
      const learned: LearnedPath[] = [];
      for (const each of stored) {
        const found = foundByPath.get(each.path);
        edits.set(each.path, each.state);
        bytes += found?.size ?? 0;
        const signature = this.#learnable(each);
        if (signature !== undefined) {
          request.unseen.add(each.path, signature);
          settled += 1;
        }
        if (signature === undefined || found === undefined || !isSame(signature, found.signature)) {
          learned.push({ path: each.path, signature });
        }
      }
      done += stored.length;
      if (learned.length > 0) scanner.learn(learned);
      progress();
    };
    progress();
    // If there are only a few files, this thread stores them, because waking the other threads would cost more.
    if (files.length <= FEW) onStored(files.map(({ path }) => storePath(this.#store(), path)));
    else await scanner.store({ files, onStored, signal: request.signal });
    return settled;
  }

  #store(): Parameters<typeof storePath>[0] {
    return { ...this.#deps, objects: this.#deps.folders.objects };
  }

  /** Returns the signature of the stored file, or undefined if the file must be checked again. */
  #learnable({ state, signature }: StoredPath): StoredPath["signature"] {
    if (state === undefined || (state.kind === "left-out" && isFailure(state.why))) return undefined;
    return signature;
  }

  #editOf({ path, kind, mode, why }: Found): FolderEdit {
    switch (kind) {
      case "folder":
        return this.#pending.isRenewed(path)
          ? { kind: "folder", mode, hash: this.#deps.folders.write(EMPTY_FOLDER) }
          : { kind: "folder", mode };
      case "left-out":
        return { kind: "left-out", why: why ?? "unreadable" };
      case "link":
        return this.#linkAt(path);
      case "file":
        return undefined;
      default:
        return kind satisfies never;
    }
  }

  #linkAt(path: PathBytes): FolderEdit {
    const { disk, scanner, root } = this.#deps;
    try {
      return { kind: "link", target: disk.readLink(`${root}/${path}`) };
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      // The link no longer exists or was replaced. The next scan will report the change.
      scanner.learn([{ path, signature: undefined }]);
      return { kind: "left-out", why: "changing" };
    }
  }
}

interface RunningTake extends TakeRequest {
  readonly unseen: UnseenWrites;
}

const FEW = 16;

function requireFolder(stat: PathStat | undefined): PathStat {
  if (stat?.kind === "folder") return stat;
  throw new WorldlineError("workspace-no-longer-a-folder", {});
}

/** Checks whether the path is normalized and within the workspace. */
function isClean(path: PathBytes): boolean {
  return path === "" || path.split("/").every((name) => name !== "" && name !== "." && name !== "..");
}

/**
 * Returns the state of a folder with this hash. The mode is 0, because it is not needed to look up a path in the
 * folder.
 */
function asFolder(hash: ObjectHash): FolderState {
  return { kind: "folder", mode: 0, hash };
}

/** The result of storing the content of one file. */
export interface StoredPath {
  readonly path: PathBytes;
  /** Undefined if the file no longer exists or is no longer a regular file. */
  readonly state: FileContent | LeftOutState | undefined;
  /** The signature that the file had when exactly these bytes were read. */
  readonly signature: Signature | undefined;
}

/**
 * A path and the signature of its stored file. The signature is undefined if the file must be checked again next time.
 */
export interface LearnedPath {
  readonly path: PathBytes;
  readonly signature: Signature | undefined;
}

export interface StoreRequest {
  readonly files: readonly Found[];
  readonly onStored: (stored: readonly StoredPath[]) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Scans a workspace and stores file contents, in this thread or in other threads. */
export interface WorkspaceScanner {
  /** Returns the differences from the last scan, plus the known files that have these inodes; see Walker. */
  scan(folders: "all" | readonly PathBytes[], inodes: ReadonlySet<number>): Promise<Findings>;
  /** Stores the contents in portions, in any order. All contents are durable when the promise resolves. */
  store(request: StoreRequest): Promise<void>;
  learn(learned: readonly LearnedPath[]): void;
  /**
   * Returns the scanner's memory as the bytes of a manifest, or undefined if the manifest would mix states from
   * different moments.
   */
  save(header: string): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

/**
 * Opens a scanner. The function is passed in rather than imported, because the code that runs in the threads imports
 * the capturing code.
 */
export type OpenScanner = (
  context: WorkspaceContext,
  known: { readonly outsideRules: string; readonly manifest: Buffer | undefined },
) => WorkspaceScanner;

/** Throws if the capture was cancelled. The findings of the cancelled capture are kept for the next capture. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new WorldlineError("capture-cancelled", {}, { cause: signal.reason });
}
