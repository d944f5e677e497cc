import { isMissing, WorldlineError } from "../../record/error.ts";
import {
  folderOf,
  isFailure,
  isWithin,
  type LeftOut,
  type PathBytes,
  shownPath,
} from "../../record/files.ts";
import type { PathStat } from "../workspace/workspace-disk.ts";
import { Decisions, isPassedOver, statOf, whyNotEntry, whyUnknown, whyUnreachable } from "./coverage.ts";
import { type Findings, type Found, isRacy, signatureOf, unsteadyIn } from "./findings.ts";
import type { FindingContext } from "./folder-memory.ts";
import { FOLDER_BITS, FolderMemory, KIND_BITS, META, ROW, type RowKind } from "./folder-memory.ts";
import { RULES_NAME } from "./ignore-rules.ts";
import { subfoldersOf } from "./manifest.ts";

interface Seen<Stat> {
  readonly stat: Stat;
  /** The time when the entry was examined, or slightly earlier. */
  readonly at: number;
}

/** A folder that was found but has not been listed yet. */
interface Met extends Seen<PathStat> {
  readonly folder: FolderMemory;
}

/** A single scan. It compares the workspace with the walker's memory, and updates the memory. */
export class Scan {
  readonly #context: FindingContext;
  /** Files that are reported even if they seem unchanged. */
  readonly #inodes: ReadonlySet<number>;
  readonly decisions: Decisions;
  /** Folders whose `.gitignore` has changed. */
  readonly rulesChanged: Set<PathBytes> = new Set();
  #met: Met[] = [];
  /** Folders that replaced other folders, and whose subfolders have yet to be checked. */
  readonly #renewed: FolderMemory[] = [];
  #arrivedAt: FolderMemory | undefined;
  #found: Found[] = [];
  #gone: PathBytes[] = [];

  constructor(context: FindingContext, inodes: ReadonlySet<number> = new Set()) {
    this.#context = context;
    this.#inodes = inodes;
    this.decisions = new Decisions(context);
  }

