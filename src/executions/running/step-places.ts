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
  /** Ran in this run, and rejected because the store failed: the name of each, by place. */
  readonly #notGivenBack = new Map<number, string>();

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
    const refused = this.#refused.get(open.index);
    const isAnswered = isOpen(open) && refused?.company === "alone" && refused.answer === "none";
    return isAnswered ? open.index : this.next;
  }

  /**
   * Those that were called by this name in this run, and are not settled: unfinished or changed, or done without the caller
   * having got the result.
   */
  unsettled(name: string): readonly StepRecord[] {
    const refused = [...this.#refused].flatMap(([index, each]) => {
      const record = this.#records.here(index);
      return each.name === name && record !== undefined && isUnsettled(record, name) ? [record] : [];
    });
    const waiting = [...this.#notGivenBack].flatMap(([index, each]) => {
      const record = this.#records.here(index);
      return each === name && record !== undefined ? [record] : [];
    });
    return [...refused, ...waiting];
  }

  /** Notes that a call was refused, where nothing was run and nobody has decided. */
  refuse(index: number, refused: Refused): void {
    const record = this.#records.here(index);
    if (record !== undefined && isUnsettled(record, refused.name)) this.#refused.set(index, refused);
  }

  /** The step ran, and its call was rejected because its result could not be written. */
  notGivenBack(index: number, name: string): void {
    this.#notGivenBack.set(index, name);
  }

  /** The result of the step at this place has been handed out. */
  givenBack(index: number): void {
    this.#notGivenBack.delete(index);
  }

  /** The head was moved to behind a step. */
  goBackBehind(index: number): void {
    this.#refused.clear();
    this.#notGivenBack.clear();
    this.next = Math.min(this.next, index + 1);
  }
}

function isUnsettled(record: StepRecord, called: string): boolean {
  return isOpen(record) || record.name !== called;
}

/** Whether only the caller can say what is to become of it: not known to have ended, or its result was deleted. */
export function isOpen({ status, isDeleted }: StepRecord): boolean {
  return status === "pending" || (isDeleted && status === "success");
}
