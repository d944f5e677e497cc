import type { RestoreStep } from "../../../ports/workspace-files.ts";
import { errnoOf } from "../../../record/error.ts";
import type { FileContent, PathBytes } from "../../../record/files.ts";
import type { ObjectHash } from "../../../record/ids.ts";
import type { WorkspaceDisk } from "../../workspace/workspace-disk.ts";
import { whyFailed } from "../why-failed.ts";
import { type FolderModes, openMode } from "./folder-modes.ts";
import { isOurs, type PathLooker } from "./path-looker.ts";
import type { Temporaries } from "./temporaries.ts";

export interface PreparedParts {
  readonly disk: WorkspaceDisk;
  readonly looker: PathLooker;
  readonly modes: FolderModes;
  readonly temporaries: Temporaries;
  readonly bytesOf: (hash: ObjectHash) => Uint8Array;
}

type FileStep = RestoreStep & { readonly after: FileContent };

/** A content that waits beside its place. */
export interface Prepared {
  readonly temporary: PathBytes;
  /** What it gets at the end of the restore, where its owner may not read it: until then it is synced and compared. */
  readonly mode?: number;
}

/**
 * Contents that were written beside their places and made durable, many at once, before any of them is moved there: so a
 * loss of power never leaves an empty file in a place, and the disk is waited for once.
 */
export class PreparedFiles {
  readonly #parts: PreparedParts;
  readonly #preparedByPath = new Map<PathBytes, Prepared>();

  constructor(parts: PreparedParts) {
    this.#parts = parts;
  }

  /** What cannot be prepared is left to its step, which then fails, or not, by itself. */
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

  /** As `prepare`, for one whose turn has come; throws what keeps it from being durable. */
  async prepareNow(path: PathBytes, bytes: Uint8Array, mode: number): Promise<Prepared> {
    const prepared = this.#write(path, bytes, mode);
    for (const failure of (await this.#sync([prepared.temporary])).values()) {
      this.#parts.temporaries.remove(prepared.temporary);
      throw failure;
    }
    return prepared;
  }

  /** Where the content of a path waits; from now on whoever takes it sees to it. */
  take(path: PathBytes): Prepared | undefined {
    const prepared = this.#preparedByPath.get(path);
    this.#preparedByPath.delete(path);
    return prepared;
  }

  /** Removes what nobody took, because its path was kept. */
  clear(): void {
    for (const path of [...this.#preparedByPath.keys()]) this.#drop(path);
  }

  #drop(path: PathBytes): void {
    const prepared = this.take(path);
    if (prepared !== undefined) this.#parts.temporaries.remove(prepared.temporary);
  }

  /** Which of them are not durable, and why. */
  async #sync(temporaries: readonly PathBytes[]): Promise<ReadonlyMap<PathBytes, unknown>> {
    const { disk, looker } = this.#parts;
    const failures = await disk.sync(temporaries.map((temporary) => looker.absolute(temporary)));
    if (failures.size === 0) return failures;
    return new Map(
      temporaries
        .map((temporary) => [temporary, failures.get(looker.absolute(temporary))] as const)
        // Some file systems know no sync.
        .filter(([, failure]) => failure !== undefined && errnoOf(failure) !== "EINVAL"),
    );
  }

  #tryToWrite(step: FileStep): Prepared | undefined {
    try {
      return this.#writeFor(step);
    } catch (error) {
      if (errnoOf(error) !== "EACCES") return refused(error);
    }
    try {
      this.#parts.modes.open(step.path, this.#parts.looker);
      return this.#writeFor(step);
    } catch (error) {
      return refused(error);
    }
  }

  #writeFor(step: FileStep): Prepared | undefined {
    if (this.#parts.looker.obstacle(step.path) !== undefined) return undefined;
    const bytes = this.#bytesFor(step);
    return bytes === undefined ? undefined : this.#write(step.path, bytes, step.after.mode);
  }

  /** None where a mode alone is changed: only a file with a second name needs a successor for that. */
  #bytesFor({ path, before, after }: FileStep): Uint8Array | undefined {
    const { looker, bytesOf } = this.#parts;
    if (before?.kind !== "file" || before.hash !== after.hash) return bytesOf(after.hash);
    const seen = looker.see(path);
    return seen.stat?.kind === "file" && seen.stat.links > 1 ? seen.bytesIf(after) : undefined;
  }

  #write(path: PathBytes, bytes: Uint8Array, mode: number): Prepared {
    const { disk, looker, temporaries } = this.#parts;
    const temporary = temporaries.anotherBeside(path);
    try {
      const open = openMode("file", mode);
      disk.writeNew(looker.absolute(temporary), bytes, open);
      return open === mode ? { temporary } : { temporary, mode };
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
