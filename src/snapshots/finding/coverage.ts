import { databaseBeside } from "../../disk/own-database.ts";
import { errnoOf, isMissing } from "../../record/error.ts";
import { folderOf, isGitName, type LeftOut, type PathBytes } from "../../record/files.ts";
import type { PathStat, WorkspaceDisk } from "../workspace/workspace-disk.ts";
import type { FindingContext, FolderMemory } from "./folder-memory.ts";
import { RuleBook } from "./ignore-rules.ts";

export interface CoverageLimits {
  readonly maxFileBytes: number;
  /** An ignored folder with more than this is left out. */
  readonly maxIgnoredFiles: number;
  readonly maxIgnoredBytes: number;
  /** The file of a database in this workspace that sessions are kept in: a rewind must not take it back. */
  readonly ownDatabase?: PathBytes;
}

const MIB = 2 ** 20;
export const DEFAULT_LIMITS: CoverageLimits = {
  maxFileBytes: 64 * MIB,
  maxIgnoredFiles: 2000,
  maxIgnoredBytes: 32 * MIB,
};

/** What is captured: limits, and where our own store is. */
export interface Coverage {
  readonly limits: CoverageLimits;
  /** The WORLDLINE_HOME folder, wherever it is reached. */
  readonly ownStore?: Pick<PathStat, "device" | "inode">;
}

/** Stands for what is there and cannot be looked at. */
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

/** Stands for what no path can reach, because it is nested too deep. */
const TOO_DEEP: PathStat = { ...UNREADABLE };

/** Why nothing can be known of what is there; undefined where something is. */
export function whyUnknown(stat: PathStat | undefined): "unreadable" | "path-too-long" | undefined {
  if (stat === UNREADABLE) return "unreadable";
  return stat === TOO_DEEP ? "path-too-long" : undefined;
}

/** Why something that is there cannot be looked at. */
export function whyUnreachable(cause: unknown): "unreadable" | "path-too-long" {
  return errnoOf(cause) === "ENAMETOOLONG" ? "path-too-long" : "unreadable";
}

/** What the names of a restore's temporary files begin with. */
export const RESTORING = ".worldline-restore-";
const PACKAGES = "node_modules";
/** Folders that tools make, always large: where they are ignored, they are not even measured. */
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

/** Files that a restore of ours is just writing: as if they were not there. */
export function isPassedOver(name: PathBytes): boolean {
  return name.startsWith(RESTORING);
}

/** Something that is there, and how it is reached. */
interface EntryPlace {
  readonly disk: Pick<WorkspaceDisk, "stat" | "quickStat">;
  /** Absolute. */
  readonly place: PathBytes;
  readonly stat: PathStat;
}

/**
 * Whether it is what git finds as `.git`. Where case does not count, that may be a folder with the name `.GIT`; where it
 * does, `.GIT` is a name like any other.
 */
function isGit({ disk, place, stat }: EntryPlace): boolean {
  const name = place.slice(place.lastIndexOf("/") + 1);
  if (name === ".git" || !isGitName(name)) return name === ".git";
  const git = statOf(disk, `${folderOf(place)}/.git`);
  return git !== undefined && git.inode === stat.inode && git.device === stat.device;
}

/** Why something that is not a folder is left out. `path` is its path within the workspace. */
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

/** Why a folder is left out whatever the ignore rules say. */
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

/** Whether a folder that is left out as ignored is so whatever it holds. */
export function isLeftOutByName(name: PathBytes): boolean {
  return name === PACKAGES || isGenerated(name);
}

/** Whether an ignored folder holds more than the limits allow; looks no further than is needed to know. */
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

/** Everything but folders, without what is left out anyway. */
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

/** Undefined where nothing is there; UNREADABLE or TOO_DEEP where that is unknown. */
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
    // It counts as empty here; the capture reports that it is unreadable.
    return [];
  }
}

/** Decides which folders are left out, and remembers which ignored ones have to be measured again. */
export class Decisions {
  readonly #context: FindingContext;
  readonly #rules: RuleBook;
  readonly #measured = new Set<FolderMemory>();
  readonly #touched = new Set<FolderMemory>();

  constructor(context: FindingContext) {
    this.#context = context;
    this.#rules = new RuleBook(context);
  }

  /** Why the folder is left out. Writes down at the folder whether it is ignored. */
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

  /** Something in `folder` has changed: the ignored folder it belongs to may be too large by now. */
  touch(folder: FolderMemory | undefined): void {
    if (folder === undefined || folder.ignored === "no") return;
    const top = this.#topOf(folder);
    if (!this.#measured.has(top)) this.#touched.add(top);
  }

  /** Ignored folders that are captured, in which something has changed. */
  touched(): FolderMemory[] {
    return [...this.#touched].filter((top) => top.state === "walked" && top.ignored === "top");
  }

  #isTooLarge(folder: FolderMemory): boolean {
    // What is new in an ignored folder is measured before it is walked, unless what it is in just was.
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
