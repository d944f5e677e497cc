import { lstatSync, mkdirSync, readdirSync, rmdirSync, type Stats, symlinkSync, unlinkSync } from "node:fs";
import { heldFolders, writeNewHeld } from "../../disk/held-folder.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import { folderOf, type LinkState, type PathBytes, pathIn, pathOfText } from "../../record/files.ts";

/** An item in a scratch copy. */
export type Placed =
  | { readonly kind: "file"; readonly mode: number; readonly bytes: Uint8Array }
  | { readonly kind: "folder"; readonly mode: number }
  | LinkState;

interface Known {
  readonly kind: Placed["kind"];
  readonly mode: number;
  /** The item's metadata when it was written. For a folder, only the mode counts. */
  readonly look: string;
}

/** The mode of a folder while files are being written to it, no matter what its final mode is. */
const OPEN = 0o700;

/**
 * The files of a scratch copy, and their metadata when they were written. A test may write anywhere, and the next test
 * must not see its changes.
 */
export class ScratchTree {
  readonly #root: PathBytes;
  readonly #known = new Map<PathBytes, Known>();
  readonly #links = new Set<PathBytes>();

  constructor(root: string) {
    this.#root = pathOfText(root);
  }

  /** Changes these paths. The value undefined removes a path, but a non-empty folder is kept. */
  change(wanted: ReadonlyMap<PathBytes, Placed | undefined>): void {
    this.#openFolders();
    const paths = [...wanted.keys()].sort();
    for (const path of paths.toReversed()) this.#clear(path, wanted.get(path));
    for (const path of paths) {
      const placed = wanted.get(path);
      if (placed !== undefined) this.#put(path, placed);
    }
    this.#closeFolders();
  }

  /**
   * Creates links to paths that are not captured, if the copy contains their parent folder but not the paths
   * themselves.
   */
  link(targets: ReadonlyMap<PathBytes, PathBytes>): void {
    this.#openFolders();
    for (const path of this.#links) this.#change(path, (at) => unlinkSync(at));
    this.#links.clear();
    for (const [path, target] of targets) {
      const above = folderOf(path);
      if (this.#known.has(path) || (above !== "" && this.#known.get(above)?.kind !== "folder")) continue;
      this.#change(path, (at) => symlinkSync(Buffer.from(target, "latin1"), at));
      this.#links.add(path);
    }
    this.#closeFolders();
  }

  /** Removes everything that has changed since it was written. Returns the paths in the copy that no longer exist. */
  sweep(): readonly PathBytes[] {
    const seen = new Set<PathBytes>();
    const waiting: PathBytes[] = [""];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      for (const path of this.#sweepFolder(folder, seen)) waiting.push(path);
    }
    const gone = [...this.#known.keys()].filter((path) => !seen.has(path));
    for (const path of gone) this.#known.delete(path);
    for (const path of [...this.#links].filter((each) => !seen.has(each))) this.#links.delete(path);
    return gone;
  }

  /** Cleans one folder. Returns the remaining subfolders. */
  #sweepFolder(folder: PathBytes, seen: Set<PathBytes>): PathBytes[] {
    const folders: PathBytes[] = [];
    for (const name of this.#namesIn(folder)) {
      const path = pathIn(folder, name);
      if (this.#links.has(path) && this.#look(path).isSymbolicLink()) {
        seen.add(path);
        continue;
      }
      const known = this.#known.get(path);
      if (known === undefined || this.#lookOf(path) !== known.look) {
        removeTree(this.#place(path));
        continue;
      }
      seen.add(path);
      if (known.kind === "folder") folders.push(path);
    }
    return folders;
  }

  #clear(path: PathBytes, placed: Placed | undefined): void {
    const known = this.#known.get(path);
    if (known === undefined || (known.kind === "folder" && placed?.kind === "folder")) return;
    if (known.kind !== "folder") this.#change(path, (at) => unlinkSync(at));
    else if (placed === undefined && this.#namesIn(path).length > 0) return;
    else this.#change(path, (at) => rmdirSync(at));
    heldFolders.forget(this.#place(path));
    this.#known.delete(path);
  }

  #put(path: PathBytes, placed: Placed): void {
    if (path === "") return;
    this.#provide(folderOf(path));
    this.#make(path, placed);
  }

  #make(path: PathBytes, placed: Placed): void {
    switch (placed.kind) {
      case "folder":
        if (this.#known.get(path) === undefined) this.#change(path, (at) => mkdirSync(at));
        this.#setMode(path, placed.mode | OPEN);
        break;
      case "file":
        this.#change(path, (at) => writeNewHeld(at, placed.bytes, placed.mode));
        break;
      case "link":
        this.#change(path, (at) => symlinkSync(Buffer.from(placed.target, "latin1"), at));
        break;
      default:
        placed satisfies never;
    }
    this.#note(path, placed.kind, placed.kind === "link" ? 0 : placed.mode);
  }

  /** Creates a file's missing parent folders, which may not be part of the change itself. */
  #provide(folder: PathBytes): void {
    const missing: PathBytes[] = [];
    for (let at = folder; at !== "" && !this.#known.has(at); at = folderOf(at)) missing.push(at);
    for (const path of missing.reverse()) this.#make(path, { kind: "folder", mode: 0o755 });
  }

  #note(path: PathBytes, kind: Known["kind"], mode: number): void {
    this.#known.set(path, { kind, mode, look: kind === "folder" ? `folder ${mode}` : this.#lookOf(path) });
  }

  #openFolders(): void {
    for (const path of this.#closedFolders().sort()) this.#setMode(path, OPEN);
  }

  #closeFolders(): void {
    for (const path of this.#closedFolders().sort().reverse()) {
      this.#setMode(path, this.#known.get(path)?.mode ?? OPEN);
    }
  }

  #closedFolders(): PathBytes[] {
    return [...this.#known].flatMap(([path, { kind, mode }]) =>
      kind === "folder" && (mode & OPEN) !== OPEN ? [path] : [],
    );
  }

  #lookOf(path: PathBytes): string {
    const stat = this.#look(path);
    if (stat.isDirectory()) return `folder ${stat.mode & 0o7777}`;
    return [stat.mode, stat.size, stat.ino, stat.mtimeMs, stat.ctimeMs].join(" ");
  }

  /**
   * Changes a path. A test, or a process that it left running, may replace a folder with a link, so links are never
   * followed.
   */
  #change(path: PathBytes, work: (at: string | Buffer) => void): void {
    heldFolders.change(this.#place(path), work);
  }

  #look(path: PathBytes): Stats {
    return heldFolders.look(this.#place(path), (at) => lstatSync(at));
  }

  #namesIn(folder: PathBytes): PathBytes[] {
    return heldFolders.within(this.#place(folder), "list", (held) =>
      readdirSync(held.at(), { encoding: "latin1" }),
    );
  }

  #setMode(folder: PathBytes, mode: number): void {
    heldFolders.within(this.#place(folder), "list", (held) => held.setMode(mode));
  }

  #place(path: PathBytes): PathBytes {
    return path === "" ? this.#root : `${this.#root}/${path}`;
  }
}
