import { folderOf, type PathBytes } from "../../../record/files.ts";
import { byBytes } from "../../comparing/by-path.ts";
import type { WorkspaceDisk } from "../../workspace/workspace-disk.ts";
import { whyFailed } from "../why-failed.ts";
import { foldersAbove, type PathLooker } from "./path-looker.ts";

/** What the owner needs of a folder to change what is in it. */
export const OPEN = 0o700;

/** A folder that its owner may not change, as it is before a restore begins. */
export interface ClosedFolder {
  readonly path: PathBytes;
  readonly mode: number;
}

/**
 * The modes of folders while a restore runs. One that is closed to its owner is opened when something in it has to
 * change, and gets its mode at the very end, as do folders whose mode is restored.
 */
export class FolderModes {
  /** As they were, of those that we opened. */
  readonly opened: Map<PathBytes, number>;
  /** What steps want. */
  readonly wanted: Map<PathBytes, number> = new Map();
  readonly #disk: WorkspaceDisk;

  constructor(disk: WorkspaceDisk, opened: Map<PathBytes, number>) {
    this.#disk = disk;
    this.opened = opened;
  }

  /** Opens what is closed on the way to `path`. Only after the system has refused: root needs nothing opened. */
  open(path: PathBytes, looker: PathLooker): "opened" | "nothing-to-open" {
    let answer: "opened" | "nothing-to-open" = "nothing-to-open";
    for (const folder of foldersAbove(path)) {
      const stat = this.#disk.stat(looker.absolute(folder));
      if (stat?.kind !== "folder") break;
      if ((stat.mode & OPEN) === OPEN) continue;
      this.#disk.chmod(looker.absolute(folder), stat.mode | OPEN);
      if (!this.opened.has(folder)) this.opened.set(folder, stat.mode);
      answer = "opened";
    }
    return answer;
  }

  /** The folder is gone, and its mode with it. */
  forget(path: PathBytes): void {
    this.opened.delete(path);
    this.wanted.delete(path);
  }

  final(path: PathBytes): number | undefined {
    return this.wanted.get(path) ?? this.opened.get(path);
  }

  /** Gives the folder the mode that it is to have, and says whether it has it. */
  close(path: PathBytes, looker: PathLooker): "closed" | "not-as-it-should-be" {
    const mode = this.final(path);
    const place = looker.absolute(path);
    if (mode === undefined || looker.obstacle(path) !== undefined) return "not-as-it-should-be";
    if (this.#disk.stat(place)?.kind !== "folder") return "not-as-it-should-be";
    if (this.#disk.stat(place)?.mode !== mode) this.#disk.chmod(place, mode);
    return this.#disk.stat(place)?.mode === mode ? "closed" : "not-as-it-should-be";
  }
}

/**
 * The closed folders on the way to these paths. The journal names them: should the restore be cut off while they
 * are open, that tells which mode they had.
 */
export function closedFolders(
  paths: readonly PathBytes[],
  looker: PathLooker,
  disk: WorkspaceDisk,
): ClosedFolder[] {
  const closed: ClosedFolder[] = [];
  const folders = new Set<PathBytes>();
  for (const path of paths) {
    for (let at = path; at !== "" && !folders.has(folderOf(at)); at = folderOf(at)) folders.add(folderOf(at));
  }
  const real = new Set<PathBytes>();
  // Folders come before what they hold, so that the one above is known by then.
  for (const path of [...folders].sort(byBytes)) {
    if (path !== "" && !real.has(folderOf(path))) continue;
    const mode = folderMode(disk, looker.absolute(path));
    if (mode === undefined) continue;
    real.add(path);
    if ((mode & OPEN) !== OPEN) closed.push({ path, mode });
  }
  return closed;
}

/** Which of the closed folders a restore that was cut off has left open. */
export function leftOpen(
  closed: readonly ClosedFolder[],
  looker: PathLooker,
  disk: WorkspaceDisk,
): Map<PathBytes, number> {
  const open = new Map<PathBytes, number>();
  for (const { path, mode } of closed) {
    try {
      if (looker.obstacle(path) !== undefined) continue;
      if (folderMode(disk, looker.absolute(path)) === (mode | OPEN)) open.set(path, mode);
    } catch (error) {
      // Whatever is in it fails by itself, and says so.
      whyFailed(error);
    }
  }
  return open;
}

/** Undefined where there is no folder, or none that can be looked at: each path in it then says so itself. */
function folderMode(disk: WorkspaceDisk, place: PathBytes): number | undefined {
  try {
    const stat = disk.stat(place);
    return stat?.kind === "folder" ? stat.mode : undefined;
  } catch (error) {
    whyFailed(error);
    return undefined;
  }
}
