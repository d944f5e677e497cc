import type { LeftOut, PathBytes } from "../../record/files.ts";
import { REASONS } from "../objects/tree-objects.ts";
import type { PathStat, WorkspaceDisk } from "../workspace/workspace-disk.ts";
import type { Coverage } from "./coverage.ts";
import type { Signature } from "./findings.ts";
import type { IgnoreRules } from "./ignore-rules.ts";

/** Number of values that are stored for each entry. The offsets below show which values these are. */
export const ROW = 5;
const CHANGED = 0;
const MODIFIED = 1;
export const SIZE = 2;
const INODE = 3;
/**
 * Offset of the value that combines the mode (in the low twelve bits), the kind, and the reason why the entry is left
 * out.
 */
export const META = 4;
const MODE_BITS = 0o7777;
export const KIND_BITS = 0o70000;
const KIND_SHIFT = 12;
const WHY_SHIFT = 15;

/**
 * Kinds of entries. "new" means that the name was listed, but the entry has not been examined yet. The order must not
 * change, because manifests contain the indexes.
 */
const KINDS = ["new", "file", "link", "folder", "left-out"] as const;
export const FOLDER_BITS: number = KINDS.indexOf("folder") << KIND_SHIFT;
export type RowKind = (typeof KINDS)[number];

/**
 * States of remembered folders. "lost" means that the folder no longer exists. The walker that owns its parent folder
 * must report this. "forgotten" means that the folder is no longer part of the memory. The order must not change,
 * because manifests contain the indexes.
 */
export const FOLDER_STATES: readonly FolderMemoryState[] = ["walked", "lost", "forgotten", ...REASONS];
type FolderMemoryState = "walked" | "lost" | "forgotten" | LeftOut;

/**
 * Whether a folder is ignored. "top" is an ignored folder whose parent is not ignored. The order must not change,
 * because manifests contain the indexes.
 */
export const IGNORED = ["no", "top", "below"] as const;
type Ignored = (typeof IGNORED)[number];

const NO_ROWS = new Float64Array(0);
const NO_NAMES: PathBytes[] = [];

/**
 * What a walker remembers about one folder: the folder's own signature, and a row of numbers for each name in it,
 * sorted by name.
 */
export class FolderMemory {
  readonly path: PathBytes;
  readonly absolute: PathBytes;
  /** The part that precedes an entry's name in the entry's absolute path. */
  readonly prefix: PathBytes;
  state: FolderMemoryState = "walked";
  ignored: Ignored = "no";
  /** The initial value is NaN, which does not equal any number, so the next scan reads the folder completely. */
  changedAt: number = Number.NaN;
  modifiedAt = 0;
  inode = 0;
  mode = 0;
  rows: Float64Array = NO_ROWS;
  /**
   * The names stay joined in one string, as they were loaded, until they are needed. Splitting them would account for
   * most of the loading time.
   */
  #names: PathBytes[] | string = NO_NAMES;

  constructor(path: PathBytes, root: PathBytes) {
    this.path = path;
    this.absolute = path === "" ? root : `${root}/${path}`;
    this.prefix = `${this.absolute}/`;
  }

