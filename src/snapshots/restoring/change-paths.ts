import type { RestoreStep } from "../../ports/workspace-files.ts";
import { errnoOf, type Remark, remark } from "../../record/error.ts";
import { type FileContent, type FolderState, folderOf, type PathBytes } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { WorkspaceDisk } from "../workspace/workspace-disk.ts";
import { type FolderModes, isOurs, OPEN, openMode, type PathInspector, type Seen } from "./inspect-paths.ts";
import { kept, type Outcome, passOver, RESTORED, saying } from "./outcome.ts";
import type { Temporaries } from "./temporaries.ts";

interface PathChangerDeps {
  readonly disk: WorkspaceDisk;
  readonly inspector: PathInspector;
  readonly modes: FolderModes;
  readonly temporaries: Temporaries;
  readonly bytesOf: (hash: ObjectHash) => Uint8Array;
  readonly prepared: PreparedFiles;
  /** The remark for a path that another process changed during the restore or after the restore was interrupted. */
  readonly changed: Remark;
}

/** Result of a change. "not-empty" means that the path is a folder that must not be removed. */
type Changed = Outcome | "not-empty";

/** Changes one path from the state that was seen to its target state. If a change throws, the path is unchanged. */
export class PathChanger {
  /** Paths that must be synced before the restore is complete. */
  readonly touched: Set<PathBytes> = new Set();
  readonly #deps: PathChangerDeps;

  constructor(parts: PathChangerDeps) {
    this.#deps = parts;
  }

  /**
   * Performs a step. Waits for the disk only if the content could not be prepared earlier and must now be made durable.
   */
  async change({ path, after }: RestoreStep, seen: Seen): Promise<Changed> {
    switch (after?.kind) {
      case undefined:
        return this.#remove(path, seen);
      case "folder":
        return this.#putFolder(path, seen, after);
      case "file":
        return this.#putFile(path, seen, after);
      case "link":
        return this.#putLink(path, seen, after.target);
      default:
        return kept(remark("restore-left-out"));
    }
  }

