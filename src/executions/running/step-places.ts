import type { StepOptions } from "../execution.ts";
import type { StepRecord, StepRecords } from "../step-records.ts";

interface Refused {
  readonly name: string;
  /** "alone": nothing else was running, so that an answer can only be to this call. */
  readonly company: "alone" | "several";
  /** Whether it had an answer, although not one that settled it. */
  readonly answer: "none" | "given";
}

/** Which places the calls of `step` have that do not say so themselves. */
export class StepPlaces {
  /** The place of the next one. */
  next = 0;
  readonly #records: StepRecords;
  readonly #refused = new Map<number, Refused>();

  constructor(records: StepRecords) {
    this.#records = records;
  }

  /**
   * The place that a call without one means: the next; or, where the call before it was refused because it did not say what
   * is to become of its unfinished step, and this one says it, that step's.
   */
  meant(name: string, answer: StepOptions["unfinished"]): number {
    const [open, ...others] = answer === undefined ? [] : this.unsettled(name);
    if (open === undefined || others.length > 0 || open.index + 1 !== this.next) return this.next;
    const { company, answer: before } = this.#refused.get(open.index) as Refused;
    const isAnswered = open.status === "pending" && company === "alone" && before === "none";
    return isAnswered ? open.index : this.next;
  }

  /** Those that were called by this name in this run, and refused: unfinished or changed, and still so. */
  unsettled(name: string): readonly StepRecord[] {
    return [...this.#refused].flatMap(([index, refused]) => {
      const record = this.#records.here(index);
      return refused.name === name && record !== undefined && isUnsettled(record, name) ? [record] : [];
    });
  }

  /** Notes that a call was refused, where nothing was run and nobody has decided. */
  refuse(index: number, refused: Refused): void {
    const record = this.#records.here(index);
    if (record !== undefined && isUnsettled(record, refused.name)) this.#refused.set(index, refused);
  }

  /** The head was moved to behind a step. */
  goBackBehind(index: number): void {
    this.#refused.clear();
    this.next = Math.min(this.next, index + 1);
  }
}

function isUnsettled({ status, name }: StepRecord, called: string): boolean {
  return status === "pending" || name !== called;
}
