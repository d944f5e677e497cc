import type { Entry } from "./entry.ts";
import type { BlobHash, ObjectHash } from "./ids.ts";

/**
 * A path within the workspace, or one name in it, as a string with one character per byte. This form can represent any
 * name that a file system allows, and comparing two such strings compares their bytes. Parts are joined with `/`, and
 * the workspace itself is "". `shownPath` makes a path readable.
 */
export type PathBytes = string;

/** Reasons why an existing path is not in a snapshot. */
export type LeftOut =
  /**
   * Paths left out by rule: large ignored folders, files over the size limit, `.git`, our own store, and FIFOs,
   * sockets, and devices.
   */
  | "ignored"
  | "too-large"
  | "git"
  | "own-store"
  | "special"
  /** Paths left out because of a failure. Such paths make the snapshot partial. */
  | "unreadable"
  | "changing"
  /** The path is longer than the operating system allows. */
  | "path-too-long";

/** Suffixes that SQLite adds to a database's name to form the names of the files that it keeps next to the database. */
export const BESIDE_DATABASE = ["-wal", "-shm", "-journal"] as const;

/** What a snapshot records for one path. Modes include all twelve bits. */
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
  /** The hash of the folder's object. Equal hashes mean equal contents at every level. */
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

/**
 * How a path differs between two snapshots. `before` or `after` is undefined if the path does not exist in that
 * snapshot.
 */
