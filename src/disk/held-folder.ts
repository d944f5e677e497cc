import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { errnoOf } from "../record/error.ts";
import { isWithin, type PathBytes, shownPath } from "../record/files.ts";

/**
 * Returns the path in a form that makes Node use exactly these bytes. If the path is ASCII, the result is a string,
 * which is faster. Otherwise, the result is a buffer.
 */
export function nodePath(path: PathBytes): string | Buffer {
  // A regular expression is the fastest way to check for non-ASCII bytes.
  return !/[\x80-\xff]/.test(path) ? path : Buffer.from(path, "latin1");
}

/**
 * How a folder is held. "handles" goes through `/proc/self/fd`. "checks", for systems without `/proc/self/fd`, checks
 * the path before and after each call.
 */
export type HoldingBy = "handles" | "checks";

/**
 * Flag that opens a file without read access, just to obtain a reference to it. The flag exists only on Linux, and Node
 * does not define it.
 */
export const O_PATH = 0o10_000_000;
const FOLDER = O_PATH | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Error code for a path that must not be touched, because a folder on the path was replaced or is a link. */
export const PARENT_CHANGED = "PARENT_CHANGED";

export function isParentChanged(error: unknown): boolean {
  return errnoOf(error) === PARENT_CHANGED;
}

function parentChanged(folder: PathBytes): Error {
  const message = `A folder in the path ${shownPath(folder)} was replaced or is a link.`;
  return Object.assign(new Error(message), { code: PARENT_CHANGED });
}

/**
 * A folder that was reached only through real folders, never through links, and that provides access to the names in
 * it. On Linux, it refers to the same folder even if another process replaces the folder at that path, because each
 * call goes through a handle (Node does not have `openat`). On other systems, only the folder's identity is remembered,
 * and calling `requireStill` after an operation detects whether the folder was replaced.
 */
export class HeldFolder {
  readonly path: PathBytes;
  readonly #way: Way;
  readonly #prefix: string;

  constructor(path: PathBytes, by: HoldingBy = holdingBy()) {
    this.path = path === "" ? "/" : path;
    this.#way = by === "handles" ? new Handle(this.path) : new CheckedWay(this.path);
    this.#prefix = this.#way.prefix;
  }