  get names(): PathBytes[] {
    if (typeof this.#names === "string") this.#names = this.#names === "" ? NO_NAMES : this.#names.split("/");
    return this.#names;
  }

  /** The names in one string, as `fillFrom` expects them. */
  get joined(): string {
    return typeof this.#names === "string" ? this.#names : this.#names.join("/");
  }

  get name(): PathBytes {
    return this.path.slice(this.path.lastIndexOf("/") + 1);
  }

  pathOf(name: PathBytes): PathBytes {
    return this.path === "" ? name : `${this.path}/${name}`;
  }

  fillFrom(joined: string, rows: Float64Array): void {
    this.#names = joined;
    this.rows = rows;
  }

  /**
   * Remembers the folder's signature. If `trust` is "not", another change to the folder might not show in its
   * signature.
   */
  remember(stat: PathStat, trust: "trusted" | "not"): void {
    this.changedAt = trust === "trusted" ? stat.changedAt : Number.NaN;
    this.modifiedAt = stat.modifiedAt;
    this.inode = stat.inode;
    this.mode = stat.mode;
  }

  isAsRemembered(stat: PathStat): boolean {
    return (
      this.changedAt === stat.changedAt && this.modifiedAt === stat.modifiedAt && this.inode === stat.inode
    );
  }

  clear(): void {
    this.#names = NO_NAMES;
    this.rows = NO_ROWS;
  }

  kindAt(index: number): RowKind {
    return KINDS[((this.rows[index * ROW + META] ?? 0) & KIND_BITS) >> KIND_SHIFT] ?? "new";
  }

  whyAt(index: number): LeftOut | undefined {
    if (this.kindAt(index) !== "left-out") return undefined;
    return REASONS[(this.rows[index * ROW + META] ?? 0) >> WHY_SHIFT];
  }

  /**
   * Checks whether an entry is unchanged. The kind is not compared, because it cannot change unless the times change as
   * well.
   */
  isRow(index: number, stat: PathStat): boolean {
    const rows = this.rows;
    const at = index * ROW;
    return (
      rows[at + CHANGED] === stat.changedAt &&
      rows[at + MODIFIED] === stat.modifiedAt &&
      rows[at + SIZE] === stat.size &&
      rows[at + INODE] === stat.inode &&
      ((rows[at + META] ?? 0) & MODE_BITS) === stat.mode
    );
  }

  setRow(index: number, kind: RowKind, entry: Signature & { readonly why?: LeftOut | undefined }): void {
    const at = index * ROW;
    const why = entry.why === undefined ? 0 : REASONS.indexOf(entry.why);
    this.rows[at + CHANGED] = entry.changedAt;
    this.rows[at + MODIFIED] = entry.modifiedAt;
    this.rows[at + SIZE] = entry.size;
    this.rows[at + INODE] = entry.inode;
    this.rows[at + META] = entry.mode | (KINDS.indexOf(kind) << KIND_SHIFT) | (why << WHY_SHIFT);
  }

  /** Makes the next scan report the entry even if it looks unchanged. */
  doubt(index: number): void {
    this.rows[index * ROW + CHANGED] = Number.NaN;
  }

  /** Forgets the name, so that the next scan lists the folder and finds it again. */
  unlearn(name: PathBytes): void {
    const index = this.search(name);
    if (index >= 0) this.remove(index);
    this.changedAt = Number.NaN;
  }

  /**
   * Finds the index of the name. If the name is missing, returns `-1 - index`, where `index` is the position that the
   * name would have.
   */
  search(name: PathBytes): number {
    const names = this.names;
    let low = 0;
    let high = names.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((names[middle] ?? "") < name) low = middle + 1;
      else high = middle;
    }
    return names[low] === name ? low : -1 - low;
  }

  insert(index: number, name: PathBytes): void {
    this.#names = this.names.toSpliced(index, 0, name);
    const rows = new Float64Array(this.rows.length + ROW);
    rows.set(this.rows.subarray(0, index * ROW));
    rows.set(this.rows.subarray(index * ROW), (index + 1) * ROW);
    rows[index * ROW + CHANGED] = Number.NaN;
    this.rows = rows;
  }

  remove(index: number): void {
    this.#names = this.names.toSpliced(index, 1);
    const rows = new Float64Array(this.rows.length - ROW);
    rows.set(this.rows.subarray(0, index * ROW));
    rows.set(this.rows.subarray((index + 1) * ROW), index * ROW);
    this.rows = rows;
  }

  /**
   * Replaces the names with a new sorted list. Keeps the rows of the names that are still listed, and returns the names
   * that were removed, with their kinds.
   */
  align(names: PathBytes[]): Dropped[] {
    const before = this.names;
    const rows = new Float64Array(names.length * ROW);
    const dropped: Dropped[] = [];
    let old = 0;
    for (let index = 0; index < names.length; index++) {
      const name = names[index] ?? "";
      old = this.#dropUntil(name, old, dropped);
      if (before[old] === name) rows.set(this.rows.subarray(old * ROW, ++old * ROW), index * ROW);
      else rows[index * ROW + CHANGED] = Number.NaN;
    }
    this.#dropUntil(undefined, old, dropped);
    this.#names = names;
    this.rows = rows;
    return dropped;
  }

  #dropUntil(name: PathBytes | undefined, from: number, dropped: Dropped[]): number {
    const names = this.names;
    let at = from;
    for (; at < names.length; at++) {
      const old = names[at] ?? "";
      if (name !== undefined && old >= name) break;
      dropped.push({ name: old, kind: this.kindAt(at) });
    }
    return at;
  }
}

/** A name that no longer exists. */
interface Dropped {
  readonly name: PathBytes;
  readonly kind: RowKind;
}

/** A map of remembered folders that counts its changes, so that callers can tell when their caches are out of date. */
export class RememberedFolders extends Map<PathBytes, FolderMemory> {
  changes = 0;

  override set(path: PathBytes, folder: FolderMemory): this {
    this.changes += 1;
    return super.set(path, folder);
  }

  override delete(path: PathBytes): boolean {
    this.changes += 1;
    return super.delete(path);
  }
}

/** The scope of a scan, and the objects that the scan uses. */
export interface FindingContext {
  readonly disk: WorkspaceDisk;
  /** The absolute path of the workspace. */
  readonly root: PathBytes;
  readonly coverage: Coverage;
  readonly outside: IgnoreRules;
  readonly now: () => number;
  /** The remembered folders. Each folder comes after its parent folder. */
  readonly folders: Map<PathBytes, FolderMemory>;
}
