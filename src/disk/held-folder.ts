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

/** What Node needs to reach exactly these bytes: text where the path is ASCII, which is faster, else bytes. */
export function nodePath(path: PathBytes): string | Buffer {
  // A regular expression is the quickest way to ask.
  return !/[\x80-\xff]/.test(path) ? path : Buffer.from(path, "latin1");
}

/** "handles": through `/proc/self/fd`. "checks": the way is checked before and after, where there is no such thing. */
export type HoldingBy = "handles" | "checks";

/** Only names what it opens, which needs no right to read it. Linux only; Node has no name for it. */
export const O_PATH = 0o10_000_000;
const FOLDER = O_PATH | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** A folder on the way to a path was replaced or is a link: what is there now must not be touched. */
export const PARENT_CHANGED = "PARENT_CHANGED";

export function isParentChanged(error: unknown): boolean {
  return errnoOf(error) === PARENT_CHANGED;
}

function parentChanged(folder: PathBytes): Error {
  const message = `A folder on the way to ${shownPath(folder)} was replaced, or is a link.`;
  return Object.assign(new Error(message), { code: PARENT_CHANGED });
}

/**
 * A folder that was reached through folders only, and that names are then reached from. On Linux it stays the same folder
 * whatever another process puts in its place, because each call goes through a handle (Node has no `openat`). Elsewhere it
 * is only known which one it was, and `requireStill` after a call tells that it went elsewhere.
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

  /** What Node reaches a name in the folder by; without a name, what opens or lists the folder itself, whatever its mode. */
  at(name?: PathBytes): string | Buffer {
    if (name === undefined) return nodePath(this.#prefix === "" ? "/" : this.#prefix);
    return nodePath(`${this.#prefix}/${name}`);
  }

  setMode(mode: number): void {
    chmodSync(this.at(), mode);
  }

  /** Whether the folder can be found again by `path` alone. Where not, it must not be remembered. */
  get isFindable(): boolean {
    return this.#way.isFindable;
  }

  /** Whether the path still leads to this folder, through folders only. */
  isStill(): boolean {
    return this.#way.isStill();
  }

  requireStill(): void {
    if (!this.isStill()) throw parentChanged(this.path);
  }

  /** A system error in the words of the path that was asked for. */
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
      // A link is on the way, or the system calls a folder otherwise, as one that does not tell cases apart may.
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

/** By which path the system would get there now: it knows no links in it. */
function nameOf(file: number): PathBytes | undefined {
  try {
    return readlinkSync(`${FD}${file}`, { encoding: "latin1" });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** One call for the whole way; undefined where it must be walked to say what is wrong with it. */
function tryToOpen(path: PathBytes): number | undefined {
  try {
    return openSync(nodePath(path), FOLDER);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== "ENOTDIR" && errno !== "ELOOP") throw error;
    return undefined;
  }
}

/** Opens one folder after the other, each from the one above it. */
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

/** Where folders cannot be held: which folder it was is remembered, and asked again. */
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
    // Once more: the way may have been another when the folder at its end was looked at.
    requirePlainWay(path);
    if (!this.isStill()) throw parentChanged(path);
  }

  /** Another folder has another number, so the folders above need not be asked again. */
  isStill(): boolean {
    const now = lstatSync(nodePath(this.#path), { throwIfNoEntry: false });
    return now?.isDirectory() === true && isSame(now, this.#stats);
  }

  close(): void {
    // Nothing is open.
  }
}

function requirePlainWay(path: PathBytes): void {
  for (const at of foldersTo(path)) {
    const stats = lstatSync(nodePath(at));
    if (stats.isSymbolicLink()) throw parentChanged(path);
    if (!stats.isDirectory())
      throw Object.assign(new Error(`${shownPath(at)} is no folder`), { code: "ENOTDIR" });
  }
}

function foldersTo(path: PathBytes): PathBytes[] {
  const parts = path.split(SEPARATORS);
  // The first is what comes before the root: nothing, or on Windows a drive.
  return parts.slice(1).map((_, index) => parts.slice(0, index + 2).join("/"));
}

const SEPARATORS = process.platform === "win32" ? /[\\/]/ : /\//;

function isSame(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

let supported: HoldingBy | undefined;

/** Asked of the system once: `/proc` may not be mounted, or may not be all of it. */
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
    // Without a handle to spare, which says nothing about the system: the next one asks again.
    if (isOutOfHandles(error)) throw error;
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function isOutOfHandles(error: unknown): boolean {
  return errnoOf(error) === "EMFILE" || errnoOf(error) === "ENFILE";
}

/** The folder that a path is in, and its name there. */
export function splitPath(path: PathBytes): { readonly folder: PathBytes; readonly name: PathBytes } {
  const at =
    process.platform === "win32"
      ? Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"))
      : path.lastIndexOf("/");
  return { folder: path.slice(0, Math.max(0, at)), name: path.slice(at + 1) };
}

/** "list": a look at the folder itself, which is then the one that is there now. */
export type FolderUse = "look" | "list" | "change";

/** Few, because each is a descriptor, in each thread; paths come in an order in which neighbors follow each other. The oldest goes. */
const MAX_HELD = 4;

/**
 * Folders that were used last, held for the next call, until the code that runs now has ended: so whatever other code of this
 * process does to a folder, the next call sees it, and none keeps a disk from being unmounted.
 */
export class HeldFolders {
  readonly #by: HoldingBy | undefined;
  readonly #held = new Map<PathBytes, HeldFolder>();
  /** A rename needs two at once; neither may go because of the other. */
  readonly #inUse: HeldFolder[] = [];
  #turn: "begun" | "over" = "over";

  constructor(by?: HoldingBy) {
    this.#by = by;
  }

  /**
   * Runs `work`, which only looks, with what reaches the last part of `path` through the folders on the way to it, never through a
   * link. A folder that is held already is not asked again whether it is still in its place.
   */
  look<Result>(path: PathBytes, work: (place: string | Buffer) => Result): Result {
    const { folder, name } = splitPath(path);
    return this.within(folder, "look", (held) => work(held.at(name === "" ? "." : name)));
  }

  /**
   * The same for what changes something: in the folder that was looked at, and only while that is in its place. Throws
   * PARENT_CHANGED where it is not; with "checks" perhaps after `work` has changed something elsewhere.
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

  /** Whether a path leads to a folder now, through folders only. */
  isPlainFolder(path: PathBytes): boolean {
    try {
      return this.within(path, "list", () => true);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return false;
    }
  }

  /** What was at a path, or below it, is gone or elsewhere, and by our own doing. */
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

  /** A folder in use is closed by `within` at its end. */
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

/** For all calls of this thread. */
export const heldFolders: HeldFolders = new HeldFolders();

/** For folders with the mode that the umask leaves. */
export const ANY_MODE = 0o777;

/** Runs `work` with a folder that stays held until it has ended. With `make` it and those above it are made where they are missing, with that mode. */
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

/** Writes a file that must not exist yet, where a held folder reaches it. Its mode is set last, whatever the umask is. */
export function writeNewHeld(place: string | Buffer, bytes: Uint8Array, mode: number): void {
  const file = openSync(place, "wx", 0o600);
  try {
    writeFileSync(file, bytes);
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}
