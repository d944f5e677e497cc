import type { RestoreStep } from "../../ports/workspace-files.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { PathBytes } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";

export type ReadContent = (hash: ObjectHash) => Uint8Array;

/** So that small restores, which most are, read each content once and not twice. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** The contents that the steps of a restore need. */
export class NeededContents {
  readonly #read: ReadContent;
  readonly #kept = new Map<ObjectHash, Uint8Array>();
  #keptBytes = 0;

  constructor(read: ReadContent) {
    this.#read = read;
  }

  /** Reads them all, before anything moves; returns the paths whose content cannot be had, and why. */
  missing(steps: readonly RestoreStep[]): Map<PathBytes, string> {
    const faults = new Map<ObjectHash, string>();
    const checked = new Set<ObjectHash>();
    const missing = new Map<PathBytes, string>();
    for (const { path, before, after } of steps) {
      if (after?.kind !== "file") continue;
      // Only the mode changes: the bytes are there already.
      if (before?.kind === "file" && before.hash === after.hash) continue;
      if (!checked.has(after.hash)) this.#check(after.hash, faults);
      checked.add(after.hash);
      const fault = faults.get(after.hash);
      if (fault !== undefined) missing.set(path, fault);
    }
    return missing;
  }

  bytesOf(hash: ObjectHash): Uint8Array {
    return this.#kept.get(hash) ?? this.#read(hash);
  }

  #check(hash: ObjectHash, faults: Map<ObjectHash, string>): void {
    try {
      const bytes = this.#read(hash);
      if (this.#keptBytes + bytes.length > KEPT_BYTES) return;
      this.#keptBytes += bytes.length;
      this.#kept.set(hash, bytes);
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      faults.set(hash, error.message);
    }
  }
}
