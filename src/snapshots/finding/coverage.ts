import { databaseBeside } from "../../disk/own-database.ts";
import { errnoOf, isMissing } from "../../record/error.ts";
import { folderOf, isGitName, type LeftOut, type PathBytes } from "../../record/files.ts";
import type { PathStat, WorkspaceDisk } from "../workspace/workspace-disk.ts";
import type { FindingContext, FolderMemory } from "./folder-memory.ts";
import { RuleBook } from "./ignore-rules.ts";

export interface CoverageLimits {
  readonly maxFileBytes: number;
  /** Ignored folders with more files than this are left out. */
  readonly maxIgnoredFiles: number;
  readonly maxIgnoredBytes: number;
  /** The path of a session database in this workspace. A rewind must not revert that file. */
  readonly ownDatabase?: PathBytes;
}

const MIB = 2 ** 20;
export const DEFAULT_LIMITS: CoverageLimits = {
  maxFileBytes: 64 * MIB,
  maxIgnoredFiles: 2000,
  maxIgnoredBytes: 32 * MIB,
};

/** What captures include: the limits, and the location of our own store. */
export interface Coverage {
  readonly limits: CoverageLimits;
  /** Worldline's home, identified by device and inode, so that it is recognized under any path. */
  readonly ownStore?: Pick<PathStat, "device" | "inode">;
}

/** Represents a path that exists but cannot be examined. */
const UNREADABLE: PathStat = {
  kind: "special",
  mode: 0,
  size: 0,
  links: 0,
  device: 0,
  inode: 0,
  modifiedAt: Number.NaN,
  changedAt: Number.NaN,
};

/** Represents a path that is nested too deeply to be reached. */
const TOO_DEEP: PathStat = { ...UNREADABLE };

/** Why a path cannot be examined; undefined if it can. */
export function whyUnknown(stat: PathStat | undefined): "unreadable" | "path-too-long" | undefined {
  if (stat === UNREADABLE) return "unreadable";
  return stat === TOO_DEEP ? "path-too-long" : undefined;
}

/** Converts a file-access error to the reason for leaving the path out. */
export function whyUnreachable(cause: unknown): "unreadable" | "path-too-long" {
  return errnoOf(cause) === "ENAMETOOLONG" ? "path-too-long" : "unreadable";
}

/** The prefix of a restore's temporary files. */
export const RESTORING = ".worldline-restore-";
const PACKAGES = "node_modules";
/**
 * Folders that tools generate and that are always large. If such a folder is ignored, it is left out without being
 * measured.
 */
const GENERATED: ReadonlySet<PathBytes> = new Set([
  ".bundle",
  ".dart_tool",
  ".gradle",
  ".m2",
  ".mypy_cache",
  ".next",
  ".nuxt",
  ".parcel-cache",
  ".pnpm-store",
  ".svelte-kit",
  ".terraform",
  ".tox",
  ".turbo",
  ".venv",
  ".yarn",
  "DerivedData",
  "Pods",
  "bower_components",
  "target",
  "venv",
]);

/**
 * Whether the name is that of a temporary file from one of our restores. Captures treat such files as if they did not
 * exist.
 */
export function isPassedOver(name: PathBytes): boolean {
  return name.startsWith(RESTORING);
}

/** An existing entry, and the disk and path to reach it. */
interface EntryPlace {
  readonly disk: Pick<WorkspaceDisk, "stat" | "quickStat">;
  /** The absolute path. */
  readonly place: PathBytes;
  readonly stat: PathStat;
}

/**
 * Whether git would use this entry as `.git`. A folder named `.GIT` counts only on a case-insensitive file system; on a
 * case-sensitive one, `.GIT` is an ordinary name.
 */
function isGit({ disk, place, stat }: EntryPlace): boolean {
  const name = place.slice(place.lastIndexOf("/") + 1);
  if (name === ".git" || !isGitName(name)) return name === ".git";
  const git = statOf(disk, `${folderOf(place)}/.git`);
  return git !== undefined && git.inode === stat.inode && git.device === stat.device;
}

/** Why an entry that is not a folder is left out. `path` is its path within the workspace. */
export function whyNotEntry(path: PathBytes, found: EntryPlace, limits: CoverageLimits): LeftOut | undefined {
  const { stat } = found;
  const { ownDatabase } = limits;
  if (ownDatabase !== undefined && (path === ownDatabase || databaseBeside(path) === ownDatabase))
    return "own-store";
  const unknown = whyUnknown(stat);
  if (unknown !== undefined) return unknown;
  if (isGit(found)) return "git";
  if (stat.kind === "special") return "special";
  return stat.kind === "file" && stat.size > limits.maxFileBytes ? "too-large" : undefined;
}

/** Why a folder is left out, regardless of the ignore rules. */
function whyNotFolder(name: PathBytes, found: EntryPlace, coverage: Coverage): LeftOut | undefined {
  const { stat } = found;
  if (isGit(found)) return "git";
  const store = coverage.ownStore;
  if (store !== undefined && store.inode === stat.inode && store.device === stat.device) return "own-store";
  return name === PACKAGES ? "ignored" : undefined;
}

