import { folderOf, isWithin, type LeftOut, type PathBytes } from "../../record/files.ts";
import type { PathStat } from "../workspace/workspace-disk.ts";

/** A path that is new or differs from its remembered state. */
export interface Found {
  readonly path: PathBytes;
  readonly kind: "file" | "link" | "folder" | "left-out";
  /** The reason why the path is left out. Absent if the path is not left out. */
  readonly why?: LeftOut;
  readonly mode: number;
  readonly size: number;
  readonly signature: Signature;
}

export interface Findings {
  /**
   * New or changed paths, with folders before their contents. If something was replaced by a folder after it was found,
   * both are listed, and the folder comes last.
   */
  readonly found: Found[];
  /**
   * Paths that no longer exist. If a folder no longer exists, neither does anything in it. A path whose kind changed is
   * listed only in `found`.
   */
  readonly gone: PathBytes[];
  /**
   * Folders whose ignore rules changed and that have subfolders belonging to other walkers. The caller must join the
   * manifests and load them into a single walker. That walker must scan these folders and decide again what is left out
   * below them.
   */
  readonly unsettled: PathBytes[];
}

/**
 * Joins the findings of several walkers that scanned at the same time. Each walker sees the workspace at a slightly
 * different moment. If a walker reports that a path no longer exists or is no longer a folder, the report overrides
 * what another walker saw below the path a moment earlier. If a path was reported twice, the last report counts.
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

/**
 * Checks whether a report is kept. The last report for a path is always kept. If the last report is a folder, an
 * earlier report that the path was not a folder is kept as well. The earlier report shows that this is not the folder
 * that was known before.
 */
function isReported(each: Found, last: Found | undefined): boolean {
  return each === last || (each.kind !== "folder" && last?.kind === "folder");
}

/**
 * Returns paths that were missing at one moment and existed at another, because another process re-created them. Such
 * paths count as removed and must be forgotten, so that the next scan reports them as new and does not rely on their
 * earlier contents.
 */
export function unsteadyIn(found: readonly Found[], gone: readonly PathBytes[]): PathBytes[] {
  if (gone.length === 0) return [];
  const all = new Set(gone);
  const met = found.filter(({ path }) => all.has(path) || isBelowAny(path, all));
  return met.length === 0 ? [] : gone.filter((path) => met.some((each) => isWithin(each.path, path)));
}

const FEW = 4;

/** Checks whether the path is below one of these folders. */
export function isBelowAny(path: PathBytes, folders: ReadonlySet<PathBytes>): boolean {
  if (folders.size === 0 || path === "") return false;
  // A path may be thousands of levels deep. If there are only a few folders, it is cheaper to compare the path with
  // each folder.
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
 * Findings that are not in a snapshot yet. The walker does not report a finding twice, so if a capture is cancelled,
 * its findings must be kept for the next capture.
 */
export class Pending {
  readonly #found = new Map<PathBytes, Found>();
  readonly #gone = new Set<PathBytes>();
  /**
   * Folders that are not the same folders as in the last snapshot. Since that snapshot, the path has been missing, or
   * was not a folder.
   */
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

  /**
   * Checks whether the folder has replaced an earlier folder, in which case the contents in the last snapshot do not
   * apply to it.
   */
  isRenewed(folder: PathBytes): boolean {
    return this.#renewed.has(folder);
  }

  /**
   * Adds findings. A new finding replaces an earlier finding for the same path and, if the path is no longer a folder,
   * all findings below the path.
   */
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

  /**
   * Checks whether an earlier finding may contradict a new finding. If nothing is pending, this check costs almost
   * nothing, even for the hundred thousand paths in a first capture.
   */
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

  /** Drops all findings below these paths, because everything below the paths was removed. */
  #end(ended: ReadonlySet<PathBytes>): void {
    for (const path of [...this.#found.keys()]) {
      if (!isBelowAny(path, ended)) continue;
      this.#found.delete(path);
      this.#renewed.delete(path);
    }
  }
}

/** Identifies the state of a file, so that a change can be detected without reading the file. */
export interface Signature {
  readonly changedAt: number;
  readonly modifiedAt: number;
  readonly size: number;
  readonly inode: number;
  readonly mode: number;
}

/**
 * Length of a clock tick, with a margin. The clock that file systems use for timestamps ticks only every few
 * milliseconds, so two writes within one tick look alike.
 */
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

/**
 * Checks whether another write could still result in the same signature. `now` is the moment before the file was
 * examined.
 */
export function isRacy(signature: Pick<Signature, "changedAt">, now: number): boolean {
  return !(signature.changedAt <= now - TICK_MS);
}
