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

/** So many paths are not looked at again for want of a manifest, should this program be killed. */
const SAVE_AT_ONCE = 1_000;

/** The capturing of one workspace: begun from the manifest when it is first needed, remembered for the next process. */
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
      // Durable before the manifest names it; the snapshot, written after it, shows other processes that it is.
      this.#context.store.objects.sync();
      await this.save();
    }
    return taken;
  }

  /** For when the store may have let go of what this one builds on: the next capture looks at everything. */
  async forget(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.scanner.close();
  }

  get isUnsaved(): boolean {
    return this.#open?.capturing.unsaved() !== undefined;
  }

  /** The caller holds the store's lease, so that what the manifest builds on is there. */
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
   * The scanner remembers what it saw and does not report it again; after a failure it is unknown how much of that
   * has come here. So the next capture begins from the manifest.
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
  /** The workspace, absolute. */
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
  /** How many paths were looked at because they may differ. */
  readonly edits: number;
}

type Edits = Map<PathBytes, FolderEdit>;

/**
 * Takes what differs since the last time into the root folder. Durable when the objects are synced; should that fail, they
 * wait there, and the next sync writes them.
 */
class RootCapture {
  readonly #deps: RootCaptureDeps;
  readonly #pending = new Pending();
  #base: ObjectHash | undefined;
  /** Whether the scanner knows something that the manifest does not. */
  #learned: "something" | "nothing" = "nothing";
  /**
   * What the caller knows is only all that changed when the capture before it came to its end, in this process: else
   * something may have changed unseen.
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
    // Files that were read again, are as they were, and have to be read again next time are nothing new to remember.
    if (updated.root !== this.#base || settled > readAgain.length) this.#learned = "something";
    this.#base = updated.root;
    this.#pending.clear();
    // Not before it is in the root folder: what was learned is not reported again.
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

  /** The root that the scanner's memory is true of, when there is something in it that was not saved; else undefined. */
  unsaved(): ObjectHash | undefined {
    return this.#pending.isEmpty && this.#learned === "something" ? this.#base : undefined;
  }

  saved(): void {
    this.#learned = "nothing";
  }

  /** The caller knows what changed: looked at here and now. Returns what has to be searched all the same. */
  #takeKnown(look: TakeRequest["look"], edits: Edits): TakenKnown {
    if (look === "everything" || this.#base === undefined || !look.every(isClean))
      return { unknown: "all", learned: [] };
    const context = { ...this.#store(), folders: this.#deps.folders, base: asFolder(this.#base) };
    const { known, unknown } = lookAtKnown(context, look);
    // The search looks at all of it a moment later, and may find that the folder of a known path is gone: one source for all.
    if (unknown.length > 0) return { unknown: look, learned: [] };
    for (const { path, edit } of known) edits.set(path, edit);
    return { unknown: undefined, learned: known };
  }

  #learn(learned: readonly LearnedPath[]): void {
    if (learned.length === 0) return;
    this.#deps.scanner.learn(learned);
    this.#learned = "something";
  }

  /** Returns how much of what it found looks, as far as its times tell, as it will when nothing has changed. */
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
      // Other threads cannot know what this one has open.
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
    // A few are stored at once, without waking anybody.
    if (files.length <= FEW) onStored(files.map(({ path }) => storePath(this.#store(), path)));
    else await scanner.store({ files, onStored, signal: request.signal });
    return settled;
  }

  #store(): Parameters<typeof storePath>[0] {
    return { ...this.#deps, objects: this.#deps.folders.objects };
  }

  /** Undefined for what has to be looked at again. */
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
      // It is something else by now, or gone: the next look tells.
      scanner.learn([{ path, signature: undefined }]);
      return { kind: "left-out", why: "changing" };
    }
  }
}

interface RunningTake extends TakeRequest {
  readonly unseen: UnseenWrites;
}

interface TakenKnown {
  readonly unknown: "all" | readonly PathBytes[] | undefined;
  readonly learned: readonly LearnedPath[];
}

const FEW = 16;

function requireFolder(stat: PathStat | undefined): PathStat {
  if (stat?.kind === "folder") return stat;
  throw new WorldlineError("workspace-no-longer-a-folder", {});
}

/** Whether it is a path within the workspace, as paths are written here. */
function isClean(path: PathBytes): boolean {
  return path === "" || path.split("/").every((name) => name !== "" && name !== "." && name !== "..");
}

/** Looking up a path within it needs no mode. */
function asFolder(hash: ObjectHash): FolderState {
  return { kind: "folder", mode: 0, hash };
}

/** A file whose content was asked to be stored. */
export interface StoredPath {
  readonly path: PathBytes;
  /** Undefined when it is gone, or no longer a file. */
  readonly state: FileContent | LeftOutState | undefined;
  /** As `storeFile` has it: of exactly these bytes. */
  readonly signature: Signature | undefined;
}

/** What a file that was stored looked like; undefined when it must be looked at again next time. */
export interface LearnedPath {
  readonly path: PathBytes;
  readonly signature: Signature | undefined;
}

export interface StoreRequest {
  readonly files: readonly Found[];
  readonly onStored: (stored: readonly StoredPath[]) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Looks at a workspace and stores contents, in this thread or in others. */
export interface WorkspaceScanner {
  /** What differs from what was seen last, and the known files that have these inodes; see Walker. */
  scan(folders: "all" | readonly PathBytes[], inodes: ReadonlySet<number>): Promise<Findings>;
  /** Stores the contents, in any order, some at a time. When it resolves they are durable. */
  store(request: StoreRequest): Promise<void>;
  learn(learned: readonly LearnedPath[]): void;
  /** What is remembered, as the manifest's bytes; undefined where that would not be true of one moment. */
  save(header: string): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

/** Passed in, because threads import the code that captures. */
export type OpenScanner = (
  context: WorkspaceContext,
  known: { readonly outsideRules: string; readonly manifest: Buffer | undefined },
) => WorkspaceScanner;

/** What a capture has found by then is kept for the next one. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new WorldlineError("capture-cancelled", {}, { cause: signal.reason });
}
