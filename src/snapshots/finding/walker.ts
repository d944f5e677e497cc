import { realpathSync } from "node:fs";
import { readError } from "../../disk/disk.ts";
import { isMissing } from "../../record/error.ts";
import { folderOf, isWithin, type PathBytes, pathOfText } from "../../record/files.ts";
import type { PathStat, WorkspaceDisk } from "../workspace/workspace-disk.ts";
import { type Coverage, type CoverageLimits, statOf } from "./coverage.ts";
import { type Findings, isBelowAny, isRacy, type Signature } from "./findings.ts";
import { type FindingContext, type FolderMemory, RememberedFolders, ROW, SIZE } from "./folder-memory.ts";
import { rulesOf } from "./ignore-rules.ts";
import { decodeManifest, encodeManifest, type Share, subfoldersOf } from "./manifest.ts";
import { Scan } from "./scan.ts";

export interface WalkerOptions {
  readonly disk: WorkspaceDisk;
  /** The absolute path of the workspace. */
  readonly root: PathBytes;
  readonly coverage: Coverage;
  /** See `readOutsideRules`. */
  readonly outsideRules: string;
  readonly now: () => number;
}

export interface ScanRequest {
  /**
   * The paths to scan. "all" reliably scans everything. For a file in a list, only that file is scanned. For a folder,
   * the folder, its entries, and everything in new subfolders are scanned.
   */
  readonly folders: "all" | readonly PathBytes[];
  /**
   * Folders where the walker must decide again, at every level, what to leave out. Several walkers could not make this
   * decision together.
   */
  readonly decideAnew?: readonly PathBytes[];
  /** Files to report even if they seem unchanged. */
  readonly inodes?: ReadonlySet<number>;
}

const WHOLE: Share = { part: 0, of: 1 };

/**
 * Finds what changed in a workspace since the last scan, in a single thread. Several walkers can share a workspace.
 * Each walker reports only what it sees in its own folders, and a new folder belongs to the walker that finds it.
 */
export class Walker {
  readonly #folders = new RememberedFolders();
  readonly #context: FindingContext;
  readonly #terms: Terms;
  #owns: "everything" | "part" = "everything";
  /**
   * This walker's folders whose parents belong to other walkers. The paths to these folders must be checked as well.
   */
  #entrances: FolderMemory[] = [];
  /** Folders whose contents are subject to ignore rules that have changed since the manifest was created. */
  #unsettled: PathBytes[] = [];

  constructor(parts: WalkerOptions) {
    const { disk, root, coverage, outsideRules, now } = parts;
    this.#terms = { limits: coverage.limits, outsideRules };
    this.#context = { disk, root, coverage, now, outside: rulesOf(outsideRules), folders: this.#folders };
  }

  /**
   * Loads a manifest. Returns undefined if the manifest is damaged, or has a different format or different limits. The
   * caller then starts over.
   */
  static load(
    bytes: Buffer,
    parts: WalkerOptions,
    share: Share = WHOLE,
  ): { readonly walker: Walker; readonly header: string } | undefined {
    const manifest = decodeManifest(bytes, parts.root, share);
    if (manifest === undefined) return undefined;
    // The checksum proves that Worldline wrote the limits and rules, so their shape is not checked.
    const terms = JSON.parse(manifest.terms) as Terms;
    const walker = new Walker(parts);
    if (JSON.stringify(terms.limits) !== JSON.stringify(parts.coverage.limits)) return undefined;
    if (terms.outsideRules !== parts.outsideRules) walker.#unsettled = [""];
    walker.#adopt(manifest.folders, share);
    return { walker, header: manifest.header };
  }

