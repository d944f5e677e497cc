import type { PathBytes } from "../../record/files.ts";
import { type Findings, type Found, isBelowAny } from "../finding/findings.ts";

/**
 * What was found and is not in a snapshot yet. Whoever finds remembers what it has found and does not report it again; so
 * when a capture is broken off, what it was told must be kept for the next.
 */
export class Pending {
  readonly #found = new Map<PathBytes, Found>();
  readonly #gone = new Set<PathBytes>();
  /** Folders that are not those which the last snapshot knows: something else, or nothing, stood there in between. */
  readonly #renewed = new Set<PathBytes>();

  get isEmpty(): boolean {
    return this.#found.size === 0 && this.#gone.size === 0;
  }

  get found(): Iterable<Found> {
    return this.#found.values();
  }

  get gone(): Iterable<PathBytes> {
    return this.#gone;
  }

  /** Whether what the last snapshot holds of a folder says nothing of the one that is there now. */
  isRenewed(folder: PathBytes): boolean {
    return this.#renewed.has(folder);
  }

  /** What is told later is the truth: of a path, and, where there is no folder any more, of all below it. */
  add({ found, gone }: Findings): void {
    if (this.#found.size > 0)
      this.#end(new Set([...gone, ...found.filter(({ kind }) => kind !== "folder").map(({ path }) => path)]));
    for (const path of gone) {
      this.#found.delete(path);
      this.#renewed.delete(path);
      this.#gone.add(path);
    }
    for (const each of found) {
      if (this.#isContradicted(each.path)) this.#renew(each);
      this.#found.set(each.path, each);
    }
  }

  clear(): void {
    this.#found.clear();
    this.#gone.clear();
    this.#renewed.clear();
  }

  /** Of the hundred thousand paths of a first capture, none is: they are not to be looked up in vain. */
  #isContradicted(path: PathBytes): boolean {
    return this.#gone.size > 0 || this.#renewed.size > 0 || this.#found.has(path);
  }

  #renew({ path, kind }: Found): void {
    if (kind !== "folder") this.#renewed.delete(path);
    else if (this.#wasNoFolder(path)) this.#renewed.add(path);
    this.#gone.delete(path);
  }

  #wasNoFolder(path: PathBytes): boolean {
    const earlier = this.#found.get(path);
    return this.#gone.has(path) || (earlier !== undefined && earlier.kind !== "folder");
  }

  /** What is below these is not there any more. */
  #end(ended: ReadonlySet<PathBytes>): void {
    for (const path of [...this.#found.keys()]) {
      if (!isBelowAny(path, ended)) continue;
      this.#found.delete(path);
      this.#renewed.delete(path);
    }
  }
}
