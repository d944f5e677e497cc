import type { ObjectHash } from "./ids.ts";

/**
 * A path within the workspace, or one name of it: one character for each byte, so that every name that a
 * file system can hold is a string, and comparing strings compares bytes. Parts are joined with `/`; the
 * workspace itself is "". `shownPath` makes it readable.
 */
export type PathBytes = string;

/** Why something that is there is not in a snapshot. */
export type LeftOut =
  /** By rule: a large ignored folder, a file over the limit, `.git`, our own store, a FIFO, socket or device. */
  | "ignored"
  | "too-large"
  | "git"
  | "own-store"
  | "special"
  /** By failure: these make a snapshot partial. */
  | "unreadable"
  | "changing"
  /** Too deep: the system takes no path of that length. */
  | "path-too-long";

/** What SQLite keeps beside a database has its name and one of these behind it. */
export const BESIDE_DATABASE = ["-wal", "-shm", "-journal"] as const;

/** What a snapshot knows of one path. Modes are the full twelve bits. */
export type FileState = FileContent | FolderState | LinkState | LeftOutState;

export interface FileContent {
  readonly kind: "file";
  readonly mode: number;
  readonly size: number;
  readonly hash: ObjectHash;
}

export interface FolderState {
  readonly kind: "folder";
  readonly mode: number;
  /** Of the folder's object: equal hashes are equal contents, all the way down. */
  readonly hash: ObjectHash;
}

export interface LinkState {
  readonly kind: "link";
  readonly target: PathBytes;
}

export interface LeftOutState {
  readonly kind: "left-out";
  readonly why: LeftOut;
}

/** How one path differs between two snapshots; undefined where nothing is there. */
export interface PathChange {
  readonly path: PathBytes;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

/** Whether `why` is a failure, which makes a snapshot partial, and not a rule. */
export function isFailure(why: LeftOut): boolean {
  return why === "unreadable" || why === "changing" || why === "path-too-long";
}

/** As a person reads it: UTF-8 where it is that, else each byte that is not ASCII as `\xNN`. */
export function shownPath(path: PathBytes): string {
  return textOfPath(path) ?? path.replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}

/** The path as UTF-8 text, or undefined where its bytes are none. */
export function textOfPath(path: PathBytes): string | undefined {
  if (!/[\x80-\xff]/.test(path)) return path;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(path, (byte) => byte.charCodeAt(0)),
    );
  } catch {
    return undefined;
  }
}

export function pathOfText(text: string): PathBytes {
  if (!/[\x80-\uffff]/.test(text)) return text;
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}

/** The path of `name` in `folder`. */
export function pathIn(folder: PathBytes, name: PathBytes): PathBytes {
  return folder === "" ? name : `${folder}/${name}`;
}

/** The folder that a path is in; "" for what stands in the workspace itself. */
export function folderOf(path: PathBytes): PathBytes {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Whether `path` is `above` or lies within it. */
export function isWithin(path: PathBytes, above: PathBytes): boolean {
  return above === "" || path === above || path.startsWith(`${above}/`);
}

/** Whether two states are the same to a person: folders are compared by mode alone. */
export function isSameState(a: FileState | undefined, b: FileState | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.kind === "file" && b.kind === "file") return a.hash === b.hash && a.mode === b.mode;
  if (a.kind === "folder" && b.kind === "folder") return a.mode === b.mode;
  if (a.kind === "link" && b.kind === "link") return a.target === b.target;
  return a.kind === "left-out" && b.kind === "left-out" && a.why === b.why;
}
