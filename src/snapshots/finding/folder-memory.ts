import type { LeftOut, PathBytes } from "../../record/files.ts";
import { REASONS } from "../objects/tree-objects.ts";
import type { PathStat, WorkspaceDisk } from "../workspace/workspace-disk.ts";
import type { Coverage } from "./coverage.ts";
import type { Signature } from "./findings.ts";
import type { IgnoreRules } from "./ignore-rules.ts";

/** Numbers that are remembered of one entry: see the places below. */
export const ROW = 5;
const CHANGED = 0;
const MODIFIED = 1;
export const SIZE = 2;
const INODE = 3;
/** Mode in the low twelve bits, then the kind, then why it is left out. */
export const META = 4;
const MODE_BITS = 0o7777;
export const KIND_BITS = 0o70000;
const KIND_SHIFT = 12;
const WHY_SHIFT = 15;

/** "new": a name that was listed and not looked at yet. Their places are written to disk. */
const KINDS = ["new", "file", "link", "folder", "left-out"] as const;
export const FOLDER_BITS: number = KINDS.indexOf("folder") << KIND_SHIFT;
export type RowKind = (typeof KINDS)[number];

/**
 * "lost": nothing is there, and who owns the folder above it has to say so. "forgotten": not part of the memory any
 * more. Their places are written to disk.
 */
export const FOLDER_STATES: readonly FolderMemoryState[] = ["walked", "lost", "forgotten", ...REASONS];
type FolderMemoryState = "walked" | "lost" | "forgotten" | LeftOut;

/** "top": an ignored folder in one that is not. Their places are written to disk. */
export const IGNORED = ["no", "top", "below"] as const;
type Ignored = (typeof IGNORED)[number];

const NO_ROWS = new Float64Array(0);
const NO_NAMES: PathBytes[] = [];

/** What is remembered of one folder: its own signature, and a row of numbers for each name in it, sorted. */
export class FolderMemory {
  readonly path: PathBytes;
  readonly absolute: PathBytes;
  /** The absolute path of what is in it, but for the name. */
  readonly prefix: PathBytes;
  state: FolderMemoryState = "walked";
  ignored: Ignored = "no";
  /** NaN, which equals nothing, makes the next look a thorough one. */
  changedAt: number = Number.NaN;
  modifiedAt = 0;
  inode = 0;
  mode = 0;
  rows: Float64Array = NO_ROWS;
  /** Joined as they were loaded, until someone asks: most of loading would be splitting them. */
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

  /** The names in one string, as `fillFrom` takes them. */
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

  /** `trust` "not": it may change again without looking different. */
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

  /** Whether an entry is as remembered; its kind cannot change without its times. */
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

  /** The next look reports it, whatever it looks like. */
  doubt(index: number): void {
    this.rows[index * ROW + CHANGED] = Number.NaN;
  }

  /** As if the name had never been met: the next look lists the folder and finds it. */
  unlearn(name: PathBytes): void {
    const index = this.search(name);
    if (index >= 0) this.remove(index);
    this.changedAt = Number.NaN;
  }

  /** Where the name is, or where it would be: then the answer is negative, `-1 - place`. */
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

  /** Takes over the names as listed now, sorted; rows of names that stay stay. Returns the rest, with their kinds. */
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

/** A name that is gone. */
interface Dropped {
  readonly name: PathBytes;
  readonly kind: RowKind;
}

/** Counts changes, so that callers know when what they cached about it is stale. */
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

/** What a scan goes over, and by. */
export interface FindingContext {
  readonly disk: WorkspaceDisk;
  /** The workspace, absolute. */
  readonly root: PathBytes;
  readonly coverage: Coverage;
  readonly outside: IgnoreRules;
  readonly now: () => number;
  /** What is remembered, each folder after the one it is in. */
  readonly folders: Map<PathBytes, FolderMemory>;
}
