import type { SessionView } from "../../../../machine/view.ts";
import type { Row } from "../../../../timeline/row.ts";
import { afterRow, type LeftBehind, leftBehind } from "../../../../timeline/stats/left-behind.ts";
import { ownSince } from "./own-since.ts";

/**
 * The tokens that requests did not carry because the agent had gone back: what `worldline stats` says, kept while the log
 * grows, so that a line behind every entry costs that entry.
 */
export class SavedTokens {
  readonly #leftByLine = new Map<number, LeftBehind>();
  readonly #carriedByLine = new Map<number, number>();
  #upTo = 0;
  #saved = 0;

  async of(view: SessionView): Promise<number> {
    const { outline } = view;
    const backtracks = outline.linesOf("backtrack");
    const [first] = backtracks;
    if (first === undefined) return 0;
    const upTo = outline.length;
    const since = ownSince(view);
    const fresh = backtracks.slice(backtracks.findLastIndex((line) => line <= this.#upTo) + 1);
    for (const entry of await view.storedEntries(fresh)) {
      if (entry.kind !== "backtrack" || Date.parse(entry.at) < since) continue;
      this.#leftByLine.set(entry.seq, leftBehind(outline, entry));
    }
    // Nothing waits from here on: two who ask at once must not count a line twice.
    for (let line = Math.max(this.#upTo + 1, first); line <= upTo; line += 1) {
      const row = outline.at(line);
      if (row !== undefined) this.#count(row, since);
    }
    this.#upTo = Math.max(this.#upTo, upTo);
    return this.#saved;
  }

  #count(row: Row, since: number): void {
    const before = this.#carriedByLine.get(row.parent) ?? 0;
    if (row.kind === "reply" && row.at >= since) this.#saved += before;
    const now = afterRow(row, before, this.#leftByLine);
    if (now !== 0) this.#carriedByLine.set(row.seq, now);
  }
}
