import type { Entry } from "./entry.ts";
import type { BlobHash, ObjectHash } from "./ids.ts";

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

/** Unicode characters that file systems pass over when they compare names, among them those that macOS does. */
const PASSED_OVER = /\p{Default_Ignorable_Code_Point}|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

/**
 * A name as the most forgiving file system would take it: without letter case, without characters that are passed
 * over, without what Windows drops (dots and spaces at the end, a stream behind `:`) and up to a `\`, which
 * separates folders there. Two names that may be the same file somewhere are the same here.
 */
export function foldedName(name: string): string {
  const [first = ""] = name.normalize("NFKC").split(/[:\\]/u);
  return first
    .replace(PASSED_OVER, "")
    .toLowerCase()
    .replace(/[. ]+$/u, "");
}

/**
 * Whether some file system takes the name for `.git`, as git itself judges names that come from others: `.GIT`,
 * `.git. `, `git~1`, `.g\u200cit`, `.git::$INDEX_ALLOCATION`. Where file names are case-sensitive, a file of the user's own may
 * well be called so; but nothing that comes from outside may.
 */
export function isGitAlias(name: string): boolean {
  if (!isWorthFolding(name)) return false;
  const folded = foldedName(name);
  return folded === ".git" || folded === "git~1";
}

/** The same of a name in bytes, as file systems have it. */
export function isGitName(name: PathBytes): boolean {
  return isWorthFolding(name) && isGitAlias(textOfPath(name) ?? name);
}

const DOT = 0x2e;
const SMALL_G = 0x67;
const CASE_BIT = 0x20;
const NOT_ASCII = 0x80;

/** Most names are told apart by their first letter, and a capture asks about every one. */
function isWorthFolding(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= NOT_ASCII || first === DOT || (first | CASE_BIT) === SMALL_G;
}

/** A file where no snapshot reaches, before and after; absent where nothing was there. */
export interface OutsideChange {
  /** Absolute and real: no part of it was a link. */
  readonly path: string;
  readonly before?: OutsideState;
  readonly after?: OutsideState;
}

export type OutsideState = OutsideFile | OutsideUnknown;

/** A plain file. Its bytes are a blob of the session. */
export interface OutsideFile {
  readonly blob: BlobHash;
  /** The full twelve bits. */
  readonly mode: number;
  readonly size: number;
}

/** Something is or was there that is not kept. */
export interface OutsideUnknown {
  readonly why: (typeof OUTSIDE_WHY)[number];
}

/** "special": no plain file, or behind a link. "forgotten": its owner let go of it. */
export const OUTSIDE_WHY = ["too-large", "special", "unreadable", "changing", "forgotten"] as const;

/** What an entry says of files where no snapshot reaches: what a tool changed, or what a journey was to change. */
export function outsideOf(entry: Entry): readonly OutsideChange[] {
  return "outside" in entry ? (entry.outside ?? []) : [];
}

export function outsideBlobsOf(entry: Entry): readonly BlobHash[] {
  return outsideOf(entry).flatMap(({ before, after }) =>
    [before, after].flatMap((state) => (isOutsideFile(state) ? [state.blob] : [])),
  );
}

export function isOutsideFile(state: OutsideState | undefined): state is OutsideFile {
  return state !== undefined && "blob" in state;
}

/** What is not known equals nothing, not even itself. */
export function isSameOutside(a: OutsideState | undefined, b: OutsideState | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return isOutsideFile(a) && isOutsideFile(b) && a.blob === b.blob && a.mode === b.mode;
}

/** The entry for another machine, where its paths mean other files. */
export function withoutOutside(entry: Entry): Entry {
  if (outsideOf(entry).length === 0) return entry;
  const { outside: _outside, ...rest } = entry as Entry & { readonly outside?: unknown };
  return rest as Entry;
}

/**
 * How a path was restored, where its old content was not simply put back; for one that was kept, that there is nothing to
 * keep: it is gone, and no snapshot ever had it; for one that failed, that a folder on the way to it was replaced meanwhile.
 */
export type OutcomeDetail = "created" | "removed" | "merged" | "not-restorable" | "parent-changed";

/** How many paths of a journey went which way. Each path is counted once. */
export interface OutcomeCounts {
  readonly restored: number;
  readonly created: number;
  readonly removed: number;
  readonly merged: number;
  readonly kept: number;
  readonly notRestorable: number;
  readonly failed: number;
}

/** As a log has them: older ones count only three ways, and the others among those. */
export type LoggedCounts = Pick<OutcomeCounts, "restored" | "kept" | "failed"> & Partial<OutcomeCounts>;
