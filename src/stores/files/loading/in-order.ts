import type { Entry } from "../../../record/entry.ts";
import { standingOf } from "./standing.ts";

interface OrderedBy {
  readonly entry?: Entry | undefined;
}

interface Order<Line> {
  /** The number that the next line should have. */
  next(): number;
  take(line: Line): void;
  /** Two lines have changed places; both are taken after this. */
  swapped?(): void;
}

/** Puts two neighbouring lines right that have changed places: one that is ahead of its number waits for the next. */
export class InOrder<Line extends OrderedBy> {
  readonly #order: Order<Line>;
  #held: Line | undefined;

  constructor(order: Order<Line>) {
    this.#order = order;
  }

  take(line: Line): void {
    if (this.#held !== undefined) {
      const isSwapped = this.#belongsBefore(line, this.#held);
      if (isSwapped) {
        this.#order.swapped?.();
        this.#order.take(line);
      }
      this.flush();
      if (isSwapped) return;
    }
    if (this.#isAhead(line)) this.#held = line;
    else this.#order.take(line);
  }

  /** Nothing follows that the held line could wait for. */
  flush(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#order.take(held);
  }

  #isAhead({ entry }: Line): boolean {
    if (entry === undefined) return false;
    const next = this.#order.next();
    return entry.seq > next && standingOf(entry.seq, next) === "following";
  }

  #belongsBefore({ entry }: Line, held: Line): boolean {
    if (entry === undefined || held.entry === undefined) return false;
    return entry.seq >= this.#order.next() && entry.seq < held.entry.seq;
  }
}
