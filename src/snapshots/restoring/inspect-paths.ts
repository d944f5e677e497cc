import { type FileState, folderOf, isGitName, type PathBytes, pathIn } from "../../record/files.ts";
import { byBytes } from "../comparing/compare.ts";
import { hashObject } from "../objects/object.ts";
import type { PathStat, WorkspaceDisk } from "../workspace/workspace-disk.ts";
import { passOver } from "./outcome.ts";

/** The obstacle that prevents a path from being reached without following a link. */
export interface Obstacle {
  readonly path: PathBytes;
  readonly kind: "link" | "missing" | "other";
}

/** The state of a path at the time when it was examined. */
export interface Seen {
  readonly stat: PathStat | undefined;
  /** Checks whether the path matches `state`. For folders, compares only the modes. */
  is(state: FileState | undefined): boolean;
  /** Returns the bytes at the path if it is a file with exactly this content, regardless of its mode. */
  bytesIf(state: FileState | undefined): Buffer | undefined;
  /**
   * Reads the bytes again, and returns whether they are still the same. Checking the file's times is not enough,
   * because a write through a memory mapping need not change them.
   */
  readsTheSame(): boolean;
}

/**
 * Examines paths in the workspace. Does not cache anything, because other processes may change any path between two
 * calls.
 */
export class PathInspector {
  readonly #root: PathBytes;
  readonly #disk: WorkspaceDisk;
  /** Original modes of the paths that this restore has temporarily made accessible. */
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

  /** Returns the first component above `path`, from the root down, that is not currently a folder. */
  obstacle(path: PathBytes): Obstacle | undefined {
    // A single call is tried first, because checking each folder on the path would take time quadratic in the depth.
    if (path !== "" && this.#disk.isPlainFolder?.(this.absolute(folderOf(path))) === true) return undefined;
    for (const folder of foldersAbove(path)) {
      const kind = this.#disk.stat(this.absolute(folder))?.kind ?? "missing";
      if (kind === "folder") continue;
      return { path: folder, kind: kind === "link" || kind === "missing" ? kind : "other" };
    }
    return undefined;
  }

  /** Examines a path that does not have an obstacle. */
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

  /** Checks whether the path is unchanged since it was examined. Called again right before the path is replaced. */
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

/** Returns the folders above a path, from the root down. Returns an empty array for the root. */
function foldersAbove(path: PathBytes): PathBytes[] {
  const folders: PathBytes[] = [];
  for (let folder = path; folder !== ""; ) {
    folder = folderOf(folder);
    folders.push(folder);
  }
  return folders.reverse();
}

/**
 * Checks whether a path is within the workspace and whether a restore may change it. `.git` must never be changed. The
 * same applies to any name that common file systems on the platform treat as `.git`, because the snapshot may come from
 * another platform.
 */
export function isOurs(path: PathBytes, platform: NodeJS.Platform = process.platform): boolean {
  if (path === "") return true;
  return path.split("/").every((name) => isUsable(name, platform) && !isGit(name, platform));
}

function isUsable(name: PathBytes, platform: NodeJS.Platform): boolean {
  if (name === "" || name === "." || name === ".." || name.includes("\0")) return false;
  // On Windows, a name with one of these characters refers to another folder, drive, or stream.
  return platform !== "win32" || !/[\\:]/.test(name);
}

/**
 * Checks whether the name is treated as `.git` on this platform. On a case-sensitive file system, a name like `.GIT`
 * may be one of the user's own files, so `GitNames` checks the file system.
 */
function isGit(name: PathBytes, platform: NodeJS.Platform): boolean {
  const isForgiving = platform === "darwin" || platform === "win32";
  return name === ".git" || (isForgiving && isGitName(name));
}

/** Returns the path of the entry `name` in the folder that contains `path`. */
export function beside(path: PathBytes, name: PathBytes): PathBytes {
  return pathIn(folderOf(path), name);
}

/** Permissions that the owner needs to change the entries in a folder. */
export const OPEN = 0o700;

/** Permission that the owner needs to read a file in order to compare it. */
const READABLE = 0o400;

/**
 * A folder that its owner is not allowed to change, or a file that its owner is not allowed to read, with its original
 * mode.
 */
export interface ClosedPath {
  readonly path: PathBytes;
  readonly mode: number;
}

/** Returns the mode that a path has while a restore works with it. */
export function openMode(kind: "file" | "folder", mode: number): number {
  return mode | (kind === "folder" ? OPEN : READABLE);
}

/**
 * Manages modes during a restore. Folders and files that are inaccessible to their owner are made accessible when they
 * must be changed or compared. Their final modes, and those of folders whose mode is restored, are set at the very end.
 */
export class FolderModes {
  /** The original modes of the paths that were made accessible. */
  readonly opened: Map<PathBytes, number>;
  /** The modes that steps have requested. */
  readonly wanted: Map<PathBytes, number> = new Map();
  readonly #disk: WorkspaceDisk;

  constructor(disk: WorkspaceDisk, opened: Map<PathBytes, number>) {
    this.#disk = disk;
    this.opened = opened;
  }

  /**
   * Makes every inaccessible folder above `path` accessible. Does the same for an inaccessible file at the path, or in
   * place of one of these folders. Called only after the system has refused access, because root has access in any
   * case.
   */
  open(path: PathBytes, inspector: PathInspector): void {
    for (const place of [...foldersAbove(path), path]) {
      const stat = this.#disk.stat(inspector.absolute(place));
      if (stat?.kind === "folder" && place !== path) {
        this.#openOne(place, stat, inspector);
        continue;
      }
      // If the file has a second hard link, which may be outside the workspace, setting the mode here would also change
      // the mode there.
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

  /** Forgets the modes of a path that no longer exists or was replaced. */
  forget(path: PathBytes): void {
    this.opened.delete(path);
    this.wanted.delete(path);
  }

  final(path: PathBytes): number | undefined {
    return this.wanted.get(path) ?? this.opened.get(path);
  }

  /** Sets the final mode of a path, and returns whether the path has that mode. */
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
 * Returns the paths that are inaccessible to their owner: folders above these paths, and files at these paths. The
 * journal records their modes, so that the modes are known if the restore is interrupted while the paths are
 * accessible.
 */
export function closedPaths(
  paths: readonly PathBytes[],
  inspector: PathInspector,
  disk: WorkspaceDisk,
): ClosedPath[] {
  const closed: ClosedPath[] = [];
  const folders = foldersOf(paths);
  const real = new Set<PathBytes>();
  // Folders come before their contents, so the parent folder has already been examined.
  for (const path of [...new Set([...folders, ...paths])].sort(byBytes)) {
    if (path !== "" && !real.has(folderOf(path))) continue;
    const stat = statOf(disk, inspector.absolute(path));
    if (stat?.kind === "folder") real.add(path);
    // If there are no steps below a folder, the folder need not be made accessible, and its own step contains the mode.
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

/** Returns the paths that a restore had made accessible when it was interrupted, with their original modes. */
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
      // Each path in this folder fails separately, and its outcome reports the failure.
      passOver(error);
    }
  }
  return open;
}

/**
 * Returns the stat of the path, or undefined if the path cannot be examined. In that case, the step for each affected
 * path reports the problem.
 */
function statOf(disk: WorkspaceDisk, place: PathBytes): PathStat | undefined {
  try {
    return disk.stat(place);
  } catch (error) {
    passOver(error);
    return undefined;
  }
}
