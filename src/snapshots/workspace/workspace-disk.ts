import type { PathBytes } from "../../record/files.ts";

/**
 * The file system of a workspace, with names as bytes. All code that reads or changes the workspace uses this
 * interface, so that tests can make any single call fail. Paths are absolute and have the type `PathBytes`. Links are
 * never followed, whether as the last part of a path or as a folder on the path. If a link replaces a folder during a
 * call, the call throws PARENT_CHANGED (`disk/held-folder.ts`). Calls throw Node's system errors, including the `code`.
 */
export interface WorkspaceDisk {
  /** Returns the stat of the path, or undefined if the path does not exist. */
  stat(path: PathBytes): PathStat | undefined;
  /**
   * Like `stat`, but makes a single system call. The call follows a link if the link replaced a folder on the path.
   * Must be used only to find what may have changed. Code must not read or change anything based on this result alone.
   * Absent if `stat` is just as fast.
   */
  quickStat?(path: PathBytes): PathStat | undefined;
  /** Returns the names in a folder, in no particular order. */
  names(folder: PathBytes): PathBytes[];
  /**
   * Reads a whole regular file, and its stat directly before and after reading. Throws ELOOP or EINVAL for anything
   * other than a regular file, and never blocks on a FIFO. With `atMost`, reading may stop after that many bytes.
   */
  readFile(path: PathBytes, atMost?: number): ReadFile;
  readLink(path: PathBytes): PathBytes;
  /**
   * Checks whether the path is a folder that is reached only through real folders. If the answer cannot be determined,
   * the method is absent or returns false.
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
   * Changes the mode of a path. Throws ESTALE if the path no longer refers to what was seen, for example, if another
   * file now has the same name.
   */
  chmod(path: PathBytes, mode: number, seen: PathStat): void;
  rename(from: PathBytes, to: PathBytes): void;
  unlink(path: PathBytes): void;
  removeFolder(path: PathBytes): void;
  /**
   * Makes files and folders durable. Returns the paths that could not be made durable, each with the error. Takes many
   * paths at once, because syncing one path after another was measured to take about ten times as long.
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
  /** The time of the last change to the content, in milliseconds since 1970, with fractions. */
  readonly modifiedAt: number;
  /** The time of the last change of any kind to the path, in milliseconds since 1970. Programs cannot set this time. */
  readonly changedAt: number;
}

export interface ReadFile {
  readonly bytes: Buffer;
  readonly before: PathStat;
  readonly after: PathStat;
}
