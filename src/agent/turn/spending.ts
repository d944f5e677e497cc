import type { Usage } from "../../record/parts.ts";

export interface Spent {
  readonly usage: Usage;
  /** In US dollars; undefined where the price is not known. */
  readonly cost: number | undefined;
}

/** What was spent beside the steps of a turn, by sub-agents and summaries, until the turn adds it up. */
export class Spending {
  #spent: Spent[] = [];

  add(spent: Spent): void {
    this.#spent.push(spent);
  }

  take(): readonly Spent[] {
    return this.#spent.splice(0);
  }
}
