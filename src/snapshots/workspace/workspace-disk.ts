import type { PathBytes } from "../../record/files.ts";

/**
 * The file system of a workspace, with names as bytes. All code that reads or changes the workspace uses this
 * interface, so that tests can make any single call fail. Paths are absolute, as `PathBytes`. Links are never followed,
 * neither as the last part of a path nor as a folder on it. If a link replaces a folder in the meantime, a call throws
 * PARENT_CHANGED (`disk/held-folder.ts`). Calls throw Node's system errors, with their `code`.
 */
export interface WorkspaceDisk {
  /** Undefined if the path does not exist. */
  stat(path: PathBytes): PathStat | undefined;
  /**
   * Like `stat`, but with a single system call, which follows a link that replaced a folder on the path. Only for
   * finding what may have changed: no code may read or change anything because of this result alone. Absent if `stat`
   * is as fast.
   */
  quickStat?(path: PathBytes): PathStat | undefined;
  /** The names in a folder, in no particular order. */
  names(folder: PathBytes): PathBytes[];
  /**
   * Reads a whole regular file, and its stat directly before and after that. Never opens anything else, because a FIFO
   * would block, but throws ELOOP or EINVAL. With `atMost`, reading may stop after that many bytes.
   */
  readFile(path: PathBytes, atMost?: number): ReadFile;
  readLink(path: PathBytes): PathBytes;
  /** Whether the path is a folder that is reached through real folders only. Absent, or false, if that is unknown. */
  isPlainFolder?(path: PathBytes): boolean;

  /**
   * Creates a file with these bytes and this mode, whatever the umask. Throws EEXIST if the path exists. The file is
   * durable after `sync`.
   */
  writeNew(path: PathBytes, bytes: Uint8Array, mode: number): void;
  makeLink(path: PathBytes, target: PathBytes): void;
  makeFolder(path: PathBytes, mode: number): void;
  /** Throws ESTALE if the path is no longer what was seen, for example if it is another file with the same name. */
  chmod(path: PathBytes, mode: number, seen: PathStat): void;
  rename(from: PathBytes, to: PathBytes): void;
  unlink(path: PathBytes): void;
  removeFolder(path: PathBytes): void;
  /**
   * Makes files and folders durable. Returns those for which it failed, each with the error. It takes many at once,
   * because waiting for each in turn was measured to take about ten times as long.
   */
  sync(paths: readonly PathBytes[]): Promise<ReadonlyMap<PathBytes, unknown>>;
}

export interface PathStat {
  readonly kind: "file" | "folder" | "link" | "special";
  /** The full twelve bits. */
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
