import { errnoOf } from "../../../disk/disk.ts";
import type { RestoreStep } from "../../../ports/workspace-files.ts";
import type { FileContent, PathBytes } from "../../../record/files.ts";
import type { ObjectHash } from "../../../record/ids.ts";
import type { WorkspaceDisk } from "../../workspace/workspace-disk.ts";
import { whyFailed } from "../why-failed.ts";
import type { FolderModes } from "./folder-modes.ts";
import { isOurs, type PathLooker } from "./path-looker.ts";
import type { Temporaries } from "./temporaries.ts";

export interface PreparedParts {
  readonly disk: WorkspaceDisk;
  readonly looker: PathLooker;
  readonly modes: FolderModes;
  readonly temporaries: Temporaries;
  readonly bytesOf: (hash: ObjectHash) => Uint8Array;
}

/**
 * Contents that were written beside their places and made durable, many at once, before any of them is moved there: so a
 * loss of power never leaves an empty file in a place, and the disk is waited for once.
 */
export class PreparedFiles {
  readonly #parts: PreparedParts;
  readonly #temporaryByPath = new Map<PathBytes, PathBytes>();

  constructor(parts: PreparedParts) {
    this.#parts = parts;
  }

  /** What cannot be prepared is left to its step, which then fails, or not, by itself. */
  async prepare(steps: readonly RestoreStep[]): Promise<void> {
    for (const { path, before, after } of steps) {
      if (after?.kind !== "file" || before?.kind === "left-out" || !isOurs(path)) continue;
      if (before?.kind === "file" && before.hash === after.hash) continue;
      const temporary = this.#tryToWrite(path, after);
      if (temporary !== undefined) this.#temporaryByPath.set(path, temporary);
    }
    const { disk, looker } = this.#parts;
    const places = new Map([...this.#temporaryByPath].map(([path, own]) => [looker.absolute(own), path]));
    for (const [place] of await disk.sync([...places.keys()])) this.#drop(places.get(place) ?? "");
  }

  /** Where the content of a path waits; from now on whoever takes it sees to it. */
  take(path: PathBytes): PathBytes | undefined {
    const temporary = this.#temporaryByPath.get(path);
    this.#temporaryByPath.delete(path);
    return temporary;
  }

  /** Removes what nobody took, because its path was kept. */
  clear(): void {
    for (const path of [...this.#temporaryByPath.keys()]) this.#drop(path);
  }

  #drop(path: PathBytes): void {
    const temporary = this.take(path);
    if (temporary !== undefined) this.#parts.temporaries.remove(temporary);
  }

  #tryToWrite(path: PathBytes, after: FileContent): PathBytes | undefined {
    try {
      return this.#write(path, after);
    } catch (error) {
      if (errnoOf(error) !== "EACCES") return refused(error);
    }
    try {
      this.#parts.modes.open(path, this.#parts.looker);
      return this.#write(path, after);
    } catch (error) {
      return refused(error);
    }
  }

  #write(path: PathBytes, after: FileContent): PathBytes | undefined {
    const { disk, looker, temporaries, bytesOf } = this.#parts;
    if (looker.obstacle(path) !== undefined) return undefined;
    const temporary = temporaries.anotherBeside(path);
    try {
      disk.writeNew(looker.absolute(temporary), bytesOf(after.hash), after.mode);
      return temporary;
    } catch (error) {
      temporaries.remove(temporary);
      throw error;
    }
  }
}

/** Its step will meet the same, and say it; what is no failure of the disk must not be passed over. */
function refused(error: unknown): undefined {
  whyFailed(error);
  return undefined;
}
