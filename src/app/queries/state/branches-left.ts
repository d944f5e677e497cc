import type { Outline } from "../../../timeline/outline.ts";
import type { TimelineState } from "../query-types.ts";

const JOURNEYS = ["backtrack", "rewind", "redo"] as const;

/** How many branches end elsewhere than at the head. Only journeys leave one, so only they are looked at. */
export class BranchesLeft {
  /** The lines that branches which were left end with, and which kind of journey left each. */
  readonly #tips = new Map<number, (typeof JOURNEYS)[number]>();
  #upTo = 0;

  of(outline: Outline): Pick<TimelineState, "branchesLeft" | "leftByBacktracks"> {
    const upTo = this.#upTo;
    const lines = JOURNEYS.flatMap((kind) => {
      const all = outline.linesOf(kind);
      return all.slice(all.findLastIndex((line) => line <= upTo) + 1);
    });
    for (const line of lines.sort((a, b) => a - b)) this.#follow(outline, line);
    this.#upTo = Math.max(upTo, lines.at(-1) ?? 0);
    const leftByBacktracks = [...this.#tips.values()].filter((kind) => kind === "backtrack").length;
    return { branchesLeft: this.#tips.size, leftByBacktracks };
  }

  /** The head that a journey leaves is the line before it. A journey of files alone stays where it is. */
  #follow(outline: Outline, line: number): void {
    const row = outline.at(line);
    const landing = row?.parent ?? 0;
    const left = line - 1;
    if (landing === left) return;
    this.#tips.set(left, JOURNEYS.find((kind) => kind === row?.kind) ?? "rewind");
    this.#tips.delete(landing);
  }
}
