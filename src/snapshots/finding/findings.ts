import { folderOf, isWithin, type LeftOut, type PathBytes } from "../../record/files.ts";
import type { PathStat } from "../workspace/workspace-disk.ts";

/** One path that is new or is not what is remembered. */
export interface Found {
  readonly path: PathBytes;
  readonly kind: "file" | "link" | "folder" | "left-out";
  /** Only of what is left out. */
  readonly why?: LeftOut;
  readonly mode: number;
  readonly size: number;
  readonly signature: Signature;
}

export interface Findings {
  /** Folders before what they hold. A folder that took the place of something else meanwhile comes after that. */
  readonly found: Found[];
  /** With a folder, everything in it is gone. A path that changed its kind is only found. */
  readonly gone: PathBytes[];
  /**
   * Folders whose ignore rules changed above folders of other walkers. Join the manifests, load them as one
   * walker, and let it scan these folders: it decides anew what is left out below them.
   */
  readonly unsettled: PathBytes[];
}

/**
 * What several walkers found at once. Each looks at its own moment: what one reports as gone or no longer a folder
 * ends what another one saw below it a moment before. Of a path that one of them met twice counts what it said last.
 */
export function joinFindings(parts: readonly Findings[]): Findings {
  const vanished = new Set(parts.flatMap((part) => part.gone));
  const ended = new Set(vanished);
  const reported = parts.map((part) => lastOfEach(part.found));
  for (const each of reported.flatMap((last) => [...last.values()])) {
    if (each.kind !== "folder") ended.add(each.path);
  }
  const found = parts
    .flatMap((part, index) => part.found.filter((each) => isReported(each, reported[index]?.get(each.path))))
    .filter(
      ({ path, kind }) => !(kind === "folder" ? ended : vanished).has(path) && !isBelowAny(path, ended),
    );
  return { found, gone: [...vanished], unsettled: parts.flatMap((part) => part.unsettled) };
}

function lastOfEach(found: readonly Found[]): ReadonlyMap<PathBytes, Found> {
  return new Map(found.map((each) => [each.path, each]));
}

/** What was said last; and, of a folder, that there was none in between: it is not the one that was known. */
function isReported(each: Found, last: Found | undefined): boolean {
  return each === last || (each.kind !== "folder" && last?.kind === "folder");
}

/**
 * What was gone at one look and there at another, because somebody made it anew meanwhile. For now it is gone, and is to be
 * forgotten, so that the next look meets it as new, with nothing of what it held before.
 */
export function unsteadyIn(found: readonly Found[], gone: readonly PathBytes[]): PathBytes[] {
  if (gone.length === 0) return [];
  const all = new Set(gone);
  const met = found.filter(({ path }) => all.has(path) || isBelowAny(path, all));
  return met.length === 0 ? [] : gone.filter((path) => met.some((each) => isWithin(each.path, path)));
}

const FEW = 4;

/** Whether one of these is a folder above the path. */
export function isBelowAny(path: PathBytes, folders: ReadonlySet<PathBytes>): boolean {
  if (folders.size === 0 || path === "") return false;
  // A path may be thousands of folders deep: where these are few, it is cheaper to ask each of them.
  if (folders.size <= FEW) {
    for (const above of folders) if (path !== above && isWithin(path, above)) return true;
    return false;
  }
  let at = path;
  do {
    at = folderOf(at);
    if (folders.has(at)) return true;
  } while (at !== "");
  return false;
}

/**
 * What was found and is not in a snapshot yet. The walker remembers what it has found and does not report it again; so
 * when a capture is cancelled, its findings must be kept for the next one.
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

  /** Later findings win: for a path, and, where it is no longer a folder, for everything below it. */
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

  /** What is below these is gone. */
  #end(ended: ReadonlySet<PathBytes>): void {
    for (const path of [...this.#found.keys()]) {
      if (!isBelowAny(path, ended)) continue;
      this.#found.delete(path);
      this.#renewed.delete(path);
    }
  }
}

/** What tells, without reading it, whether a file is still the one that was read. */
export interface Signature {
  readonly changedAt: number;
  readonly modifiedAt: number;
  readonly size: number;
  readonly inode: number;
  readonly mode: number;
}

/** File systems stamp with a clock that ticks every few milliseconds: two writes within a tick look alike. */
const TICK_MS = 50;

export function signatureOf(stat: PathStat): Signature {
  const { changedAt, modifiedAt, size, inode, mode } = stat;
  return { changedAt, modifiedAt, size, inode, mode };
}

export function isSame(a: Signature, b: Signature): boolean {
  return (
    a.changedAt === b.changedAt &&
    a.modifiedAt === b.modifiedAt &&
    a.size === b.size &&
    a.inode === b.inode &&
    a.mode === b.mode
  );
}

/** Whether another write could still leave the same signature. `now`: the moment before the look. */
export function isRacy(signature: Pick<Signature, "changedAt">, now: number): boolean {
  return !(signature.changedAt <= now - TICK_MS);
}