  /**
   * Returns the path that Node uses to reach a name in the folder. Without a name, returns the path for opening or
   * listing the folder itself, regardless of its mode.
   */
  at(name?: PathBytes): string | Buffer {
    if (name === undefined) return nodePath(this.#prefix === "" ? "/" : this.#prefix);
    return nodePath(`${this.#prefix}/${name}`);
  }

  setMode(mode: number): void {
    chmodSync(this.at(), mode);
  }

  /** Whether `path` alone is enough to find the folder again. If not, the folder must not be cached. */
  get isFindable(): boolean {
    return this.#way.isFindable;
  }

  /** Checks whether the path still leads to this folder through real folders only. */
  isStill(): boolean {
    return this.#way.isStill();
  }

  requireStill(): void {
    if (!this.isStill()) throw parentChanged(this.path);
  }

  /** Rewrites a system error so that it mentions the path that the caller passed. */
  restated(error: unknown): unknown {
    if (error instanceof Error && this.#prefix !== this.path)
      error.message = error.message.replaceAll(`${this.#prefix}/`, `${shownPath(this.path)}/`);
    return error;
  }

  close(): void {
    this.#way.close();
  }
}

interface Way {
  readonly prefix: string;
  readonly isFindable: boolean;
  isStill(): boolean;
  close(): void;
}

class Handle implements Way {
  readonly prefix: string;
  readonly isFindable: boolean;
  readonly #path: PathBytes;
  #file: number | undefined;

  constructor(path: PathBytes) {
    this.#path = path;
    let file = tryToOpen(path);
    this.isFindable = file !== undefined && nameOf(file) === path;
    if (!this.isFindable) {
      if (file !== undefined) closeSync(file);
      // The path contains a link, or the system uses another spelling for a folder, as a case-insensitive file system
      // may do.
      file = walkTo(path);
    }
    this.#file = file;
    this.prefix = `${FD}${file}`;
  }

  isStill(): boolean {
    if (this.#file === undefined) return false;
    if (this.isFindable) return nameOf(this.#file) === this.#path;
    try {
      const again = walkTo(this.#path);
      try {
        return isSame(lstatSync(`${FD}${again}/.`), lstatSync(`${this.prefix}/.`));
      } finally {
        closeSync(again);
      }
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return false;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

const FD = "/proc/self/fd/";

/** Returns the path that the system would now use to reach the open folder. The path does not contain links. */
function nameOf(file: number): PathBytes | undefined {
  try {
    return readlinkSync(`${FD}${file}`, { encoding: "latin1" });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/**
 * Opens the whole path with one call. Returns undefined if that is not possible. The path must then be walked to find
 * out what is wrong with it.
 */
function tryToOpen(path: PathBytes): number | undefined {
  try {
    return openSync(nodePath(path), FOLDER);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== "ENOTDIR" && errno !== "ELOOP") throw error;
    return undefined;
  }
}

/** Opens the folders on the path one after another, each through its parent folder. */
function walkTo(path: PathBytes): number {
  let file = openSync("/", FOLDER);
  for (const name of path.split("/").filter((each) => each !== "")) {
    const above = file;
    const place = nodePath(`${FD}${above}/${name}`);
    try {
      file = openSync(place, FOLDER);
    } catch (error) {
      const isOther = errnoOf(error) === "ENOTDIR" || errnoOf(error) === "ELOOP";
      if (isOther && lstatSync(place, { throwIfNoEntry: false })?.isFile() !== true)
        throw parentChanged(path);
      throw error;
    } finally {
      closeSync(above);
    }
  }
  return file;
}

/** Remembers a folder's identity and checks it again later. Used on systems where folders cannot be held. */
class CheckedWay implements Way {
  readonly prefix: string;
  readonly isFindable = true;
  readonly #path: PathBytes;
  readonly #stats: Stats;

  constructor(path: PathBytes) {
    this.#path = path;
    this.prefix = path === "/" ? "" : path;
    requirePlainWay(path);
    this.#stats = lstatSync(nodePath(path));
    // The path is checked again, because it may have changed while the folder's identity was being read.
    requirePlainWay(path);
    if (!this.isStill()) throw parentChanged(path);
  }

  /** Checks only the folder itself. A replacement has a different inode, so the folders above need not be checked. */
  isStill(): boolean {
    const now = lstatSync(nodePath(this.#path), { throwIfNoEntry: false });
    return now?.isDirectory() === true && isSame(now, this.#stats);
  }

  close(): void {
    // Nothing was opened, so there is nothing to close.
  }
}

function requirePlainWay(path: PathBytes): void {
  for (const at of foldersTo(path)) {
    const stats = lstatSync(nodePath(at));
    if (stats.isSymbolicLink()) throw parentChanged(path);
    if (!stats.isDirectory())
      throw Object.assign(new Error(`${shownPath(at)} is not a folder`), { code: "ENOTDIR" });
  }
}

function foldersTo(path: PathBytes): PathBytes[] {
  const parts = path.split(SEPARATORS);
  // The first part is the text before the root: a drive on Windows, and empty on other systems.
  return parts.slice(1).map((_, index) => parts.slice(0, index + 2).join("/"));
}

const SEPARATORS = process.platform === "win32" ? /[\\/]/ : /\//;

function isSame(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

let supported: HoldingBy | undefined;

/**
 * Returns how folders are held on this system. The answer is determined only once. `/proc` may not be mounted, or only
 * part of it may be visible.
 */
export function holdingBy(): HoldingBy {
  supported ??= process.platform === "linux" && canHold() ? "handles" : "checks";
  return supported;
}

function canHold(): boolean {
  let file: number | undefined;
  try {
    file = openSync("/", FOLDER);
    return nameOf(file) === "/" && isSame(lstatSync(`${FD}${file}/.`), lstatSync("/"));
  } catch (error) {
    // The process has no handles left, so it cannot find out what the system supports. The next call tries again.
    if (isOutOfHandles(error)) throw error;
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function isOutOfHandles(error: unknown): boolean {
  return errnoOf(error) === "EMFILE" || errnoOf(error) === "ENFILE";
}

/** Splits a path into the folder that contains it and its name in that folder. */
export function splitPath(path: PathBytes): { readonly folder: PathBytes; readonly name: PathBytes } {
  const at =
    process.platform === "win32"
      ? Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"))
      : path.lastIndexOf("/");
  return { folder: path.slice(0, Math.max(0, at)), name: path.slice(at + 1) };
}

/**
 * What a folder is needed for. "list" reads the folder itself, so the held folder must be the one that is currently at
 * the path.
 */
export type FolderUse = "look" | "list" | "change";

/**
 * Maximum number of cached folders. A few are enough, because successive paths are usually in the same folder or in
 * neighboring folders. Each cached folder takes up a descriptor in each thread, and the oldest folder is closed first.
 */
const MAX_HELD = 4;

/**
 * Caches recently used folders until the current synchronous code ends. Later calls therefore notice everything that
 * other code in this process did to a folder. In addition, a cached folder does not prevent a disk from being
 * unmounted.
 */
export class HeldFolders {
  readonly #by: HoldingBy | undefined;
  readonly #held = new Map<PathBytes, HeldFolder>();
  /**
   * The folders that are in use. A rename uses two folders at the same time, and opening one of them must not close
   * the other.
   */
  readonly #inUse: HeldFolder[] = [];
  #turn: "begun" | "over" = "over";

  constructor(by?: HoldingBy) {
    this.#by = by;
  }

  /**
   * Runs `work` with a path that reaches the last part of `path` through real folders, never through a link. `work`
   * must only read. Does not check again whether a cached folder is still in place.
   */
  look<Result>(path: PathBytes, work: (place: string | Buffer) => Result): Result {
    const { folder, name } = splitPath(path);
    return this.within(folder, "look", (held) => work(held.at(name === "" ? "." : name)));
  }

  /**
   * Like `look`, but for `work` that changes something. `work` runs in the folder that was read before, and only while
   * that folder is in place. Otherwise, this method throws PARENT_CHANGED. With "checks", `work` may already have
   * changed something elsewhere by the time this method throws.
   */
  change<Result>(path: PathBytes, work: (place: string | Buffer) => Result): Result {
    const { folder, name } = splitPath(path);
    return this.within(folder, "change", (held) => work(held.at(name)));
  }

  within<Result>(folder: PathBytes, does: FolderUse, work: (held: HeldFolder) => Result): Result {
    const held = this.#hold(folder, does);
    this.#inUse.push(held);
    try {
      const result = work(held);
      if (this.by === "checks") held.requireStill();
      return result;
    } catch (error) {
      throw held.restated(error);
    } finally {
      this.#inUse.pop();
      if (this.#held.get(folder) !== held) this.#letGo(held);
    }
  }

  /** Checks whether a path currently leads to a folder through real folders only. */
  isPlainFolder(path: PathBytes): boolean {
    try {
      return this.within(path, "list", () => true);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return false;
    }
  }

  /** Removes a path and everything below it from the cache, after this process has moved or removed it. */
  forget(path: PathBytes): void {
    for (const [each, held] of this.#held) {
      if (!isWithin(each, path)) continue;
      this.#held.delete(each);
      this.#letGo(held);
    }
  }

  release(): void {
    const all = [...this.#held.values()];
    this.#held.clear();
    for (const held of all) this.#letGo(held);
  }

  /** Closes the folder, unless it is in use. In that case, `within` closes the folder when `work` has ended. */
  #letGo(held: HeldFolder): void {
    if (!this.#inUse.includes(held)) held.close();
  }

  get by(): HoldingBy {
    return this.#by ?? holdingBy();
  }

  #hold(folder: PathBytes, does: FolderUse): HeldFolder {
    if (does === "list" && this.#held.get(folder)?.isStill() === false) this.forget(folder);
    const known = this.#held.get(folder);
    if (known === undefined) {
      const held = this.#open(folder);
      if (held.isFindable) this.#remember(folder, held);
      return held;
    }
    if (does === "change" || this.by === "checks") {
      if (known.isStill()) return known;
      this.forget(folder);
      throw parentChanged(folder);
    }
    return known;
  }

  #open(folder: PathBytes): HeldFolder {
    try {
      return new HeldFolder(folder, this.by);
    } catch (error) {
      if (!isOutOfHandles(error) || this.#held.size === 0) throw error;
      this.release();
      return new HeldFolder(folder, this.by);
    }
  }

  #remember(folder: PathBytes, held: HeldFolder): void {
    this.#held.set(folder, held);
    for (const [oldest, other] of this.#held) {
      if (this.#held.size <= MAX_HELD) break;
      this.#held.delete(oldest);
      this.#letGo(other);
    }
    if (this.#turn === "begun") return;
    this.#turn = "begun";
    queueMicrotask(() => {
      this.#turn = "over";
      this.release();
    });
  }
}

/** The only instance, which all calls in this thread share. */
export const heldFolders: HeldFolders = new HeldFolders();

/** Mode for folders whose permissions are limited only by the umask. */
export const ANY_MODE = 0o777;

/**
 * Runs `work` with a folder that is held until `work` ends. If `make` is given, creates the folder and any missing
 * folders above it with that mode.
 */
export async function inHeldFolder<Result>(
  folder: PathBytes,
  work: (held: HeldFolder) => Promise<Result>,
  { make }: { readonly make?: number } = {},
): Promise<Result> {
  const held = make === undefined ? new HeldFolder(folder) : holdOrMake(folder, make);
  try {
    return await work(held);
  } catch (error) {
    throw held.restated(error);
  } finally {
    held.close();
  }
}

function holdOrMake(folder: PathBytes, mode: number): HeldFolder {
  try {
    return new HeldFolder(folder);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT" || folder === "") throw error;
  }
  const above = holdOrMake(splitPath(folder).folder, mode);
  try {
    mkdirSync(above.at(splitPath(folder).name), mode);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw above.restated(error);
  } finally {
    above.close();
  }
  return new HeldFolder(folder);
}

/**
 * Writes a file that must not exist yet, at a path that a held folder provided. The mode is set last, so that the
 * umask does not affect it.
 */
export function writeNewHeld(place: string | Buffer, bytes: Uint8Array, mode: number): void {
  const file = openSync(place, "wx", 0o600);
  try {
    writeFileSync(file, bytes);
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}
