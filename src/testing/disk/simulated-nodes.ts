/** A change to a file that a loss of power may take back. */
export type FileChange =
  | { readonly do: "write"; readonly at: number; readonly bytes: Uint8Array }
  | { readonly do: "truncate"; readonly size: number };

/** A change of names. A rename between two folders is one change of both. */
export interface NameChange {
  readonly effects: readonly NameEffect[];
}

export interface NameEffect {
  readonly folder: FolderNode;
  readonly name: string;
  /** Undefined: the name goes. */
  readonly node: DiskNode | undefined;
}

export type DiskNode = FileNode | FolderNode;

export class FileNode {
  readonly kind = "file";
  readonly number: number;
  /** As programs see it. */
  content: Buffer = Buffer.alloc(0);
  /** As it is after a loss of power. */
  synced: Buffer = Buffer.alloc(0);
  /** Since the last sync, in order. */
  unsynced: FileChange[] = [];

  constructor(number: number) {
    this.number = number;
  }

  change(change: FileChange): void {
    this.content = applied(this.content, change);
    this.unsynced.push(change);
  }

  /** Writes what has changed, not what there is: what was dropped before is not written now. */
  sync(): void {
    for (const change of this.unsynced) this.synced = applied(this.synced, change);
    this.unsynced = [];
  }
}

export class FolderNode {
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

export function changeNames(...effects: readonly NameEffect[]): void {
  const change = { effects };
  for (const { folder, name, node } of effects) setName(folder.names, name, node);
  for (const folder of new Set(effects.map((effect) => effect.folder))) folder.unsynced.push(change);
}

export function setName(names: Map<string, DiskNode>, name: string, node: DiskNode | undefined): void {
  if (node === undefined) names.delete(name);
  else names.set(name, node);
}

export function applied(content: Buffer, change: FileChange): Buffer {
  if (change.do === "truncate") return resized(content, change.size);
  const grown = resized(content, Math.max(content.length, change.at + change.bytes.length));
  grown.set(change.bytes, change.at);
  return grown;
}

/** A copy; what it is longer by is zeros, as in a file with a hole. */
export function resized(content: Buffer, size: number): Buffer {
  const copy = Buffer.alloc(size);
  content.copy(copy, 0, 0, size);
  return copy;
}
