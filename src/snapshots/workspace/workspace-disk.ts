import type { PathBytes } from "../../record/files.ts";

/**
 * The file system of a workspace, with names as bytes. All code that reads or changes the workspace uses this
 * interface, so that tests can make any single call fail. Paths are absolute, as `PathBytes`. Links are never
 * followed, neither as the last part of a path nor as a folder on it. If a link replaces a folder during a call, the
 * call throws PARENT_CHANGED (`disk/held-folder.ts`). Calls throw Node's system errors, with their `code`.
 */
export interface WorkspaceDisk {
  /** Returns the stat of the path; undefined if it does not exist. */
  stat(path: PathBytes): PathStat | undefined;
  /**
   * Like `stat`, but with a single system call, which follows a link that replaced a folder on the path. Only for
   * finding what may have changed: no code may read or change anything based on this result alone. Absent if `stat` is
   * just as fast.
   */
  quickStat?(path: PathBytes): PathStat | undefined;
  /** The names in a folder, in no particular order. */
  names(folder: PathBytes): PathBytes[];
  /**
   * Reads a whole regular file, and its stat directly before and after that. Throws ELOOP or EINVAL for anything else,
   * which is never opened, because a FIFO would block. With `atMost`, reading may stop after that many bytes.
   */
  readFile(path: PathBytes, atMost?: number): ReadFile;
  readLink(path: PathBytes): PathBytes;
  /**
   * Whether the path is a folder that is reached only through real folders. If that is unknown, the method is absent
   * or returns false.
   */
  isPlainFolder?(path: PathBytes): boolean;

  /**
   * Creates a file with these bytes and this mode, regardless of the umask. Throws EEXIST if the path exists. The file
   * is durable after `sync`.
   */
  writeNew(path: PathBytes, bytes: Uint8Array, mode: number): void;
  makeLink(path: PathBytes, target: PathBytes): void;
  makeFolder(path: PathBytes, mode: number): void;
  /**
   * Changes the mode of a path. Throws ESTALE if the path is no longer what was seen, for example, if it is another
   * file with the same name.
   */
  chmod(path: PathBytes, mode: number, seen: PathStat): void;
  rename(from: PathBytes, to: PathBytes): void;
  unlink(path: PathBytes): void;
  removeFolder(path: PathBytes): void;
  /**
   * Makes files and folders durable. Returns the paths for which that failed, each with the error. Takes many paths at
   * once, because syncing one after the other was measured to take about ten times as long.
   */
  sync(paths: readonly PathBytes[]): Promise<ReadonlyMap<PathBytes, unknown>>;
}

export interface PathStat {
  readonly kind: "file" | "folder" | "link" | "special";
  /** All twelve bits of the mode. */
  readonly mode: number;
  readonly size: number;
  readonly links: number;
  readonly device: number;
  readonly inode: number;
  /** Milliseconds since 1970, with fractions. */
  readonly modifiedAt: number;
  /** When anything about the path last changed. No program can set this time. */
  readonly changedAt: number;
}

export interface ReadFile {
  readonly bytes: Buffer;
  readonly before: PathStat;
  readonly after: PathStat;
}
