import { type FileState, folderOf, isGitName, type PathBytes, pathIn } from "../../record/files.ts";
import { byBytes } from "../comparing/compare.ts";
import { hashObject } from "../objects/object.ts";
import type { PathStat, WorkspaceDisk } from "../workspace/workspace-disk.ts";
import { passOver } from "./outcome.ts";

/** What keeps a path from being reached without going through a link. */
export interface Obstacle {
  readonly path: PathBytes;
  readonly kind: "link" | "missing" | "other";
}

/** What is at a path now. */
export interface Seen {
  readonly stat: PathStat | undefined;
  /** Whether that is `state`. Folders are compared by their mode alone. */
  is(state: FileState | undefined): boolean;
  /** The bytes, if it is a file with just this content, whatever its mode. */
  bytesIf(state: FileState | undefined): Buffer | undefined;
  /** Whether bytes that were read still read the same: a write through a mapping need not move the times of a file. */
  readsTheSame(): boolean;
}

/** Looks at paths of the workspace. Nothing is remembered: anything may have happened since. */
export class PathInspector {
  readonly #root: PathBytes;
  readonly #disk: WorkspaceDisk;
  /** The modes of what we opened for a while, as they were. */
  readonly #ownModes: ReadonlyMap<PathBytes, number>;

  constructor(place: {
    readonly root: PathBytes;
    readonly disk: WorkspaceDisk;
    readonly ownModes: ReadonlyMap<PathBytes, number>;
  }) {
    this.#root = place.root;
    this.#disk = place.disk;
    this.#ownModes = place.ownModes;
  }

  absolute(path: PathBytes): PathBytes {
    return path === "" ? this.#root : `${this.#root}/${path}`;
  }

