import { withSnapshotId } from "../../machine/files/intervals.ts";
import type { SessionView } from "../../machine/view.ts";
import type { Author } from "../../record/entry.ts";
import type { SnapshotId } from "../../record/ids.ts";

/** What the log says of a checkpoint's files. */
export interface SnapshotTold {
  readonly state: "complete" | "partial" | "none";
  readonly snapshot?: SnapshotId;
  /** Who changed the files up to there. */
  readonly author: Author;
}

/** The last word of a log on the files of each checkpoint; what has been read once is not read again. */
export class SnapshotsTold {
  readonly #byNumber = new Map<number, SnapshotTold>();
  #upTo = 0;

  /** `wanted`: only of these checkpoints, for a session that is looked at once. */
  async of(view: SessionView, wanted?: ReadonlySet<number>): Promise<ReadonlyMap<number, SnapshotTold>> {
    const { outline } = view;
    const upTo = this.#upTo;
    const lines = outline
      .linesOf("snapshot")
      .filter((line) => line > upTo && (wanted === undefined || wanted.has(outline.at(line)?.number ?? 0)));
    for (const stored of await view.storedEntries(lines)) {
      const entry = await withSnapshotId(view, stored);
      if (entry.kind !== "snapshot") continue;
      const { state, snapshot, author } = entry;
      const told = snapshot === undefined ? ({ state: "none" } as const) : { state, snapshot };
      this.#byNumber.set(entry.checkpoint, { ...told, author });
    }
    this.#upTo = Math.max(this.#upTo, lines.at(-1) ?? 0);
    return this.#byNumber;
  }
}