  /** Checks a remembered folder, but nothing below it, unless the folder was replaced. */
  look(folder: FolderMemory): void {
    this.#lookAt(folder);
    // Uses a loop instead of recursion, because folders may be nested thousands of levels deep.
    for (let renewed = this.#renewed.pop(); renewed !== undefined; renewed = this.#renewed.pop())
      this.#lookBelow(renewed);
  }

  #lookAt(folder: FolderMemory): void {
    const at = this.#context.now();
    const stat = statOf(this.#context.disk, folder.absolute);
    const unknown = whyUnknown(stat);
    if (stat !== undefined && unknown !== undefined) this.leaveOut(folder, unknown, { stat, at });
    else if (stat?.kind !== "folder") this.#lose(folder);
    else if (folder.state !== "walked") this.#lookAgain({ folder, stat, at });
    else if (folder.isAsRemembered(stat)) this.#lookAtRows(folder, at);
    else this.#list({ folder, stat, at });
  }

  /** Checks the folder's entries only if the folder itself has changed. */
  lookFromAbove(folder: FolderMemory): void {
    const stat = statOf(this.#context.disk, folder.absolute);
    if (folder.state === "walked" && stat !== undefined && folder.isAsRemembered(stat)) return;
    this.look(folder);
  }

  lookAtEntry(folder: FolderMemory, name: PathBytes): void {
    const at = this.#context.now();
    const stat = statOf(this.#context.disk, folder.prefix + name);
    let index = folder.search(name);
    if (index < 0) {
      if (stat === undefined || isPassedOver(name)) return;
      index = -1 - index;
      folder.insert(index, name);
    } else if (stat !== undefined && this.#isAsRemembered(folder, index, stat)) {
      return;
    }
    this.#settle(folder, index, { stat, at });
  }

  /** Adds a folder that is not in the memory. `walkMet` then walks everything below the folder. */
  meet(path: PathBytes): void {
    const at = this.#context.now();
    const folder = new FolderMemory(path, this.#context.root);
    const stat = statOf(this.#context.disk, folder.absolute);
    if (stat === undefined || (stat.kind !== "folder" && whyUnknown(stat) === undefined)) {
      if (path === "") throw unusable(this.#context.root, undefined);
      return;
    }
    this.#discover(folder, { stat, at });
  }

  walkMet(): void {
    for (let met = this.#met.pop(); met !== undefined; met = this.#met.pop()) this.#arrive(met);
  }

  /**
   * Walks breadth-first until at least this many folders are waiting. Returns the waiting folders that other walkers
   * can take over, and walks the remaining folders.
   */
  giveAway(atLeast: number): PathBytes[] {
    let next = 0;
    const waiting = (): number => this.#met.length - next;
    for (; waiting() > 0 && waiting() < atLeast; next++) {
      const met = this.#met[next];
      if (met !== undefined) this.#arrive(met);
    }
    const rest = this.#met.slice(next);
    // An ignored folder is measured as a whole, so it remains with a single walker.
    this.#met = rest.filter(({ folder }) => folder.ignored !== "no");
    const given = rest.filter(({ folder }) => folder.ignored === "no").map(({ folder }) => folder.path);
    for (const path of given) this.#context.folders.delete(path);
    this.walkMet();
    return given;
  }

  /**
   * Marks the folder as lost. The folder's state is unknown, because a path above it that belongs to another walker is
   * no longer a folder.
   */
  loseTrackOf(folder: FolderMemory): void {
    this.forgetBelow(folder);
    folder.state = "lost";
  }

  /** Checks again whether a folder must be left out. */
  reconsider(folder: FolderMemory): void {
    const at = this.#context.now();
    const stat = statOf(this.#context.disk, folder.absolute);
    if (stat?.kind !== "folder") return;
    const why = this.decisions.whyNot(folder, stat);
    if (why !== undefined) this.leaveOut(folder, why, { stat, at });
    else if (folder.state !== "walked") this.#met.push({ folder, stat, at });
  }

  leaveOut(folder: FolderMemory, why: LeftOut, { stat, at }: Seen<PathStat>): void {
    if (folder.path === "") throw unusable(this.#context.root, undefined);
    folder.remember(stat, isFailure(why) ? "not" : trustIn(stat, at));
    if (folder.state === why) return;
    if (folder.state === "walked") this.#takeBack(folder.path);
    this.forgetBelow(folder);
    folder.state = why;
    this.#report(folder.path, "left-out", { stat, why });
    this.decisions.touch(this.#context.folders.get(folderOf(folder.path)));
  }

  forgetBelow(folder: FolderMemory): void {
    const waiting = subfoldersOf(folder);
    folder.clear();
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const below = this.#context.folders.get(path);
      if (below === undefined) continue;
      for (const each of subfoldersOf(below)) waiting.push(each);
      below.clear();
      below.state = "forgotten";
      this.#context.folders.delete(path);
    }
  }

  findings(unsettled: PathBytes[]): Findings {
    for (const path of unsteadyIn(this.#found, this.#gone)) {
      this.#unlearn(path);
      this.#found = this.#found.filter((found) => !isWithin(found.path, path));
    }
    return { found: this.#found, gone: this.#gone, unsettled };
  }

  #unlearn(path: PathBytes): void {
    this.#forget(path);
    this.#context.folders.get(folderOf(path))?.unlearn(path.slice(path.lastIndexOf("/") + 1));
  }

  #takeBack(folder: PathBytes): void {
    this.#found = this.#found.filter((found) => !isWithin(found.path, folder));
    this.#gone = this.#gone.filter((path) => !isWithin(path, folder));
  }

  /**
   * Checks the folder's entries, except subfolders. This is the hot loop: it makes one file system call for each entry
   * and does not allocate memory if nothing changed.
   */
  #lookAtRows(folder: FolderMemory, at: number): void {
    const { disk } = this.#context;
    const { names, prefix } = folder;
    // The loop goes backward, so that rows can be removed during the loop.
    for (let index = names.length - 1; index >= 0; index--) {
      if (((folder.rows[index * ROW + META] ?? 0) & KIND_BITS) === FOLDER_BITS) continue;
      const stat = statOf(disk, prefix + names[index]);
      if (stat === undefined || !this.#isAsRemembered(folder, index, stat))
        this.#settle(folder, index, { stat, at });
    }
  }

  #isAsRemembered(folder: FolderMemory, index: number, stat: PathStat): boolean {
    return folder.isRow(index, stat) && (this.#inodes.size === 0 || !this.#inodes.has(stat.inode));
  }

  #list(met: Met): void {
    const { folder, stat, at } = met;
    // If the folder was replaced, the new folder may have to be left out.
    const isAnother = folder.inode !== stat.inode;
    const why = isAnother ? this.decisions.whyNot(folder, stat) : undefined;
    if (why !== undefined) {
      this.leaveOut(folder, why, met);
      return;
    }
    if (folder.mode !== stat.mode) this.#reportFolder(folder, stat);
    const names = this.#namesIn(met);
    if (names === undefined) return;
    folder.remember(stat, trustIn(stat, at));
    for (const { name, kind } of folder.align(names)) this.#reportGone(folder, name, kind);
    this.#lookAtRows(folder, at);
    this.#lookAtFoldersOfOthers(folder, at);
    if (isAnother) this.#renewed.push(folder);
  }

  /**
   * Checks everything below a folder that has replaced another folder, because the walker's memory describes the
   * contents of the earlier folder.
   */
  #lookBelow(folder: FolderMemory): void {
    const waiting = subfoldersOf(folder);
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const below = this.#context.folders.get(path);
      if (below === undefined) continue;
      this.#lookAt(below);
      // This loop checks everything below the folder in any case, so a subfolder need not be queued even if it was
      // replaced as well.
      if (this.#renewed.at(-1) === below) this.#renewed.pop();
      for (const each of subfoldersOf(below)) waiting.push(each);
    }
  }

  /**
   * Checks only whether the subfolders that belong to other walkers are still folders. The other walkers check the
   * contents of these folders.
   */
  #lookAtFoldersOfOthers(folder: FolderMemory, at: number): void {
    for (const path of subfoldersOf(folder)) {
      if (this.#context.folders.has(path)) continue;
      const stat = statOf(this.#context.disk, `${this.#context.root}/${path}`);
      const index = folder.search(path.slice(path.lastIndexOf("/") + 1));
      if (whyUnknown(stat) === undefined && stat?.kind !== "folder")
        this.#settle(folder, index, { stat, at });
    }
  }

  /** Records the current state of an entry if it has changed. */
  #settle(folder: FolderMemory, index: number, seen: Seen<PathStat | undefined>): void {
    const { stat, at } = seen;
    if (stat === undefined) {
      const name = folder.names[index] ?? "";
      const kind = folder.kindAt(index);
      folder.remove(index);
      this.#reportGone(folder, name, kind);
    } else if (stat.kind !== "folder") {
      this.#settleEntry(folder, index, { stat, at });
    } else if (folder.kindAt(index) !== "folder") {
      const name = folder.names[index] ?? "";
      folder.setRow(index, "folder", signatureOf(stat));
      if (name === RULES_NAME) this.#changeRules(folder);
      this.#discover(new FolderMemory(folder.pathOf(name), this.#context.root), { stat, at });
    }
  }

  #settleEntry(folder: FolderMemory, index: number, { stat, at }: Seen<PathStat>): void {
    const name = folder.names[index] ?? "";
    const path = folder.pathOf(name);
    const whyBefore = folder.whyAt(index);
    if (folder.kindAt(index) === "folder") this.#forget(path);
    const { disk, coverage } = this.#context;
    const why = whyNotEntry(path, { disk, place: folder.prefix + name, stat }, coverage.limits);
    const kind = stat.kind === "link" && why === undefined ? "link" : why === undefined ? "file" : "left-out";
    folder.setRow(index, kind, { ...signatureOf(stat), why });
    if (isRacy(stat, at)) folder.doubt(index);
    if (why !== undefined && why === whyBefore) return;
    this.#report(path, kind, { stat, why });
    this.decisions.touch(folder);
    if (name === RULES_NAME) this.#changeRules(folder);
  }

  #discover(folder: FolderMemory, { stat, at }: Seen<PathStat>): void {
    this.#context.folders.set(folder.path, folder);
    folder.state = "lost";
    const why = whyUnknown(stat) ?? this.decisions.whyNot(folder, stat);
    if (why === undefined) this.#met.push({ folder, stat, at });
    else this.leaveOut(folder, why, { stat, at });
  }

  #arrive(met: Met): void {
    const { folder, stat, at } = met;
    // The folder was found twice or no longer exists.
    if (folder.state === "walked" || folder.state === "forgotten") return;
    const names = this.#namesIn(met);
    if (names === undefined) return;
    folder.state = "walked";
    folder.remember(stat, trustIn(stat, at));
    this.#reportFolder(folder, stat);
    folder.align(names);
    this.#arrivedAt = folder;
    this.#lookAtRows(folder, this.#context.now());
    this.#arrivedAt = undefined;
  }

  /** Decides again whether to walk a folder that was left out or lost. */
  #lookAgain(met: Met): void {
    const { folder, stat } = met;
    const { state } = folder;
    const isSettled = state !== "unreadable" && state !== "path-too-long" && state !== "lost";
    if (isSettled && folder.isAsRemembered(stat)) return;
    const why = this.decisions.whyNot(folder, stat);
    if (why === undefined) this.#met.push(met);
    else this.leaveOut(folder, why, met);
  }

  /** Returns the sorted names in a folder. If the names cannot be read, reports the problem and returns undefined. */
  #namesIn({ folder, ...seen }: Met): PathBytes[] | undefined {
    try {
      const names = this.#context.disk.names(folder.absolute).sort();
      return names.some(isPassedOver) ? names.filter((name) => !isPassedOver(name)) : names;
    } catch (cause) {
      if (folder.path === "") throw unusable(this.#context.root, cause);
      if (isMissing(cause)) this.#lose(folder);
      else this.leaveOut(folder, whyUnreachable(cause), seen);
      return undefined;
    }
  }

  /**
   * Handles a path that is no longer a folder. The walker that owns the parent folder reports what replaced the folder.
   */
  #lose(folder: FolderMemory): void {
    if (folder.path === "") throw unusable(this.#context.root, undefined);
    const above = this.#context.folders.get(folderOf(folder.path));
    if (above === undefined) this.loseTrackOf(folder);
    else this.lookAtEntry(above, folder.name);
  }

  #forget(path: PathBytes): void {
    const folder = this.#context.folders.get(path);
    if (folder === undefined) return;
    this.forgetBelow(folder);
    folder.state = "forgotten";
    this.#context.folders.delete(path);
  }

  #reportGone(folder: FolderMemory, name: PathBytes, kind: RowKind): void {
    if (kind === "new") return;
    const path = folder.pathOf(name);
    if (kind === "folder") this.#forget(path);
    this.#gone.push(path);
    this.decisions.touch(folder);
    if (name === RULES_NAME) this.#changeRules(folder);
  }

  #changeRules(folder: FolderMemory): void {
    // All decisions about a folder that was just found were made with the new rules.
    if (folder === this.#arrivedAt) return;
    this.rulesChanged.add(folder.path);
    this.decisions.forgetRules();
  }

  #reportFolder(folder: FolderMemory, stat: PathStat): void {
    this.#report(folder.path, "folder", { stat, why: undefined });
    this.decisions.touch(folder);
  }

  #report(
    path: PathBytes,
    kind: Found["kind"],
    { stat, why }: { stat: PathStat; why: LeftOut | undefined },
  ): void {
    const { mode, size } = stat;
    this.#found.push({
      path,
      kind,
      ...(why === undefined ? {} : { why }),
      mode,
      size,
      signature: signatureOf(stat),
    });
  }
}

function trustIn(stat: PathStat, at: number): "trusted" | "not" {
  return isRacy(stat, at) ? "not" : "trusted";
}

function unusable(root: PathBytes, cause: unknown): WorldlineError {
  return new WorldlineError("workspace-not-listed", { workspace: shownPath(root) }, { cause });
}
