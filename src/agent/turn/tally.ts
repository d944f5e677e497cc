import type { Usage } from "../../record/parts.ts";
import { noUsage, sumOfUsage } from "../../timeline/stats/stats.ts";

/** What a turn has done and used so far. */
export class Tally {
  backtracks = 0;
  answer = "";
  #usage: Usage = noUsage;
  #cost: number | undefined = 0;
  /** The checkpoints of the steps that are still on the branch. */
  #steps: number[] = [];

  get steps(): number {
    return this.#steps.length;
  }

  /** The checkpoint of the step that is being made; 0 before the first. */
  get lastStep(): number {
    return this.#steps.at(-1) ?? 0;
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** Undefined as soon as one call of it had no known price. */
  get cost(): number | undefined {
    return this.#cost;
  }

  beginStep(checkpoint: number): void {
    this.#steps.push(checkpoint);
  }

  /** Its model call came to nothing and is made again behind another checkpoint. */
  takeBackStep(): void {
    this.#steps.pop();
  }

  /** What lies behind the checkpoint was taken back, and its own step is made again. */
  wentBackTo(checkpoint: number): void {
    this.backtracks += 1;
    this.#steps = this.#steps.filter((step) => step < checkpoint);
  }

  add(usage: Usage, price: number | undefined): void {
    this.#usage = sumOfUsage(this.#usage, usage);
    this.#cost = this.#cost === undefined || price === undefined ? undefined : this.#cost + price;
  }
}

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