function isGenerated(name: PathBytes): boolean {
  return GENERATED.has(name);
}

/** Whether an ignored folder is left out without being measured. */
export function isLeftOutByName(name: PathBytes): boolean {
  return name === PACKAGES || isGenerated(name);
}

/** Whether an ignored folder contains more than the limits allow. Stops counting as soon as a limit is exceeded. */
function isLarge(disk: WorkspaceDisk, folder: PathBytes, coverage: Coverage): boolean {
  const { maxIgnoredFiles, maxIgnoredBytes } = coverage.limits;
  let files = 0;
  let bytes = 0;
  for (const stat of entriesBelow(disk, folder, coverage)) {
    files += 1;
    bytes += stat.kind === "file" ? stat.size : 0;
    if (files > maxIgnoredFiles || bytes > maxIgnoredBytes) return true;
  }
  return false;
}

/**
 * Yields the state of everything below the folder, except folders themselves. Does not enter folders that are left
 * out.
 */
function* entriesBelow(disk: WorkspaceDisk, folder: PathBytes, coverage: Coverage): Generator<PathStat> {
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const name of namesIn(disk, at)) {
      const stat = statOf(disk, `${at}/${name}`);
      if (stat === undefined) continue;
      if (stat.kind !== "folder") yield stat;
      else if (isWalked(name, { disk, place: `${at}/${name}`, stat }, coverage))
        waiting.push(`${at}/${name}`);
    }
  }
}

function isWalked(name: PathBytes, found: EntryPlace, coverage: Coverage): boolean {
  return !isGenerated(name) && whyNotFolder(name, found, coverage) === undefined;
}

/** The state of a path; undefined if the path does not exist; UNREADABLE or TOO_DEEP if it cannot be examined. */
export function statOf(
  disk: Pick<WorkspaceDisk, "stat" | "quickStat">,
  path: PathBytes,
): PathStat | undefined {
  try {
    return disk.quickStat === undefined ? disk.stat(path) : disk.quickStat(path);
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    return whyUnreachable(cause) === "path-too-long" ? TOO_DEEP : UNREADABLE;
  }
}

function namesIn(disk: WorkspaceDisk, folder: PathBytes): readonly PathBytes[] {
  try {
    return disk.names(folder);
  } catch {
    // The folder counts as empty here. The capture itself reports that it is unreadable.
    return [];
  }
}

/** Decides which folders are left out, and keeps track of the ignored folders that must be measured again. */
export class Decisions {
  readonly #context: FindingContext;
  readonly #rules: RuleBook;
  readonly #measured = new Set<FolderMemory>();
  readonly #touched = new Set<FolderMemory>();

  constructor(context: FindingContext) {
    this.#context = context;
    this.#rules = new RuleBook(context);
  }

  /** Why the folder is left out; undefined if it is not. Also records in the folder's memory whether it is ignored. */
  whyNot(folder: FolderMemory, stat: PathStat): LeftOut | undefined {
    if (folder.path === "") return undefined;
    const { disk, coverage } = this.#context;
    const why = whyNotFolder(folder.name, { disk, place: folder.absolute, stat }, coverage);
    if (why !== undefined) return why;
    const above = this.#above(folder);
    if (above !== undefined && above.ignored !== "no") folder.ignored = "below";
    else folder.ignored = this.#rules.in(folderOf(folder.path)).ignores(folder.path, "folder") ? "top" : "no";
    if (folder.ignored === "no") return undefined;
    return isGenerated(folder.name) || this.#isTooLarge(folder) ? "ignored" : undefined;
  }

  forgetRules(): void {
    this.#rules.forget();
  }

  /** Records a change in `folder`. The ignored folder that contains it may have become too large. */
  touch(folder: FolderMemory | undefined): void {
    if (folder === undefined || folder.ignored === "no") return;
    const top = this.#topOf(folder);
    if (!this.#measured.has(top)) this.#touched.add(top);
  }

  /** Ignored folders that are captured and in which something has changed. */
  touched(): FolderMemory[] {
    return [...this.#touched].filter((top) => top.state === "walked" && top.ignored === "top");
  }

  #isTooLarge(folder: FolderMemory): boolean {
    // Measures a new folder inside an ignored one before it is walked, unless the folder above it has just been
    // measured.
    for (let at = this.#above(folder); at !== undefined && at.ignored !== "no"; at = this.#above(at)) {
      if (this.#measured.has(at)) return false;
    }
    this.#measured.add(folder);
    return isLarge(this.#context.disk, folder.absolute, this.#context.coverage);
  }

  #topOf(folder: FolderMemory): FolderMemory {
    let at = folder;
    while (at.ignored === "below") {
      const above = this.#above(at);
      if (above === undefined) break;
      at = above;
    }
    return at;
  }

  #above(folder: FolderMemory): FolderMemory | undefined {
    return folder.path === "" ? undefined : this.#context.folders.get(folderOf(folder.path));
  }
}
