import type { ChangedFile } from "../../../ports/agent-events.ts";
import { isSameOutside, type OutsideChange, type OutsideState } from "../../../record/outside.ts";

/** What the tools of a turn wrote where no snapshot looks. */
export class OutsideChanges {
  readonly #byPath = new Map<
    string,
    { readonly before: OutsideState | undefined; after: OutsideState | undefined }
  >();

  add(changes: readonly OutsideChange[]): void {
    for (const { path, before, after } of changes) {
      const known = this.#byPath.get(path);
      if (known === undefined) this.#byPath.set(path, { before, after });
      else known.after = after;
    }
  }

  /** As the turn's end tells them; the next turn begins with none. */
  take(): readonly ChangedFile[] {
    const changed = [...this.#byPath].flatMap(([path, { before, after }]): ChangedFile[] => {
      if (isSameOutside(before, after)) return [];
      return [
        { path, change: before === undefined ? "created" : after === undefined ? "deleted" : "changed" },
      ];
    });
    this.#byPath.clear();
    return changed;
  }
}