  #remove(path: PathBytes, seen: Seen): Changed {
    const { disk, inspector, changed } = this.#deps;
    if (seen.stat?.kind === "folder") return this.#removeFolder(path) ?? RESTORED;
    if (!inspector.isUntouched(path, seen)) return kept(changed);
    disk.unlink(inspector.absolute(path));
    this.#deps.modes.forget(path);
    this.touched.add(folderOf(path));
    return RESTORED;
  }

  /**
   * Removes an empty folder and returns undefined. Does not remove a folder with contents, because the contents may not
   * have been captured.
   */
  #removeFolder(path: PathBytes): "not-empty" | undefined {
    const { disk, inspector, modes } = this.#deps;
    try {
      disk.removeFolder(inspector.absolute(path));
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === "ENOTEMPTY" || errno === "EEXIST") return "not-empty";
      throw error;
    }
    modes.forget(path);
    this.touched.delete(path);
    this.touched.add(folderOf(path));
    return undefined;
  }

  async #putFile(path: PathBytes, seen: Seen, after: FileContent): Promise<Changed> {
    const { disk, inspector, bytesOf, prepared, temporaries, changed, modes } = this.#deps;
    const ready = prepared.take(path);
    if (ready !== undefined) return this.#replace(path, seen, ready);
    const sameBytes = seen.bytesIf(after);
    // If the file has a second hard link, which may be outside the workspace, setting the mode here would also change
    // the mode there.
    if (sameBytes !== undefined && seen.stat?.links === 1) {
      if (!inspector.isUntouched(path, seen)) return kept(changed);
      const open = openMode("file", after.mode);
      disk.chmod(inspector.absolute(path), open, seen.stat);
      modes.forget(path);
      if (open !== after.mode) modes.wanted.set(path, after.mode);
      this.touched.add(path);
      return RESTORED;
    }
    const bytes = sameBytes ?? bytesOf(after.hash);
    const made = await prepared.prepareNow(path, bytes, after.mode);
    if (inspector.isUntouched(path, seen) && seen.readsTheSame()) return this.#replace(path, seen, made);
    temporaries.remove(made.temporary);
    return kept(changed);
  }

  #putLink(path: PathBytes, seen: Seen, target: PathBytes): Changed {
    const { disk, inspector, temporaries } = this.#deps;
    const temporary = temporaries.freshBeside(path);
    try {
      disk.makeLink(inspector.absolute(temporary), target);
    } catch (error) {
      temporaries.remove(temporary);
      throw error;
    }
    return this.#replace(path, seen, { temporary });
  }

  /** Moves the prepared file into place with a rename, so that readers never see an incomplete file. */
  #replace(path: PathBytes, seen: Seen, { temporary, mode }: PreparedFile): Changed {
    const { inspector, temporaries, changed, modes } = this.#deps;
    try {
      const refusal = inspector.isUntouched(path, seen)
        ? this.#moveInto(path, temporary, seen)
        : kept(changed);
      if (refusal !== undefined) {
        temporaries.remove(temporary);
        return refusal;
      }
    } catch (error) {
      temporaries.remove(temporary);
      throw error;
    }
    modes.forget(path);
    if (mode !== undefined) {
      modes.wanted.set(path, mode);
      this.touched.add(path);
    }
    this.touched.add(folderOf(path));
    return isHardLinked(seen) ? saying(RESTORED, remark("path-hard-link-split")) : RESTORED;
  }

  /**
   * Moves the file into place and returns undefined. If the move fails, re-creates an empty folder that had to be
   * removed first.
   */
  #moveInto(path: PathBytes, temporary: PathBytes, { stat }: Seen): "not-empty" | undefined {
    const { disk, inspector, modes } = this.#deps;
    const place = inspector.absolute(path);
    const isFolder = stat?.kind === "folder";
    const mode = modes.opened.get(path) ?? stat?.mode ?? 0;
    const refusal = isFolder ? this.#removeFolder(path) : undefined;
    if (refusal !== undefined) return refusal;
    try {
      disk.rename(inspector.absolute(temporary), place);
      return undefined;
    } catch (error) {
      if (isFolder) tryTo(() => disk.makeFolder(place, mode));
      throw error;
    }
  }

  #putFolder(path: PathBytes, seen: Seen, after: FolderState): Outcome {
    const { modes } = this.#deps;
    // Nothing can be created in a folder that its owner may not write to, so such a mode is set at the end.
    if (seen.stat?.kind === "folder" || (after.mode & OPEN) !== OPEN) modes.wanted.set(path, after.mode);
    if (seen.stat?.kind === "folder") {
      this.touched.add(path);
      return RESTORED;
    }
    try {
      return this.#makeFolder(path, seen, after.mode | OPEN);
    } catch (error) {
      modes.wanted.delete(path);
      throw error;
    }
  }

  #makeFolder(path: PathBytes, seen: Seen, mode: number): Outcome {
    const { disk, inspector, temporaries, modes, changed } = this.#deps;
    const temporary = temporaries.freshBeside(path);
    const place = inspector.absolute(path);
    try {
      disk.makeFolder(inspector.absolute(temporary), mode);
      if (!inspector.isUntouched(path, seen)) {
        temporaries.remove(temporary);
        modes.wanted.delete(path);
        return kept(changed);
      }
      if (seen.stat === undefined) disk.rename(inspector.absolute(temporary), place);
      else this.#swapInFolder(path, temporary);
      modes.opened.delete(path);
    } catch (error) {
      temporaries.remove(temporary);
      throw error;
    }
    this.touched.add(folderOf(path));
    this.touched.add(path);
    return RESTORED;
  }

  /**
   * Replaces a file or link with a folder. A folder cannot be renamed over a file or link, so the old file or link is
   * moved aside first, and moved back if the rename fails.
   */
  #swapInFolder(path: PathBytes, temporary: PathBytes): void {
    const { disk, inspector, temporaries } = this.#deps;
    const old = temporaries.oldBeside(path);
    const place = inspector.absolute(path);
    disk.rename(place, inspector.absolute(old));
    try {
      disk.rename(inspector.absolute(temporary), place);
    } catch (error) {
      tryTo(() => disk.rename(inspector.absolute(old), place));
      throw error;
    }
    temporaries.remove(old);
  }
}

function isHardLinked({ stat }: Seen): boolean {
  return stat?.kind === "file" && stat.links > 1;
}

/**
 * Undoes the first half of a change whose second half failed. Ignores errors, because the caller receives the error
 * from the second half.
 */
function tryTo(work: () => void): void {
  try {
    work();
  } catch (error) {
    passOver(error);
  }
}

interface PreparedFilesDeps {
  readonly disk: WorkspaceDisk;
  readonly inspector: PathInspector;
  readonly modes: FolderModes;
  readonly temporaries: Temporaries;
  readonly bytesOf: (hash: ObjectHash) => Uint8Array;
}

type FileStep = RestoreStep & { readonly after: FileContent };

/** Content that was written to a temporary file next to its target path. */
interface PreparedFile {
  readonly temporary: PathBytes;
  /**
   * The mode that is set at the end of the restore. Present if the mode prevents the owner from reading the file,
   * because the file must be synced and compared first.
   */
  readonly mode?: number;
}

