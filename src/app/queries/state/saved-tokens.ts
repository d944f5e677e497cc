import type { SessionView } from "../../../machine/view.ts";
import { savedByBacktracks, type WayLeft, wayLeftBy } from "../../../timeline/stats.ts";
import { ownSince } from "./own-since.ts";

const JOURNEYS = ["backtrack", "rewind", "redo"] as const;

/** What `worldline stats` says that backtracks saved. Only a journey changes it, so it is counted anew after each of them. */
export class SavedTokens {
  readonly #waysByLine = new Map<number, WayLeft>();
  #counted: { readonly journeys: number; readonly saved: number } = { journeys: 0, saved: 0 };

  async of(view: SessionView): Promise<number> {
    const { outline } = view;
    const journeys = JOURNEYS.reduce((count, kind) => count + outline.linesOf(kind).length, 0);
    if (journeys === this.#counted.journeys) return this.#counted.saved;
    const since = ownSince(view);
    const fresh = outline.linesOf("backtrack").filter((line) => !this.#waysByLine.has(line));
    for (const entry of await view.storedEntries(fresh)) {
      if (entry.kind !== "backtrack" || Date.parse(entry.at) < since) continue;
      this.#waysByLine.set(entry.seq, wayLeftBy(outline, entry));
    }
    const saved = savedByBacktracks(outline, this.#waysByLine.values());
    this.#counted = { journeys, saved };
    return saved;
  }
}
