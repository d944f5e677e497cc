import type { PathBytes } from "../../record/files.ts";
import type { Dirty } from "../../snapshots/watch-workspace.ts";

export interface Pace {
  /** Files are at rest when nothing has changed for so long. */
  readonly quietMs: number;
  /** While they keep changing, they are looked at this often. */
  readonly maxMs: number;
}

/** What may have changed since the last look, and when it will be time to look. Pure but for what it remembers. */
export class Unrest {
  #dirty: Dirty | undefined;
  #first = 0;
  #last = 0;

  mark(dirty: Dirty, at: number): void {
    if (dirty !== "all" && dirty.size === 0) return;
    if (this.#dirty === undefined) this.#first = at;
    this.#last = at;
    this.#dirty = joined(this.#dirty, dirty);
  }

  /** When to look; never, where nothing has changed. */
  dueAt({ quietMs, maxMs }: Pace): number {
    if (this.#dirty === undefined) return Number.POSITIVE_INFINITY;
    return Math.min(this.#last + quietMs, this.#first + maxMs);
  }

  /** For whoever looks now: from here on it is at rest. */
  take(): Dirty | undefined {
    const dirty = this.#dirty;
    this.#dirty = undefined;
    return dirty;
  }
}

function joined(one: Dirty | undefined, other: Dirty): Dirty {
  if (one === undefined || other === "all") return other;
  return one === "all" ? one : new Set<PathBytes>([...one, ...other]);
}
