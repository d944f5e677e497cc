import type { CaptureProgress } from "../../ports/workspace-files.ts";
import { errnoOf, WorldlineError } from "../../record/error.ts";
import { type FolderState, isFailure, type PathBytes } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import { type FolderEdit, updateRoot } from "../comparing/update-folders.ts";
import { statOf } from "../finding/coverage.ts";
import type { Found } from "../finding/findings.ts";
import { isSame } from "../finding/signature.ts";
import type { FolderCache } from "../objects/folder-cache.ts";
import { EMPTY_FOLDER } from "../objects/folder-object.ts";
import type { PathStat, WorkspaceDisk } from "../workspace/workspace-disk.ts";
import { isOpenHere, leaveOutBeside } from "./beside-databases.ts";
import { throwIfCancelled } from "./cancelled.ts";
import type { Finder, Learned, StoredPath } from "./finder.ts";
import { lookAtKnown } from "./known-paths.ts";
import { type Mappings, UnseenWrites } from "./mapped-files.ts";
import { Pending } from "./pending.ts";
import { storePath } from "./store-path.ts";

export interface CapturingParts {
  readonly disk: WorkspaceDisk;
  readonly folders: FolderCache;
  readonly finder: Finder;
  /** The workspace, absolute. */
  readonly root: PathBytes;
  readonly maxFileBytes: number;
  /** The root folder that the finder's memory belongs to. */
  readonly base: ObjectHash | undefined;
  readonly mappings: Mappings;
}

export interface TakeRequest {
  readonly look: "everything" | readonly PathBytes[];
  readonly onProgress?: ((progress: CaptureProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Taken {
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
export class Capturing {
  readonly #parts: CapturingParts;
  readonly #pending = new Pending();
  #base: ObjectHash | undefined;
  /** Whether the finder knows something that the manifest does not. */
  #learned: "something" | "nothing" = "nothing";
  /**
   * What the caller knows is only all that changed when the capture before it came to its end, in this process: else
   * something may have changed that nobody looked at.
   */
  #isUpToDate = false;

  constructor(parts: CapturingParts) {
    this.#parts = parts;
    this.#base = parts.base;
  }

  async take(request: TakeRequest): Promise<Taken> {
    const { disk, folders, root } = this.#parts;
    const edits: Edits = new Map();
    const unseen = new UnseenWrites(this.#parts.mappings);
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
      this.#parts.finder.learn(readAgain.map((path) => ({ path, signature: undefined })));
    this.#isUpToDate = true;
    return {
      root: { kind: "folder", mode, hash: updated.root },
      failures: updated.failures,
      edits: edits.size,
    };
  }

  /** The root that the finder's memory is true of, when there is something in it that was not saved; else undefined. */
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
    const ground = { ...this.#store(), folders: this.#parts.folders, base: asFolder(this.#base) };
    const { known, unknown } = lookAtKnown(ground, look);
    // Who searches sees all of it a moment later, and may see that the folder of a known path is gone: one tells of all.
    if (unknown.length > 0) return { unknown: look, learned: [] };
    for (const { path, edit } of known) edits.set(path, edit);
    return { unknown: undefined, learned: known };
  }

  #learn(learned: readonly Learned[]): void {
    if (learned.length === 0) return;
    this.#parts.finder.learn(learned);
    this.#learned = "something";
  }

  /** Returns how much of what it found looks, as far as its times tell, as it will when nothing has changed. */
  async #takeUnknown(look: "all" | readonly PathBytes[], request: Taking, edits: Edits): Promise<number> {
    const { finder, disk, root } = this.#parts;
    request.onProgress?.({ phase: "looking", files: 0, bytes: 0, ofFiles: 0, ofBytes: 0 });
    this.#pending.add(await finder.scan(look, request.unseen.toReport()));
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

  async #storeAll(files: readonly Found[], request: Taking, edits: Edits): Promise<number> {
    const { finder } = this.#parts;
    const foundByPath = new Map(files.map((found) => [found.path, found]));
    const ofBytes = files.reduce((sum, { size }) => sum + size, 0);
    let [done, bytes, settled] = [0, 0, 0];
    const progress = (): void =>
      request.onProgress?.({ phase: "storing", files: done, bytes, ofFiles: files.length, ofBytes });
    const onStored = (stored: readonly StoredPath[]): void => {
      const learned: Learned[] = [];
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
      if (learned.length > 0) finder.learn(learned);
      progress();
    };
    progress();
    // A few are stored at once, without waking anybody.
    if (files.length <= FEW) onStored(files.map(({ path }) => storePath(this.#store(), path)));
    else await finder.store({ files, onStored, signal: request.signal });
    return settled;
  }

  #store(): Parameters<typeof storePath>[0] {
    return { ...this.#parts, objects: this.#parts.folders.objects };
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
          ? { kind: "folder", mode, hash: this.#parts.folders.write(EMPTY_FOLDER) }
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
    const { disk, finder, root } = this.#parts;
    try {
      return { kind: "link", target: disk.readLink(`${root}/${path}`) };
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      // It is something else by now, or gone: the next look tells.
      finder.learn([{ path, signature: undefined }]);
      return { kind: "left-out", why: "changing" };
    }
  }
}

interface Taking extends TakeRequest {
  readonly unseen: UnseenWrites;
}

interface TakenKnown {
  readonly unknown: "all" | readonly PathBytes[] | undefined;
  readonly learned: readonly Learned[];
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
