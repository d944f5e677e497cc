import type { RestoreStep } from "../../ports/workspace-files.ts";
import { errnoOf, isMissing } from "../../record/error.ts";
import { folderOf, isGitName, type PathBytes, pathIn } from "../../record/files.ts";
import { byBytes } from "../comparing/compare.ts";
import { RESTORING } from "../finding/coverage.ts";
import type { PathStat, WorkspaceDisk } from "../workspace/workspace-disk.ts";
import { beside, type FolderModes, openMode, type PathInspector, type Seen } from "./inspect-paths.ts";
import { passOver } from "./outcome.ts";

const OLD = ".old";
/** Maximum length of a whole path, not counting the NUL byte that ends it. */
const MAX_PATH_BYTES = process.platform === "darwin" ? 1023 : 4095;
/** Space that is reserved in a name for `.old` and numbers. */
const SUFFIX_BYTES = 16;

/**
 * The temporary files that a restore creates next to a path while it changes the path. They contain the new content
 * and, if a folder replaces something else, the old content. The names of the files contain the token of the restore,
 * so that a later run can recognize them.
 */
export class Temporaries {
  readonly #token: string;
  readonly #disk: WorkspaceDisk;
  readonly #inspector: PathInspector;
  readonly #modes: FolderModes;
  /** Temporary files that could not be removed when they were no longer needed. */
  readonly #left = new Set<PathBytes>();
  /**
   * Files that an interrupted restore moved aside to make room for a folder, and that another process has changed since
   * then. The keys are the temporary paths, and the values are the files' original paths.
   */
  readonly aside: Map<PathBytes, PathBytes> = new Map();
  #made = 0;

  constructor(place: {
    readonly token: string;
    readonly disk: WorkspaceDisk;
    readonly inspector: PathInspector;
    readonly modes: FolderModes;
  }) {
    this.#token = place.token;
    this.#disk = place.disk;
    this.#inspector = place.inspector;
    this.#modes = place.modes;
  }

  /** Returns the temporary path where the new content is created. */
  freshBeside(path: PathBytes): PathBytes {
    const temporary = this.#newBeside(path);
    if (this.#left.has(temporary)) this.remove(temporary);
    return temporary;
  }

  /**
   * Returns one of several temporary paths next to a path, for files that are prepared together. The files remain at
   * their temporary paths until all of them are durable.
   */
  anotherBeside(path: PathBytes): PathBytes {
    this.#made += 1;
    return `${this.#newBeside(path)}.${this.#made}`;
  }

  /** Returns the temporary path where the old content is kept until its replacement is in place. */
  oldBeside(path: PathBytes): PathBytes {
    const first = `${this.#newBeside(path)}${OLD}`;
    let old = first;
    for (let number = 1; this.aside.has(old); number += 1) old = `${first}.${number}`;
    return old;
  }

  /** Removes the file if it exists. If the removal fails, it is tried again at the end of the restore. */
  remove(temporary: PathBytes): "removed" | "left" {
    try {
      const place = this.#inspector.absolute(temporary);
      const kind = this.#disk.stat(place)?.kind;
      if (kind === "folder") this.#disk.removeFolder(place);
      else if (kind !== undefined) this.#disk.unlink(place);
      this.#left.delete(temporary);
      return "removed";
    } catch (error) {
      passOver(error);
      this.#left.add(temporary);
      return "left";
    }
  }

  /** Tries again to remove the files that could not be removed earlier. Returns the files that still exist. */
  removeLeft(): PathBytes[] {
    return [...this.#left].filter(
      (temporary) => !this.#isReachable(temporary) || this.remove(temporary) === "left",
    );
  }

  /**
   * Cleans up after an interrupted restore. If the restore had moved a file aside and nothing is at the file's path,
   * moves the file back. Every path then has either its old state or its new state. If another process had the file
   * open and has changed it since then, its content is not in any snapshot, so the file is kept.
   */
  clear(steps: readonly RestoreStep[]): void {
    const stepsByFolder = new Map<PathBytes, RestoreStep[]>();
    for (const step of steps) {
      if (step.path === "" || !this.#isReachable(step.path)) continue;
      const folder = folderOf(this.#newBeside(step.path));
      const others = stepsByFolder.get(folder);
      if (others === undefined) stepsByFolder.set(folder, [step]);
      else others.push(step);
    }
    for (const [folder, its] of stepsByFolder) this.#clearIn(folder, its.filter(movesAside));
  }

  #clearIn(folder: PathBytes, swaps: readonly RestoreStep[]): void {
    const oldPrefix = `${RESTORING}${this.#token}${OLD}`;
    for (const name of this.#ownIn(folder)) {
      const own = pathIn(folder, name);
      if (!name.startsWith(oldPrefix) || this.#isKnown(own, swaps)) this.remove(own);
      else this.#leaveAside(own, swaps);
    }
  }

  #ownIn(folder: PathBytes): PathBytes[] {
    const prefix = `${RESTORING}${this.#token}`;
    try {
      return this.#namesIn(folder).filter((name) => name.startsWith(prefix));
    } catch (error) {
      // If a folder cannot be listed, none of our files in it can be removed.
      passOver(error);
      return [];
    }
  }

  /**
   * Returns the names in a folder. If the folder cannot be listed, makes it accessible first, because it may still be
   * writable and contain our files.
   */
  #namesIn(folder: PathBytes): PathBytes[] {
    try {
      return this.#disk.names(this.#inspector.absolute(folder));
    } catch (error) {
      if (errnoOf(error) !== "EACCES") throw error;
    }
    this.#modes.open(pathIn(folder, RESTORING), this.#inspector);
    return this.#disk.names(this.#inspector.absolute(folder));
  }

  /**
   * Returns a new temporary path next to the path. If the temporary path would be longer than the system allows, uses
   * the nearest higher folder in which it is short enough.
   */
  #newBeside(path: PathBytes): PathBytes {
    const name = `${RESTORING}${this.#token}`;
    let temporary = beside(path, name);
    for (let at = folderOf(path); at !== "" && this.#isTooLong(temporary); at = folderOf(at)) {
      temporary = beside(at, name);
    }
    return temporary;
  }

