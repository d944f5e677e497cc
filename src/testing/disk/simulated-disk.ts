import { basename, dirname } from "node:path";
import type { Disk, DiskStat, OpenHow } from "../../disk/disk.ts";
import { ManualClock } from "../simulated-system.ts";

const BLOCK_BYTES = 4_096;

interface OpenFile {
  readonly node: FileNode;
  readonly how: OpenHow;
}

/**
 * An in-memory disk that keeps track of what a power loss would destroy: the bytes of a file until the file is synced,
 * and a name until its folder is synced. This disk is stricter than most real disks, which write names in order and
 * often write a new file's name together with its content.
 */
export class SimulatedDisk implements Disk {
  readonly #root: FolderNode;
  readonly #open = new Map<number, OpenFile>();
  #nextNumber: number;
  /** The size of the disk in blocks. Undefined if the size is unlimited. */
  #capacity: number | undefined;

  /** @internal */
  constructor(root: FolderNode = new FolderNode(1), nextNumber = 2) {
    this.#root = root;
    this.#nextNumber = nextNumber;
  }

  /**
   * Returns a disk in a state that could result if this disk lost power at this moment. Does not change this disk,
   * which can lose power again with a different result.
   */
  losePower(survival: Survival): SimulatedDisk {
    const disk = new SimulatedDisk(survivorsOf(this.#root, survival), this.#nextNumber);
    disk.#capacity = this.#capacity;
    return disk;
  }

  /**
   * Limits the disk to the space that is currently in use. Any call that needs another block fails with ENOSPC until a
   * block is freed.
   */
  fillUp(): void {
    this.#capacity = blocksIn(this.#root, new Set());
  }

  /**
   * Simulates a failed sync. The kernel then drops the bytes that it could not write, and reports success the next
   * time.
   */
  dropUnsynced(file: number): void {
    this.#handle(file).node.unsynced = [];
  }

  get openFiles(): number {
    return this.#open.size;
  }

  open(path: string, how: OpenHow): number {
    const node = how === "create" ? this.#create(path) : this.#find(path);
    if (node === undefined) throw systemError("ENOENT", path);
    if (node.kind !== "file") throw systemError("EISDIR", path);
    const file = this.#nextNumber++;
    this.#open.set(file, { node, how });
    return file;
  }

  close(file: number): void {
    this.#handle(file);
    this.#open.delete(file);
  }

  read(file: number, into: Uint8Array, position: number): number {
    const part = this.#handle(file).node.content.subarray(position, position + into.length);
    into.set(part);
    return part.length;
  }

  write(file: number, bytes: Uint8Array): number {
    const { node, how } = this.#handle(file);
    if (how === "read") throw systemError("EBADF", "write");
    this.#requireRoom(blocksOf(node.content.length + bytes.length) - blocksOf(node.content.length));
    node.change({ do: "write", at: node.content.length, bytes: Uint8Array.from(bytes) });
    return bytes.length;
  }

  sync(file: number): void {
    this.#handle(file).node.sync();
  }

  truncate(file: number, size: number): void {
    this.#handle(file).node.change({ do: "truncate", size });
  }

  stat(path: string): DiskStat | undefined {
    const node = this.#find(path);
    if (node === undefined) return undefined;
    const size = node.kind === "file" ? node.content.length : 0;
    return { kind: node.kind, size, identity: String(node.number), modifiedAt: 0 };
  }

  list(folder: string): string[] {
    return [...this.#folder(folder).names.keys()];
  }

  makeFolder(path: string): void {
    const folder = this.#folder(dirname(path));
    if (folder.names.has(basename(path))) throw systemError("EEXIST", path);
    this.#requireRoom(1);
    changeNames({ folder, name: basename(path), node: new FolderNode(this.#nextNumber++) });
  }

  removeFolder(path: string): void {
    if (this.#folder(path).names.size > 0) throw systemError("ENOTEMPTY", path);
    changeNames({ folder: this.#folder(dirname(path)), name: basename(path), node: undefined });
  }

  syncFolder(path: string): void {
    this.#folder(path).sync();
  }

  link(from: string, to: string): void {
    const node = this.#find(from);
    if (node === undefined) throw systemError("ENOENT", from);
    const folder = this.#folder(dirname(to));
    if (folder.names.has(basename(to))) throw systemError("EEXIST", to);
    changeNames({ folder, name: basename(to), node });
  }

  rename(from: string, to: string): void {
    const node = this.#find(from);
    if (node === undefined) throw systemError("ENOENT", from);
    const there = this.#find(to);
    if (there === node) return;
    if (there?.kind === "folder" && there.names.size > 0) throw systemError("ENOTEMPTY", to);
    if (there !== undefined && there.kind !== node.kind) {
      throw systemError(there.kind === "folder" ? "EISDIR" : "ENOTDIR", to);
    }
    changeNames(
      { folder: this.#folder(dirname(from)), name: basename(from), node: undefined },
      { folder: this.#folder(dirname(to)), name: basename(to), node },
    );
  }

  unlink(path: string): void {
    const node = this.#find(path);
    if (node === undefined) throw systemError("ENOENT", path);
    if (node.kind === "folder") throw systemError("EISDIR", path);
    changeNames({ folder: this.#folder(dirname(path)), name: basename(path), node: undefined });
  }

  #requireRoom(blocks: number): void {
    if (this.#capacity === undefined || blocks === 0) return;
    if (blocksIn(this.#root, new Set()) + blocks > this.#capacity)
      throw systemError("ENOSPC", "the disk is full");
  }

  #create(path: string): FileNode {
    const folder = this.#folder(dirname(path));
    if (folder.names.has(basename(path))) throw systemError("EEXIST", path);
    const node = new FileNode(this.#nextNumber++);
    changeNames({ folder, name: basename(path), node });
    return node;
  }

  #handle(file: number): OpenFile {
    const handle = this.#open.get(file);
    if (handle === undefined) throw systemError("EBADF", String(file));
    return handle;
  }

  #folder(path: string): FolderNode {
    const node = this.#find(path);
    if (node === undefined) throw systemError("ENOENT", path);
    if (node.kind !== "folder") throw systemError("ENOTDIR", path);
    return node;
  }

  #find(path: string): DiskNode | undefined {
    let node: DiskNode | undefined = this.#root;
    for (const name of path.split("/").filter((part) => part !== "")) {
      if (node?.kind !== "folder") return undefined;
      node = node.names.get(name);
    }
    return node;
  }
}

function blocksOf(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES);
}

/**
 * Counts the blocks that are in use. Counts a file with several names only once, and counts one block for each folder.
 */
function blocksIn(node: DiskNode, seen: Set<DiskNode>): number {
  if (seen.has(node)) return 0;
  seen.add(node);
  if (node.kind === "file") return blocksOf(node.content.length);
  return [...node.names.values()].reduce((sum, each) => sum + blocksIn(each, seen), 1);
}

/** A change to a file that a power loss may undo. */
type FileChange =
  | { readonly do: "write"; readonly at: number; readonly bytes: Uint8Array }
  | { readonly do: "truncate"; readonly size: number };

/** A change to names. A rename between two folders is a single change to both. */
interface NameChange {
  readonly effects: readonly NameEffect[];
}

interface NameEffect {
  readonly folder: FolderNode;
  readonly name: string;
  /** The file or folder that is given the name. Undefined if the name is removed. */
  readonly node: DiskNode | undefined;
}

type DiskNode = FileNode | FolderNode;

class FileNode {
  readonly kind = "file";
  readonly number: number;
  /** The content as seen by programs. */
  content: Buffer = Buffer.alloc(0);
  /** The content that would be left after a power loss. */
  synced: Buffer = Buffer.alloc(0);
  /** The changes since the last sync, in order. */
  unsynced: FileChange[] = [];

  constructor(number: number) {
    this.number = number;
  }

  change(change: FileChange): void {
    this.content = applied(this.content, change);
    this.unsynced.push(change);
  }

  /**
   * Writes only the changes rather than the whole content, so that bytes that were dropped earlier are not written now.
   */
  sync(): void {
    for (const change of this.unsynced) this.synced = applied(this.synced, change);
    this.unsynced = [];
  }
}

class FolderNode {
  readonly kind = "folder";
  readonly number: number;
  readonly names: Map<string, DiskNode> = new Map();
  readonly synced: Map<string, DiskNode> = new Map();
  unsynced: NameChange[] = [];

  constructor(number: number) {
    this.number = number;
  }

  sync(): void {
    for (const change of this.unsynced) {
      for (const { folder, name, node } of change.effects) {
        setName(folder.synced, name, node);
        if (folder !== this) folder.unsynced = folder.unsynced.filter((other) => other !== change);
      }
    }
    this.unsynced = [];
  }
}

function changeNames(...effects: readonly NameEffect[]): void {
  const change = { effects };
  for (const { folder, name, node } of effects) setName(folder.names, name, node);
  for (const folder of new Set(effects.map((effect) => effect.folder))) folder.unsynced.push(change);
}

function setName(names: Map<string, DiskNode>, name: string, node: DiskNode | undefined): void {
  if (node === undefined) names.delete(name);
  else names.set(name, node);
}

function applied(content: Buffer, change: FileChange): Buffer {
  if (change.do === "truncate") return resized(content, change.size);
  const grown = resized(content, Math.max(content.length, change.at + change.bytes.length));
  grown.set(change.bytes, change.at);
  return grown;
}

/** Copies the bytes to a buffer of the given size. Additional bytes are zeros, as in a file with a hole. */
function resized(content: Buffer, size: number): Buffer {
  const copy = Buffer.alloc(size);
  content.copy(copy, 0, 0, size);
  return copy;
}

/** Creates an error like the errors that the file system throws. */
export function systemError(code: string, what: string): Error & { readonly code: string } {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}

/**
 * How much unsynced data survives a power loss. "nothing" is the worst case. With "everything", the result is as if
 * only the process had been killed. With a seed, a random part of the data survives. Any combination of the changed
 * names can survive. In each file, either the first changes survive, or only some sectors of the written data do, with
 * zeros between them. The last change that survives may be truncated at any byte.
 */
export type Survival = "nothing" | "everything" | { readonly seed: number };

const SECTOR_BYTES = 512;

/**
 * Returns a copy of the disk under `root`, in a state that may result from a power loss.
 *
 * @internal
 */
function survivorsOf(root: FolderNode, survival: Survival): FolderNode {
  const dice = new ManualClock({ seed: typeof survival === "object" ? survival.seed : 1 });
  const kept = new Map<NameChange, boolean>();
  const copies = new Map<DiskNode, DiskNode>();

  const isKept = (change: NameChange): boolean => {
    const known = kept.get(change);
    if (known !== undefined) return known;
    const chosen = typeof survival === "object" ? dice.below(2) === 1 : survival === "everything";
    kept.set(change, chosen);
    return chosen;
  };
  const copyFile = (file: FileNode): FileNode => {
    const copy = new FileNode(file.number);
    copy.content = contentAfter(file, survival, dice);
    copy.synced = copy.content;
    return copy;
  };
  const copyFolder = (folder: FolderNode): FolderNode => {
    const copy = new FolderNode(folder.number);
    for (const [name, node] of namesAfter(folder, isKept)) {
      const found = copies.get(node) ?? (node.kind === "file" ? copyFile(node) : copyFolder(node));
      copies.set(node, found);
      copy.names.set(name, found);
      copy.synced.set(name, found);
    }
    return copy;
  };
  return copyFolder(root);
}

function namesAfter(folder: FolderNode, isKept: (change: NameChange) => boolean): Map<string, DiskNode> {
  const names = new Map(folder.synced);
  const effects = folder.unsynced.filter(isKept).flatMap((change) => change.effects);
  for (const effect of effects) if (effect.folder === folder) setName(names, effect.name, effect.node);
  return names;
}

function contentAfter(file: FileNode, survival: Survival, dice: ManualClock): Buffer {
  if (survival === "nothing") return resized(file.synced, file.synced.length);
  if (survival === "everything") return resized(file.content, file.content.length);
  const { unsynced } = file;
  if (unsynced.length === 0) return resized(file.synced, file.synced.length);
  return dice.below(2) === 0 ? cutShort(file, dice) : sectorsOf(file, dice);
}

/** Applies a file's first few changes, and only part of the last one. */
function cutShort({ synced, unsynced }: FileNode, dice: ManualClock): Buffer {
  const whole = dice.below(unsynced.length + 1);
  const changes: FileChange[] = unsynced.slice(0, whole);
  const next = unsynced[whole];
  if (next?.do === "write")
    changes.push({ ...next, bytes: next.bytes.subarray(0, dice.below(next.bytes.length + 1)) });
  return changes.reduce(applied, resized(synced, synced.length));
}

/** Applies all changes to a file's size, but only some sectors of what was written. The other sectors are zeros. */
function sectorsOf({ synced, unsynced }: FileNode, dice: ManualClock): Buffer {
  let content = resized(synced, synced.length);
  for (const change of unsynced) {
    if (change.do === "truncate") {
      content = applied(content, change);
      continue;
    }
    content = resized(content, Math.max(content.length, change.at + change.bytes.length));
    for (let at = 0; at < change.bytes.length; at += SECTOR_BYTES) {
      const sector = change.bytes.subarray(at, at + SECTOR_BYTES);
      if (dice.below(2) === 0) content.set(sector, change.at + at);
    }
  }
  return content;
}