export interface PathChange {
  readonly path: PathBytes;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

/** Checks whether `why` is a failure rather than a rule. Only failures make a snapshot partial. */
export function isFailure(why: LeftOut): boolean {
  return why === "unreadable" || why === "changing" || why === "path-too-long";
}

/** The path for display, as UTF-8 if that is valid. Otherwise, each non-ASCII byte is shown as `\xNN`. */
export function shownPath(path: PathBytes): string {
  return textOfPath(path) ?? path.replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}

/** The path as UTF-8 text; undefined if its bytes are not valid UTF-8. */
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

/** The folder that contains a path; "" if the folder is the workspace itself. */
export function folderOf(path: PathBytes): PathBytes {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Checks whether `path` is equal to `above` or inside it. */
export function isWithin(path: PathBytes, above: PathBytes): boolean {
  return above === "" || path === above || path.startsWith(`${above}/`);
}

/** Checks whether two states look the same to the user. For folders, compares only the modes. */
export function isSameState(a: FileState | undefined, b: FileState | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.kind === "file" && b.kind === "file") return a.hash === b.hash && a.mode === b.mode;
  if (a.kind === "folder" && b.kind === "folder") return a.mode === b.mode;
  if (a.kind === "link" && b.kind === "link") return a.target === b.target;
  return a.kind === "left-out" && b.kind === "left-out" && a.why === b.why;
}

/** Characters that some file systems, such as macOS's, ignore when they compare names. */
const PASSED_OVER = /\p{Default_Ignorable_Code_Point}|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/**
 * Converts a name to the form that the least strict file system would use to compare it. The result is in lowercase. It
 * omits ignored characters and everything that Windows drops: dots and spaces at the end, and a stream name after `:`.
 * It ends before a `\`, which separates folders on Windows. If two names could refer to the same file on any system,
 * the result is the same for both.
 */
export function foldedName(name: string): string {
  const [first = ""] = name.normalize("NFKC").split(/[:\\]/u);
  return first
    .replace(PASSED_OVER, "")
    .toLowerCase()
    .replace(/[. ]+$/u, "");
}

/**
 * Checks whether any file system treats the name as `.git`, according to the rules that git itself applies to names in
 * repositories: `.GIT`, `.git. `, `git~1`, `.g\u200cit`, `.git::$INDEX_ALLOCATION`. On a case-sensitive file system,
 * the user's own files may have such names, but imported files must never have them.
 */
export function isGitAlias(name: string): boolean {
  if (!isWorthFolding(name)) return false;
  const folded = foldedName(name);
  return folded === ".git" || folded === "git~1";
}

/** Like `isGitAlias`, but for a name given as `PathBytes`. */
export function isGitName(name: PathBytes): boolean {
  return isWorthFolding(name) && isGitAlias(textOfPath(name) ?? name);
}

const DOT = 0x2e;
const SMALL_G = 0x67;
const CASE_BIT = 0x20;
const NOT_ASCII = 0x80;

/** Quickly rules out most names by their first letter, because a capture checks every name. */
function isWorthFolding(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= NOT_ASCII || first === DOT || (first | CASE_BIT) === SMALL_G;
}

/**
 * A change to a file that no snapshot covers. `before` or `after` is absent if the file did not exist at that time.
 */
export interface OutsideChange {
  /** An absolute path without symbolic links in any part. */
  readonly path: string;
  readonly before?: OutsideState;
  readonly after?: OutsideState;
}

export type OutsideState = OutsideFile | OutsideUnknown;

/** A regular file whose bytes are stored as one of the session's blobs. */
export interface OutsideFile {
  readonly blob: BlobHash;
  /** All twelve bits of the mode. */
  readonly mode: number;
  readonly size: number;
}

/** The state of a path that existed, but whose content is not stored. */
export interface OutsideUnknown {
  readonly why: (typeof OUTSIDE_WHY)[number];
}

/**
 * "special": the path is not a regular file, or it leads through a link. "forgotten": the user removed the file's
 * content with `forget`.
 */
export const OUTSIDE_WHY = ["too-large", "special", "unreadable", "changing", "forgotten"] as const;

/**
 * The changes to files that no snapshot covers, as recorded in an entry. These changes were made by a tool or planned
 * by a journey. In other kinds of entries, a field with the same name is from another program and can have any value.
 */
export function outsideOf(entry: Entry): readonly OutsideChange[] {
  switch (entry.kind) {
    case "tool-end":
    case "backtrack":
    case "rewind":
    case "redo":
      return entry.outside ?? [];
    default:
      return [];
  }
}

export function outsideBlobsOf(entry: Entry): readonly BlobHash[] {
  return outsideOf(entry).flatMap(({ before, after }) =>
    [before, after].flatMap((state) => (isOutsideFile(state) ? [state.blob] : [])),
  );
}

export function isOutsideFile(state: OutsideState | undefined): state is OutsideFile {
  return state !== undefined && "blob" in state;
}

/** Checks whether two states are known to be equal. An unknown state is not equal to any state, not even itself. */
export function isSameOutside(a: OutsideState | undefined, b: OutsideState | undefined): boolean {
  if (a === undefined) return b === undefined;
  return isOutsideFile(a) && isOutsideFile(b) && a.blob === b.blob && a.mode === b.mode;
}

/** Returns the entry without its absolute paths, because they would refer to different files on another machine. */
export function withoutOutside(entry: Entry): Entry {
  if (outsideOf(entry).length === 0) return entry;
  const { outside: _outside, ...rest } = entry as Entry & { readonly outside?: unknown };
  return rest as Entry;
}

/**
 * Details of a path's outcome if its old content was not simply written back. "not-restorable": the path no longer
 * exists and was never in a snapshot, so it could not be restored. "parent-changed": the restore failed because a
 * folder above the path was replaced at the same time.
 */
export type OutcomeDetail = "created" | "removed" | "merged" | "not-restorable" | "parent-changed";

/** The number of paths with each outcome in a journey. Each path is counted once. */
export interface OutcomeCounts {
  readonly restored: number;
  readonly created: number;
  readonly removed: number;
  readonly merged: number;
  readonly kept: number;
  readonly notRestorable: number;
  readonly failed: number;
}

/**
 * The counts in the form used in logs. Older logs have only `restored`, `kept`, and `failed`, which include the other
 * counts.
 */
export type LoggedCounts = Pick<OutcomeCounts, "restored" | "kept" | "failed"> & Partial<OutcomeCounts>;