  /** The first thing on the way from the root to `path` that is not a folder. */
  obstacle(path: PathBytes): Obstacle | undefined {
    // One question, where asking for each folder on the way would cost the square of the depth.
    if (path !== "" && this.#disk.isPlainFolder?.(this.absolute(folderOf(path))) === true) return undefined;
    for (const folder of foldersAbove(path)) {
      const kind = this.#disk.stat(this.absolute(folder))?.kind ?? "missing";
      if (kind === "folder") continue;
      return { path: folder, kind: kind === "link" || kind === "missing" ? kind : "other" };
    }
    return undefined;
  }

  /** Only for a path that no obstacle keeps from. */
  see(path: PathBytes): Seen {
    return this.seeAt(this.absolute(path), this.#ownModes.get(path));
  }

  seeAt(place: PathBytes, ownMode?: number): Seen {
    const stat = this.#disk.stat(place);
    let read: Buffer | undefined;
    const bytesIf = (state: FileState | undefined): Buffer | undefined => {
      if (stat?.kind !== "file" || state?.kind !== "file" || stat.size !== state.size) return undefined;
      read ??= this.#disk.readFile(place).bytes;
      return hashObject("content", read) === state.hash ? read : undefined;
    };
    const is = (state: FileState | undefined): boolean => {
      if (stat === undefined || state === undefined) return stat === state;
      if (stat.kind !== state.kind) return false;
      switch (state.kind) {
        case "file":
          return (ownMode ?? stat.mode) === state.mode && bytesIf(state) !== undefined;
        case "folder":
          return (ownMode ?? stat.mode) === state.mode;
        case "link":
          return this.#disk.readLink(place) === state.target;
        default:
          return false;
      }
    };
    const readsTheSame = (): boolean => read === undefined || this.#disk.readFile(place).bytes.equals(read);
    return { stat, is, bytesIf, readsTheSame };
  }

  /** Whether it is unchanged since it was seen: checked again right before it is replaced. */
  isUntouched(path: PathBytes, { stat }: Seen): boolean {
    const now = this.#disk.stat(this.absolute(path));
    if (now === undefined || stat === undefined) return now === stat;
    return (
      now.kind === stat.kind &&
      now.inode === stat.inode &&
      now.device === stat.device &&
      now.size === stat.size &&
      now.changedAt === stat.changedAt
    );
  }
}

/** The folders on the way to a path, from the root on; none for the root. */
function foldersAbove(path: PathBytes): PathBytes[] {
  const folders: PathBytes[] = [];
  for (let folder = path; folder !== ""; ) {
    folder = folderOf(folder);
    folders.push(folder);
  }
  return folders.reverse();
}

/**
 * Whether a path names something within the workspace that can be ours to change. `.git` never is, nor is any name that
 * the file systems usual on the platform take for it: what is restored may have been captured on another.
 */
export function isOurs(path: PathBytes, platform: NodeJS.Platform = process.platform): boolean {
  if (path === "") return true;
  return path.split("/").every((name) => isUsable(name, platform) && !isGit(name, platform));
}

function isUsable(name: PathBytes, platform: NodeJS.Platform): boolean {
  if (name === "" || name === "." || name === ".." || name.includes("\0")) return false;
  // There a name with one of these leads to another folder, drive or stream.
  return platform !== "win32" || !/[\\:]/.test(name);
}

/** Where case counts, a name like `.GIT` may be the user's own: `GitNames` asks the file system. */
function isGit(name: PathBytes, platform: NodeJS.Platform): boolean {
  const isForgiving = platform === "darwin" || platform === "win32";
  return name === ".git" || (isForgiving && isGitName(name));
}

/** The path of a sibling of `path`. */
export function beside(path: PathBytes, name: PathBytes): PathBytes {
  return pathIn(folderOf(path), name);
}

/** What the owner needs of a folder to change what is in it. */
export const OPEN = 0o700;

/** What the owner needs of a file to compare it. */
const READABLE = 0o400;

/** A folder that its owner may not change, or a file that its owner may not read, as it is before a restore begins. */
export interface ClosedPath {
  readonly path: PathBytes;
  readonly mode: number;
}

/** The mode that something has while a restore works with it. */
export function openMode(kind: "file" | "folder", mode: number): number {
  return mode | (kind === "folder" ? OPEN : READABLE);
}

/**
 * The modes of folders while a restore runs, and of files that their owner may not read. What is closed to its owner is
 * opened when it has to be changed or compared, and gets its mode at the very end, as do folders whose mode is restored.
 */
export class FolderModes {
  /** As they were, of those that we opened. */
  readonly opened: Map<PathBytes, number>;
  /** What steps want. */
  readonly wanted: Map<PathBytes, number> = new Map();
  readonly #disk: WorkspaceDisk;

  constructor(disk: WorkspaceDisk, opened: Map<PathBytes, number>) {
    this.#disk = disk;
    this.opened = opened;
  }

  /**
   * Opens what is closed on the way to `path`, and a file there or in its way. Only after the system has
   * refused: root needs nothing opened.
   */
  open(path: PathBytes, inspector: PathInspector): void {
    for (const place of [...foldersAbove(path), path]) {
      const stat = this.#disk.stat(inspector.absolute(place));
      if (stat?.kind === "folder" && place !== path) {
        this.#openOne(place, stat, inspector);
        continue;
      }
      // With a second name, which may be outside the workspace, the mode would change there as well.
      if (stat?.kind === "file" && stat.links === 1) this.#openOne(place, stat, inspector);
      return;
    }
  }

  #openOne(path: PathBytes, stat: PathStat, inspector: PathInspector): void {
    const { kind, mode } = stat;
    const open = kind === "file" || kind === "folder" ? openMode(kind, mode) : mode;
    if (open === mode) return;
    this.#disk.chmod(inspector.absolute(path), open, stat);
    if (!this.opened.has(path)) this.opened.set(path, mode);
  }

  /** What had the mode is gone or was replaced. */
  forget(path: PathBytes): void {
    this.opened.delete(path);
    this.wanted.delete(path);
  }

  final(path: PathBytes): number | undefined {
    return this.wanted.get(path) ?? this.opened.get(path);
  }

  /** Gives the path the mode that it is to have, and says whether it has it. */
  close(path: PathBytes, inspector: PathInspector): "closed" | "not-as-it-should-be" {
    const mode = this.final(path);
    const place = inspector.absolute(path);
    if (mode === undefined || inspector.obstacle(path) !== undefined) return "not-as-it-should-be";
    const stat = this.#disk.stat(place);
    if (stat?.kind !== "folder" && stat?.kind !== "file") return "not-as-it-should-be";
    if (stat.mode !== mode) this.#disk.chmod(place, mode, stat);
    return this.#disk.stat(place)?.mode === mode ? "closed" : "not-as-it-should-be";
  }
}

/**
 * The closed folders on the way to these paths, and the closed files at them. The journal names them: should the restore
 * be cut off while they are open, that tells which mode they had.
 */
export function closedPaths(
  paths: readonly PathBytes[],
  inspector: PathInspector,
  disk: WorkspaceDisk,
): ClosedPath[] {
  const closed: ClosedPath[] = [];
  const folders = foldersOf(paths);
  const real = new Set<PathBytes>();
  // Folders come before what they hold, so that the one above is known by then.
  for (const path of [...new Set([...folders, ...paths])].sort(byBytes)) {
    if (path !== "" && !real.has(folderOf(path))) continue;
    const stat = statOf(disk, inspector.absolute(path));
    if (stat?.kind === "folder") real.add(path);
    // The mode of a folder with no steps below it is in its own step.
    if (stat?.kind !== "file" && (stat?.kind !== "folder" || !folders.has(path))) continue;
    if (openMode(stat.kind, stat.mode) !== stat.mode) closed.push({ path, mode: stat.mode });
  }
  return closed;
}

function foldersOf(paths: readonly PathBytes[]): ReadonlySet<PathBytes> {
  const folders = new Set<PathBytes>();
  for (const path of paths) {
    for (let at = path; at !== "" && !folders.has(folderOf(at)); at = folderOf(at)) folders.add(folderOf(at));
  }
  return folders;
}

/** Which of the closed paths a restore that was cut off has left open. */
export function leftOpen(
  closed: readonly ClosedPath[],
  inspector: PathInspector,
  disk: WorkspaceDisk,
): Map<PathBytes, number> {
  const open = new Map<PathBytes, number>();
  for (const { path, mode } of closed) {
    try {
      if (inspector.obstacle(path) !== undefined) continue;
      const stat = statOf(disk, inspector.absolute(path));
      if (stat?.kind !== "file" && stat?.kind !== "folder") continue;
      if (stat.mode === openMode(stat.kind, mode)) open.set(path, mode);
    } catch (error) {
      // Whatever is in it fails by itself, and says so.
      passOver(error);
    }
  }
  return open;
}

/** Undefined where nothing can be looked at: each path there then says so itself. */
function statOf(disk: WorkspaceDisk, place: PathBytes): PathStat | undefined {
  try {
    return disk.stat(place);
  } catch (error) {
    passOver(error);
    return undefined;
  }
}
