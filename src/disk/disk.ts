// biome-ignore lint/performance/noBarrelFile: whoever calls a disk asks what its errors mean, and `machine`, which may not know a disk, asks the same of the record.
export { errnoOf, isMissing } from "../record/error.ts";

/**
 * What the files store needs of a file system. Everything it does goes through here, so that
 * tests can fail any single call, or take the power away after it. Synchronous, because that
 * was measured to be several times faster for small appends than awaiting each call.
 *
 * Calls throw Node's system errors, with their `code`.
 */
export interface Disk {
  /** "read" and "append" want a file that is there, "create" makes one (0600) or throws EEXIST. */
  open(path: string, how: OpenHow): number;
  close(file: number): void;
  /** Fills `into` from `position` on; returns how many bytes there were. */
  read(file: number, into: Uint8Array, position: number): number;
  /** Adds at the end of the file; may write less than it was given. */
  write(file: number, bytes: Uint8Array): number;
  /** When this returns, the file's content survives the loss of power. */
  sync(file: number): void;
  truncate(file: number, size: number): void;

  /** Undefined when nothing is there. Links are not followed. */
  stat(path: string): DiskStat | undefined;
  list(folder: string): string[];
  /** Makes one folder (0700). */
  makeFolder(path: string): void;
  removeFolder(path: string): void;
  /** When this returns, the names in the folder survive the loss of power. */
  syncFolder(path: string): void;
  link(from: string, to: string): void;
  rename(from: string, to: string): void;
  unlink(path: string): void;
}

export type OpenHow = "read" | "append" | "create";

export interface DiskStat {
  readonly kind: "file" | "folder" | "other";
  readonly size: number;
  /** Which file this is, whatever it is called: two names of one file have the same. */
  readonly identity: string;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
}