  #isTooLong(temporary: PathBytes): boolean {
    return this.#inspector.absolute(temporary).length > MAX_PATH_BYTES - SUFFIX_BYTES;
  }

  /**
   * Checks whether the file is unchanged since it was captured and can therefore be removed. If nothing is at the
   * file's original path, first moves the file back.
   */
  #isKnown(old: PathBytes, swaps: readonly RestoreStep[]): boolean {
    try {
      const seen = this.#inspector.seeAt(this.#inspector.absolute(old));
      const owners = swaps.filter(({ before }) => seen.is(before) || isOpened(seen, before));
      const empty = owners.find(({ path }) => this.#kindAt(path) === undefined);
      if (empty !== undefined) this.#putBack(old, empty.path);
      return owners.length > 0;
    } catch (error) {
      passOver(error);
      return false;
    }
  }

  #putBack(old: PathBytes, path: PathBytes): void {
    try {
      this.#disk.rename(this.#inspector.absolute(old), this.#inspector.absolute(path));
    } catch (error) {
      // If the file cannot be moved back, the path remains empty, and the folder is created there.
      passOver(error);
    }
  }

  /**
   * Leaves a changed file at its temporary path. Steps are performed in order, so the file is assumed to belong to the
   * last step that had begun.
   */
  #leaveAside(old: PathBytes, swaps: readonly RestoreStep[]): void {
    const inOrder = swaps.map(({ path }) => path).sort(byBytes);
    const begun = inOrder.filter((path) => this.#hasBegun(path));
    this.aside.set(old, begun.at(-1) ?? inOrder.at(-1) ?? folderOf(old));
  }

  #hasBegun(path: PathBytes): boolean {
    try {
      const kind = this.#kindAt(path);
      return kind === undefined || kind === "folder";
    } catch (error) {
      passOver(error);
      return false;
    }
  }

  #kindAt(path: PathBytes): PathStat["kind"] | undefined {
    return this.#disk.stat(this.#inspector.absolute(path))?.kind;
  }

  #isReachable(path: PathBytes): boolean {
    try {
      return this.#inspector.obstacle(path) === undefined;
    } catch (error) {
      passOver(error);
      return false;
    }
  }
}

/** Checks whether this is a file that was unreadable to its owner until the interrupted restore made it accessible. */
function isOpened(seen: Seen, state: RestoreStep["before"]): boolean {
  if (state?.kind !== "file" || seen.stat?.mode !== openMode("file", state.mode)) return false;
  return seen.bytesIf(state) !== undefined;
}

/** Checks whether the step moves something aside to make room for a folder. */
function movesAside({ before, after }: RestoreStep): boolean {
  return after?.kind === "folder" && before !== undefined && before.kind !== "folder";
}

const GIT = ".git";

/**
 * Finds out whether the workspace's file system treats a name as `.git`. On a case-sensitive file system, `.GIT` is an
 * ordinary name and may belong to the user. On any other file system, a restore of `.GIT` would write into the
 * repository or create one. The system does not report which kind of file system a folder is on, so the name is tried
 * out in a temporary folder next to the path.
 */
export class GitNames {
  readonly #deps: {
    readonly disk: WorkspaceDisk;
    readonly inspector: PathInspector;
    readonly temporaries: Temporaries;
  };
  /** Maps the full path of each name to the result. */
  readonly #known = new Map<PathBytes, "git" | "other">();

  constructor(parts: {
    readonly disk: WorkspaceDisk;
    readonly inspector: PathInspector;
    readonly temporaries: Temporaries;
  }) {
    this.#deps = parts;
  }

  /**
   * Checks whether the file system treats the path or a folder above it as `.git`. In almost all cases, the names alone
   * are enough to decide. Throws EACCES if nothing can be created next to the path yet.
   */
  leadToGit(path: PathBytes): boolean {
    let above: PathBytes = "";
    for (const name of path.split("/")) {
      const own = pathIn(above, name);
      if (isGitName(name) && this.#isGit(own, name) === "git") return true;
      above = own;
    }
    return false;
  }

  #isGit(path: PathBytes, name: PathBytes): "git" | "other" {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const found = this.#try(path, name);
    if (found === "folder-missing") return "other";
    this.#known.set(path, found);
    return found;
  }

  /**
   * Tries out a name. If that fails, the name is treated as `.git`. If the folder does not exist, nothing in it can be
   * changed, so the name is tried again later.
   */
  #try(path: PathBytes, name: PathBytes): "git" | "other" | "folder-missing" {
    const { disk, inspector, temporaries } = this.#deps;
    if (name === GIT) return "git";
    if (inspector.obstacle(path) !== undefined) return "folder-missing";
    const folder = temporaries.freshBeside(path);
    const git = pathIn(folder, GIT);
    try {
      disk.makeFolder(inspector.absolute(folder), 0o700);
      disk.makeFolder(inspector.absolute(git), 0o700);
      return isThere(disk, inspector.absolute(pathIn(folder, name))) ? "git" : "other";
    } catch (error) {
      if (errnoOf(error) === "EACCES") throw error;
      passOver(error);
      return "git";
    } finally {
      temporaries.remove(git);
      temporaries.remove(folder);
    }
  }
}

function isThere(disk: WorkspaceDisk, place: PathBytes): boolean {
  try {
    return disk.stat(place) !== undefined;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