  scan(request: ScanRequest): Findings {
    const scan = new Scan(this.#context, request.inodes);
    const { folders } = this.#context;
    const isBegun = folders.size > 0 || this.#owns === "part";
    if (!isBegun) scan.meet("");
    else if (request.folders === "all") this.#lookAtAll(scan);
    else this.#lookAtSome(scan, request.folders);
    for (const path of [...this.#unsettled, ...(request.decideAnew ?? [])]) scan.rulesChanged.add(path);
    this.#unsettled = [];
    return this.#finish(scan);
  }

  /**
   * Takes over folders that have not been walked yet, along with everything in them. The folders above them belong to
   * another walker.
   */
  walkNew(folders: readonly PathBytes[]): Findings {
    this.#owns = "part";
    const scan = new Scan(this.#context);
    for (const path of folders) {
      scan.meet(path);
      const met = this.#context.folders.get(path);
      if (met !== undefined) this.#entrances.push(met);
    }
    return this.#finish(scan);
  }

  /**
   * Begins a first scan that several walkers will share. Walks the top of the workspace until about `atLeast` folders
   * are waiting. Each waiting folder then belongs to the walker that receives it with `walkNew`.
   */
  walkTop(atLeast: number): { readonly findings: Findings; readonly waiting: PathBytes[] } {
    const scan = new Scan(this.#context);
    scan.meet("");
    const waiting = scan.giveAway(atLeast);
    if (waiting.length > 0) this.#owns = "part";
    return { findings: this.#finish(scan), waiting };
  }

  /**
   * Records the signature that the path had when the capture read it. The next scan reports the path again if the
   * signature is undefined. It also does so if the path was read (at `readAt`) so soon after its last change that the
   * signature cannot be trusted.
   */
  learn(path: PathBytes, signature: Signature | undefined, readAt: number = this.#context.now()): void {
    const folder = this.#context.folders.get(folderOf(path));
    const index = folder?.search(path.slice(path.lastIndexOf("/") + 1)) ?? -1;
    if (folder === undefined || index < 0) return;
    const kind = folder.kindAt(index);
    if (kind !== "file" && kind !== "link") return;
    if (signature !== undefined) folder.setRow(index, kind, signature);
    if (signature === undefined || isRacy(signature, readAt)) folder.doubt(index);
  }

  /** Encodes the walker's memory and the caller's string as bytes that `load` accepts. */
  save(header: string): Buffer {
    const folders = [...this.#context.folders.values()];
    return encodeManifest({ header, terms: JSON.stringify(this.#terms), folders });
  }

  /**
   * The numbers of folders, files, and bytes that the walker remembers. The numbers are counted again on each access.
   */
  get statistics(): { readonly folders: number; readonly files: number; readonly bytes: number } {
    let files = 0;
    let bytes = 0;
    for (const folder of this.#context.folders.values()) {
      for (let index = folder.rows.length / ROW - 1; index >= 0; index--) {
        if (folder.kindAt(index) !== "file") continue;
        files += 1;
        bytes += folder.rows[index * ROW + SIZE] ?? 0;
      }
    }
    return { folders: this.#context.folders.size, files, bytes };
  }

  #adopt(memories: readonly FolderMemory[], share: Share): void {
    const { folders } = this.#context;
    for (const folder of memories) folders.set(folder.path, folder);
    if (share.of === 1) return;
    this.#owns = "part";
    this.#entrances = memories.filter(({ path }) => path !== "" && !folders.has(folderOf(path)));
  }

  #lookAtAll(scan: Scan): void {
    const isFolder = this.#ways();
    const unreachable = new Set<FolderMemory>();
    for (const entrance of this.#entrances) {
      if (isFolder(folderOf(entrance.path))) continue;
      unreachable.add(entrance);
      scan.loseTrackOf(entrance);
    }
    for (const folder of [...this.#context.folders.values()]) {
      if (folder.state !== "forgotten" && !unreachable.has(folder)) scan.look(folder);
    }
  }

  #lookAtSome(scan: Scan, paths: readonly PathBytes[]): void {
    const isFolder = this.#ways();
    const nearestTo = this.#nearest();
    for (const path of new Set(paths)) {
      const nearest = nearestTo(path);
      if (nearest === undefined) continue;
      const broken = isFolder(nearest.path) ? undefined : this.#brokenAbove(nearest, isFolder);
      if (broken !== undefined) scan.look(broken);
      else if (nearest.path === path || nearest.state !== "walked") this.#lookIn(scan, nearest);
      else this.#lookAtEntry(scan, nearest, path);
    }
  }

  #lookIn(scan: Scan, folder: FolderMemory): void {
    scan.look(folder);
    if (folder.state !== "walked") return;
    for (const path of subfoldersOf(folder)) {
      const below = this.#context.folders.get(path);
      if (below !== undefined) scan.lookFromAbove(below);
    }
  }

  #lookAtEntry(scan: Scan, folder: FolderMemory, path: PathBytes): void {
    const from = folder.path === "" ? 0 : folder.path.length + 1;
    const name = path.slice(from).split("/", 1)[0] ?? "";
    const index = folder.search(name);
    const isOfAnother = index >= 0 && folder.kindAt(index) === "folder";
    if (name !== "" && !isOfAnother) scan.lookAtEntry(folder, name);
  }

  /**
   * Returns a function that finds the nearest remembered folder at or above a path. The function caches its results
   * until the set of remembered folders changes.
   */
  #nearest(): (path: PathBytes) => FolderMemory | undefined {
    const folders = this.#folders;
    const known = new Map<PathBytes, FolderMemory | undefined>();
    let { changes } = folders;
    return (path) => {
      if (changes !== folders.changes) known.clear();
      changes = folders.changes;
      const climbed: PathBytes[] = [];
      let at = path;
      while (at !== "" && !folders.has(at) && !known.has(at)) {
        climbed.push(at);
        at = folderOf(at);
      }
      const nearest = folders.get(at) ?? known.get(at);
      for (const each of climbed) known.set(each, nearest);
      return nearest;
    };
  }

  /**
   * Among this folder and the folders above it that belong to this walker, returns the topmost one that cannot be
   * reached or is no longer a folder.
   */
  #brokenAbove(folder: FolderMemory, isFolder: (path: PathBytes) => boolean): FolderMemory {
    let topmost = folder;
    while (topmost.path !== "") {
      const above = this.#context.folders.get(folderOf(topmost.path));
      if (above === undefined || isFolder(above.path)) break;
      topmost = above;
    }
    return topmost;
  }

  /**
   * Returns a function that checks whether a path leads only through real folders, not through a link that replaced a
   * folder.
   */
  #ways(): (path: PathBytes) => boolean {
    const known = new Map<PathBytes, boolean>([["", true]]);
    return (path) => {
      const unknown: PathBytes[] = [];
      let is: boolean | undefined;
      for (let at = path; is === undefined; at = folderOf(at)) {
        is = known.get(at);
        if (is === undefined) unknown.push(at);
      }
      for (const at of unknown.reverse()) {
        is = is && statOf(this.#context.disk, `${this.#context.root}/${at}`)?.kind === "folder";
        known.set(at, is);
      }
      return is;
    };
  }

  #finish(scan: Scan): Findings {
    scan.walkMet();
    const unsettled = this.#decideAnew(scan);
    scan.walkMet();
    for (const top of scan.decisions.touched()) scan.reconsider(top);
    return scan.findings(unsettled);
  }

  #decideAnew(scan: Scan): PathBytes[] {
    const changed = scan.rulesChanged;
    if (changed.size === 0) return [];
    for (const folder of [...this.#context.folders.values()]) {
      const isUndecided = folder.state === "walked" || folder.state === "ignored";
      if (isUndecided && isBelowAny(folder.path, changed)) scan.reconsider(folder);
    }
    if (this.#owns === "everything") return [];
    return [...changed].filter((path) => this.#reachesOthers(path));
  }

  #reachesOthers(above: PathBytes): boolean {
    for (const folder of this.#context.folders.values()) {
      if (!isWithin(folder.path, above)) continue;
      if (subfoldersOf(folder).some((path) => !this.#context.folders.has(path))) return true;
    }
    return false;
  }
}

interface Terms {
  readonly limits: Coverage["limits"];
  readonly outsideRules: string;
}

interface OpenWalkerOptions {
  readonly disk: WorkspaceDisk;
  readonly root: PathBytes;
  /** Worldline's home folder, which is never captured, even if it is inside the workspace. */
  readonly home: string;
  readonly limits: CoverageLimits;
  readonly outsideRules: string;
  readonly manifest: Uint8Array | undefined;
  readonly share: Share;
}

/** Creates a walker and loads its share of the manifest. Without a manifest, the walker's memory is empty. */
export function openWalker({
  disk,
  root,
  home,
  limits,
  outsideRules,
  manifest,
  share,
}: OpenWalkerOptions): Walker {
  const ownStore = statHome(disk, home);
  const parts: WalkerOptions = {
    disk,
    root,
    outsideRules,
    coverage: { limits, ...(ownStore === undefined ? {} : { ownStore }) },
    now: Date.now,
  };
  const loaded =
    manifest === undefined
      ? undefined
      : Walker.load(Buffer.from(manifest.buffer, manifest.byteOffset, manifest.byteLength), parts, share);
  return loaded?.walker ?? new Walker(parts);
}

/**
 * Returns the state of the home folder. Throws if the state cannot be determined, because a walker that cannot
 * recognize the home folder would capture the store, including its own captures.
 */
function statHome(disk: WorkspaceDisk, home: string): PathStat | undefined {
  try {
    return disk.stat(pathOfText(realPathOf(home)));
  } catch (error) {
    throw readError(error, { what: "folder", of: home });
  }
}

/**
 * Resolves links in the path of the home folder. A link to the home folder is captured like any other link, but the
 * home folder itself is not.
 */
function realPathOf(home: string): string {
  try {
    return realpathSync(home);
  } catch (error) {
    if (isMissing(error)) return home;
    throw error;
  }
}
