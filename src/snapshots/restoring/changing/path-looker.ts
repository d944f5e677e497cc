import { type FileState, folderOf, type PathBytes, pathIn } from "../../../record/files.ts";
import { isGitName } from "../../../record/git-name.ts";
import { hashObject } from "../../objects/hash-object.ts";
import type { PathStat, WorkspaceDisk } from "../../workspace/workspace-disk.ts";

/** What keeps a path from being reached without going through a link. */
export interface Obstacle {
  readonly path: PathBytes;
  readonly kind: "link" | "missing" | "other";
}

/** What stands at a path now. */
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
export class PathLooker {
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

  /** The first thing on the way from the root to `path` that is no folder. */
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

  /** Whether nobody has touched it since it was seen: asked again right before it is replaced. */
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
export function foldersAbove(path: PathBytes): PathBytes[] {
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

/** The path of something that stands beside `path`. */
export function beside(path: PathBytes, name: PathBytes): PathBytes {
  return pathIn(folderOf(path), name);
}
