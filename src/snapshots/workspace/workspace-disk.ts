import type { PathBytes } from "../../record/files.ts";

/**
 * The file system of a workspace, with names as bytes. Everything that looks at the workspace or changes it goes
 * through here, so that tests can fail any single call. Absolute paths as `PathBytes`. No link is ever followed, neither as
 * the last part of a path nor as a folder on the way to it, also where one takes a folder's place meanwhile: then a call
 * throws PARENT_CHANGED (`disk/held-folder.ts`). Calls throw Node's system errors, with their `code`.
 */
export interface WorkspaceDisk {
  /** Undefined when nothing is there. */
  stat(path: PathBytes): PathStat | undefined;
  /**
   * As `stat`, in one call of the system: it follows a link that took the place of a folder on the way. Only to find what may
   * have changed; nothing is read or changed because of it alone. Absent: `stat` is as quick.
   */
  quickStat?(path: PathBytes): PathStat | undefined;
  /** The names in a folder, in no order. */
  names(folder: PathBytes): PathBytes[];
  /**
   * The whole of a regular file, with what it looked like right before and right after it was read. Never opens
   * anything else (a FIFO would block): then it throws ELOOP or EINVAL. With `atMost` it may end there.
   */
  readFile(path: PathBytes, atMost?: number): ReadFile;
  readLink(path: PathBytes): PathBytes;
  /** Whether the path is a folder that is reached through folders only. Absent, or false, where that is unknown. */
  isPlainFolder?(path: PathBytes): boolean;

  /** Makes a new file with these bytes and this mode, whatever the umask; EEXIST where something is there. Durable after `sync`. */
  writeNew(path: PathBytes, bytes: Uint8Array, mode: number): void;
  makeLink(path: PathBytes, target: PathBytes): void;
  makeFolder(path: PathBytes, mode: number): void;
  /** Throws ESTALE where something else is there than what was seen, such as another file by the same name. */
  chmod(path: PathBytes, mode: number, seen: PathStat): void;
  rename(from: PathBytes, to: PathBytes): void;
  unlink(path: PathBytes): void;
  removeFolder(path: PathBytes): void;
  /**
   * Makes files and folders durable; says of which that failed, and why. Many at once: waiting for each in turn was measured
   * to take some ten times as long.
   */
  sync(paths: readonly PathBytes[]): Promise<ReadonlyMap<PathBytes, unknown>>;
}

export interface PathStat {
  readonly kind: "file" | "folder" | "link" | "special";
  /** The twelve bits. */
  readonly mode: number;
  readonly size: number;
  readonly links: number;
  readonly device: number;
  readonly inode: number;
  /** Milliseconds since 1970, with fractions. */
  readonly modifiedAt: number;
  /** When anything about it last changed, which no program can set. */
  readonly changedAt: number;
}

export interface ReadFile {
  readonly bytes: Buffer;
  readonly before: PathStat;
  readonly after: PathStat;
}