/**
 * Writes contents next to their target paths and makes many of them durable at once before any of them is moved into
 * place. A power loss therefore never leaves an empty file at a target path, and the restore waits for the disk only
 * once for all of them.
 */
export class PreparedFiles {
  readonly #deps: PreparedFilesDeps;
  readonly #preparedByPath = new Map<PathBytes, PreparedFile>();

  constructor(parts: PreparedFilesDeps) {
    this.#deps = parts;
  }

  /** Prepares file contents. If a file's content cannot be prepared, the step for that file tries again. */
  async prepare(steps: readonly RestoreStep[]): Promise<void> {
    for (const { path, before, after } of steps) {
      if (after?.kind !== "file" || before?.kind === "left-out" || !isOurs(path)) continue;
      const prepared = this.#tryToWrite({ path, before, after });
      if (prepared !== undefined) this.#preparedByPath.set(path, prepared);
    }
    const places = [...this.#preparedByPath].map(([path, { temporary }]) => [temporary, path] as const);
    const pathByTemporary = new Map(places);
    for (const temporary of (await this.#sync([...pathByTemporary.keys()])).keys()) {
      this.#drop(pathByTemporary.get(temporary) ?? "");
    }
  }

  /** Like `prepare`, but for a single step that is being performed. Throws if the content cannot be made durable. */
  async prepareNow(path: PathBytes, bytes: Uint8Array, mode: number): Promise<PreparedFile> {
    const prepared = this.#write(path, bytes, mode);
    for (const failure of (await this.#sync([prepared.temporary])).values()) {
      this.#deps.temporaries.remove(prepared.temporary);
      throw failure;
    }
    return prepared;
  }

  /** Returns the prepared file for a path. The caller must then move or remove the file. */
  take(path: PathBytes): PreparedFile | undefined {
    const prepared = this.#preparedByPath.get(path);
    this.#preparedByPath.delete(path);
    return prepared;
  }

  /** Removes prepared files that were not used because their paths were kept. */
  clear(): void {
    for (const path of [...this.#preparedByPath.keys()]) this.#drop(path);
  }

  #drop(path: PathBytes): void {
    const prepared = this.take(path);
    if (prepared !== undefined) this.#deps.temporaries.remove(prepared.temporary);
  }

  /** Syncs the files. Returns the files that could not be made durable, each with the error. */
  async #sync(temporaries: readonly PathBytes[]): Promise<ReadonlyMap<PathBytes, unknown>> {
    const { disk, inspector } = this.#deps;
    const failures = await disk.sync(temporaries.map((temporary) => inspector.absolute(temporary)));
    if (failures.size === 0) return failures;
    return new Map(
      temporaries
        .map((temporary) => [temporary, failures.get(inspector.absolute(temporary))] as const)
        // Some file systems do not support sync.
        .filter(([, failure]) => failure !== undefined && errnoOf(failure) !== "EINVAL"),
    );
  }

  #tryToWrite(step: FileStep): PreparedFile | undefined {
    try {
      return this.#writeFor(step);
    } catch (error) {
      if (errnoOf(error) !== "EACCES") return passOver(error);
    }
    try {
      this.#deps.modes.open(step.path, this.#deps.inspector);
      return this.#writeFor(step);
    } catch (error) {
      return passOver(error);
    }
  }

  #writeFor(step: FileStep): PreparedFile | undefined {
    if (this.#deps.inspector.obstacle(step.path) !== undefined) return undefined;
    const bytes = this.#bytesFor(step);
    return bytes === undefined ? undefined : this.#write(step.path, bytes, step.after.mode);
  }

  /**
   * Returns the bytes to prepare, or undefined if only the mode changes. A file with a second hard link must be
   * replaced even if only its mode changes.
   */
  #bytesFor({ path, before, after }: FileStep): Uint8Array | undefined {
    const { inspector, bytesOf } = this.#deps;
    if (before?.kind !== "file" || before.hash !== after.hash) return bytesOf(after.hash);
    const seen = inspector.see(path);
    return seen.stat?.kind === "file" && seen.stat.links > 1 ? seen.bytesIf(after) : undefined;
  }

  #write(path: PathBytes, bytes: Uint8Array, mode: number): PreparedFile {
    const { disk, inspector, temporaries } = this.#deps;
    const temporary = temporaries.anotherBeside(path);
    try {
      const open = openMode("file", mode);
      disk.writeNew(inspector.absolute(temporary), bytes, open);
      return open === mode ? { temporary } : { temporary, mode };
    } catch (error) {
      temporaries.remove(temporary);
      throw error;
    }
  }
}
