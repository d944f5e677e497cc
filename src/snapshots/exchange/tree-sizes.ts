import { EMPTY_TREE, type TreeSize, withEntry } from "../objects/limits.ts";

const FIRST_ROOM = 1_024;
const ENDLESS: TreeSize = { paths: Number.MAX_SAFE_INTEGER, longest: Number.MAX_SAFE_INTEGER };

/** What was read of one folder. */
interface Read {
  /** Its entries that are no folders. */
  readonly own: TreeSize;
  /** Where its folders stand among all that are named, and how many they are. */
  readonly from: number;
  readonly count: number;
}

/**
 * The sizes of folders with everything below them, told in any order: a folder may come before those in it. Folders are
 * numbers here, and each is looked at once, however many paths it has.
 */
export class TreeSizes {
  readonly #read = new Map<number, Read>();
  /** Two numbers for each folder that a folder names: the length of the name, and which folder it is. */
  #named = new Uint32Array(FIRST_ROOM);
  #namedCount = 0;
  #open: { folder: number; own: TreeSize; from: number } | undefined;

  /** How many folders are named in folders. */
  get named(): number {
    return this.#namedCount;
  }

  /** The entries that are added from now on are this folder's. */
  begin(folder: number): void {
    this.#close();
    this.#open = { folder, own: EMPTY_TREE, from: this.#namedCount };
  }

  add(nameBytes: number): void {
    if (this.#open !== undefined) this.#open.own = withEntry(this.#open.own, nameBytes);
  }

  addFolder(nameBytes: number, folder: number): void {
    const at = 2 * this.#namedCount;
    if (at === this.#named.length) {
      const larger = new Uint32Array(2 * at);
      larger.set(this.#named);
      this.#named = larger;
    }
    this.#named[at] = nameBytes;
    this.#named[at + 1] = folder;
    this.#namedCount += 1;
  }

  /** Of every folder, those below first. Folders that hold each other, which hashes rule out, are endless. */
  *ofAll(): Generator<TreeSize> {
    this.#close();
    const sizes = new Map<number, TreeSize>();
    for (const root of this.#read.keys()) {
      const stack = sizes.has(root) ? [] : [{ folder: root, next: 0 }];
      const entered = new Set([root]);
      for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
        const below = this.#below(at.folder, at.next);
        if (below === undefined) {
          const size = this.#sizeOf(at.folder, sizes);
          sizes.set(at.folder, size);
          yield size;
          stack.pop();
          continue;
        }
        at.next += 1;
        if (sizes.has(below)) continue;
        if (entered.has(below)) {
          yield ENDLESS;
          return;
        }
        entered.add(below);
        stack.push({ folder: below, next: 0 });
      }
    }
  }

  /** The folder at that place in another one. */
  #below(folder: number, place: number): number | undefined {
    const read = this.#read.get(folder);
    return read === undefined || place >= read.count ? undefined : this.#named[2 * (read.from + place) + 1];
  }

  #sizeOf(folder: number, sizes: ReadonlyMap<number, TreeSize>): TreeSize {
    const read = this.#read.get(folder);
    if (read === undefined) return EMPTY_TREE;
    let size = read.own;
    for (let place = read.from; place < read.from + read.count; place += 1) {
      const below = sizes.get(this.#named[2 * place + 1] ?? 0);
      size = withEntry(size, this.#named[2 * place] ?? 0, below);
    }
    return size;
  }

  #close(): void {
    if (this.#open === undefined) return;
    const { folder, own, from } = this.#open;
    this.#read.set(folder, { own, from, count: this.#namedCount - from });
    this.#open = undefined;
  }
}
