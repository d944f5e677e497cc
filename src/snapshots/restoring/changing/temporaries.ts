import type { RestoreStep } from "../../../ports/workspace-files.ts";
import { folderOf, type PathBytes, pathIn } from "../../../record/files.ts";
import { RESTORING } from "../../finding/coverage.ts";
import type { WorkspaceDisk } from "../../workspace/workspace-disk.ts";
import { whyFailed } from "../why-failed.ts";
import { beside, type PathLooker } from "./path-looker.ts";

/**
 * What a restore puts beside a path while it changes it: what is to come, and, where a folder takes the place of
 * something else, what was there. The token of the restore is in the names, so that a later one knows its own.
 */
export class Temporaries {
  readonly #token: string;
  readonly #disk: WorkspaceDisk;
  readonly #looker: PathLooker;
  /** What could not be removed when it was time. */
  readonly #left = new Set<PathBytes>();
  #made = 0;

  constructor(place: {
    readonly token: string;
    readonly disk: WorkspaceDisk;
    readonly looker: PathLooker;
  }) {
    this.#token = place.token;
    this.#disk = place.disk;
    this.#looker = place.looker;
  }

  /** Where what is to come is made. */
  freshBeside(path: PathBytes): PathBytes {
    const temporary = this.#newBeside(path);
    if (this.#left.has(temporary)) this.remove(temporary);
    return temporary;
  }

  /** Where one of many is made, which stand side by side until all are durable. */
  anotherBeside(path: PathBytes): PathBytes {
    this.#made += 1;
    return `${this.#newBeside(path)}.${this.#made}`;
  }

  /** Where what was there waits until its successor stands. */
  oldBeside(path: PathBytes): PathBytes {
    return beside(path, `${RESTORING}${this.#token}.old`);
  }

  /** Removes it, if it is there. What cannot be removed now is tried again at the end. */
  remove(temporary: PathBytes): "removed" | "left" {
    try {
      const place = this.#looker.absolute(temporary);
      const kind = this.#disk.stat(place)?.kind;
      if (kind === "folder") this.#disk.removeFolder(place);
      else if (kind !== undefined) this.#disk.unlink(place);
      this.#left.delete(temporary);
      return "removed";
    } catch (error) {
      whyFailed(error);
      this.#left.add(temporary);
      return "left";
    }
  }

  /** Tries once more; returns what is still there. */
  removeLeft(): PathBytes[] {
    return [...this.#left].filter(
      (temporary) => !this.#isReachable(temporary) || this.remove(temporary) === "left",
    );
  }

  /**
   * Clears away what a restore has left that was cut off. What it had moved aside, and whose place is still empty,
   * goes back there, so that every path is as it was or as it is to be.
   */
  clear(steps: readonly RestoreStep[]): void {
    const folders = new Set<PathBytes>();
    for (const step of steps) {
      if (step.path === "" || !this.#isReachable(step.path)) continue;
      this.#putBack(step);
      folders.add(folderOf(step.path));
    }
    for (const folder of folders) for (const name of this.#ownIn(folder)) this.remove(pathIn(folder, name));
  }

  #ownIn(folder: PathBytes): PathBytes[] {
    try {
      const prefix = `${RESTORING}${this.#token}`;
      return this.#disk.names(this.#looker.absolute(folder)).filter((name) => name.startsWith(prefix));
    } catch (error) {
      // What cannot be listed can hold nothing of ours that could be removed.
      whyFailed(error);
      return [];
    }
  }

  #newBeside(path: PathBytes): PathBytes {
    return beside(path, `${RESTORING}${this.#token}`);
  }

  #putBack({ path, before, after }: RestoreStep): void {
    if (after?.kind !== "folder" || before === undefined || before.kind === "folder") return;
    try {
      const old = this.#looker.absolute(this.oldBeside(path));
      const place = this.#looker.absolute(path);
      if (this.#disk.stat(place) !== undefined || !this.#looker.seeAt(old).is(before)) return;
      this.#disk.rename(old, place);
    } catch (error) {
      // Then the place stays empty, and the folder is made there.
      whyFailed(error);
    }
  }

  #isReachable(path: PathBytes): boolean {
    try {
      return this.#looker.obstacle(path) === undefined;
    } catch (error) {
      whyFailed(error);
      return false;
    }
  }
}
