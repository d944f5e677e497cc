import type { Session } from "../../machine/session.ts";
import type { Placed } from "../../machine/writer.ts";
import type { Clock } from "../../ports/clock.ts";
import type { DraftOf } from "../../record/entry.ts";
import { type ErrorParams, WorldlineError } from "../../record/error.ts";
import { type CheckpointNumber, toCheckpointNumber, toSeq } from "../../record/ids.ts";
import type { StepCheckpoint, StepOptions } from "../execution.ts";
import { executionClosed } from "../execution-error.ts";
import { executionIdOf, readStep, type StepRecord, type StepRecords } from "../step-records.ts";

type SavedDraft = DraftOf<"saved">;

interface LedgerOptions {
  readonly session: Session;
  readonly records: StepRecords;
  readonly clock: Clock;
}

/** The steps of one execution that is held: what is written of them, and which of them are running. */
export class StepLedger {
  readonly id: string;
  readonly session: Session;
  readonly records: StepRecords;
  readonly clock: Clock;
  readonly places: StepPlaces;
  readonly #running = new Set<number>();
  #moving: Promise<unknown> = Promise.resolve();
  #closed: "closed" | "deleted" | undefined;
  readonly #warned = new Set<string>();
  /** Up to here the log is of earlier runs. */
  readonly #openedAt: number;

  constructor({ session, records, clock }: LedgerOptions) {
    this.id = executionIdOf(session);
    this.session = session;
    this.records = records;
    this.places = new StepPlaces(records);
    this.clock = clock;
    this.#openedAt = session.outline.length;
  }

  isOfThisRun({ lines }: StepRecord): boolean {
    return (lines[0] ?? 0) > this.#openedAt;
  }

  /** Synchronous, so that steps that are begun together have their places in the order of the calls. */
  claim(index: number): void {
    this.requireOpen();
    if (this.#running.has(index)) throw new WorldlineError("step-running", { index, why: "called-again" });
    this.#running.add(index);
  }

  release(index: number): void {
    this.#running.delete(index);
  }

  get running(): readonly number[] {
    return [...this.#running];
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  requireOpen(): void {
    if (this.#closed !== undefined) throw executionClosed(this.id, this.#closed);
  }

  /** Waits until the head stands still, and all that was to be written is: no step may follow one that the log does not know. */
  async ready(): Promise<void> {
    this.requireOpen();
    await this.#moving;
    await this.session.flush();
  }

  /** Moves the head, or the whole session, which nobody else may write to meanwhile. */
  async move<Result>(
    work: () => Promise<Result>,
    why: ErrorParams<"step-running">["why"] = "gone-back",
  ): Promise<Result> {
    const moving = this.#moving.then(async () => {
      this.requireOpen();
      const [running] = this.#running;
      if (running !== undefined) throw new WorldlineError("step-running", { index: running, why });
      try {
        return await work();
      } finally {
        this.records.moved();
      }
    });
    this.#moving = moving.catch(() => undefined);
    return moving;
  }

  /** A step begins. Durable when it resolves: only then may it do anything. `ended`: what comes before it in the same write. */
  async begin(draft: SavedDraft, ended?: SavedDraft): Promise<void> {
    const before = ended === undefined ? [] : [{ draft: ended }, this.#mark()];
    await this.#write([...before, { draft }]);
  }

  /** A step has ended, and gets its numbered place, with the files as they are now where the execution has them. */
  async end(draft: SavedDraft): Promise<void> {
    const mark = this.#mark();
    await this.#write([{ draft }, mark]);
    await this.session.capture({ checkpoint: mark.draft.number, author: "timeline" });
  }

  async read(record: StepRecord): Promise<StepCheckpoint> {
    return readStep(this.session, this.records, record);
  }

  /** Whether anything was recorded as the error of an attempt, be it `undefined`. */
  async hasError({ lines }: StepRecord): Promise<boolean> {
    const entries = await this.session.storedEntries(lines);
    return entries.some((entry) => entry.kind === "saved" && entry.error !== undefined);
  }

  /** The same is said once for each execution that is opened, however many steps it is true of. */
  warnOnce(...[code, message]: Parameters<typeof warn>): void {
    if (this.#warned.has(code)) return;
    this.#warned.add(code);
    warn(code, message);
  }

  /** Writes something else than a step. */
  async note(draft: DraftOf<"checkpoint-delete" | "execution-finish">): Promise<void> {
    await this.#write([{ draft }]);
  }

  async close(how: "closed" | "deleted"): Promise<void> {
    if (this.#closed !== undefined) return;
    this.#closed = how;
    await this.session.close();
  }

  #mark(): Placed & {
    readonly draft: { readonly kind: "checkpoint"; readonly number: CheckpointNumber; readonly on: "manual" };
  } {
    const { outline, header } = this.session;
    const number = toCheckpointNumber(Math.max(outline.highestNumber, header.numbersFrom) + 1);
    return { draft: { kind: "checkpoint", number, on: "manual" } };
  }

  /**
   * What the store refuses waits in memory and is written later, so the records have it at once: `ready` lets
   * nothing go on before it is durable.
   */
  async #write(placed: readonly Placed[]): Promise<void> {
    this.requireOpen();
    const { outline } = this.session;
    const before = outline.length;
    const writing = this.session.write(placed);
    const first = outline.length - placed.length + 1;
    if (first > before) {
      for (const [at, { draft }] of placed.entries()) {
        if (draft.kind === "saved") this.records.add({ ...draft, seq: toSeq(first + at) });
        else this.records.addLine(toSeq(first + at));
      }
    }
    await writing;
  }
}

interface Refused {
  readonly name: string;
  /** "alone": nothing else was running, so that an answer can only be to this call. */
  readonly company: "alone" | "several";
  /** Whether it had an answer, although not one that settled it. */
  readonly answer: "none" | "given";
}

/** Which places the calls of `step` have that do not say so themselves. */
class StepPlaces {
  /** The place of the next one. */
  next = 0;
  readonly #records: StepRecords;
  readonly #refused = new Map<number, Refused>();
  /** Ran in this run, and rejected because the store failed: the name of each, by place. */
  readonly #resultPending = new Map<number, string>();

  constructor(records: StepRecords) {
    this.#records = records;
  }

  /**
   * The place that a call without one means: the next; or, where the call before it was refused because it did not say what
   * is to become of its unfinished step, and this one says it, that step's.
   */
  placeFor(name: string, answer: StepOptions["unfinished"]): number {
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
    const waiting = [...this.#resultPending].flatMap(([index, each]) => {
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
  resultPending(index: number, name: string): void {
    this.#resultPending.set(index, name);
  }

  /** The result of the step at this place has been handed out. */
  resultDelivered(index: number): void {
    this.#resultPending.delete(index);
  }

  /** The head was moved to behind a step. */
  rewindTo(index: number): void {
    this.#refused.clear();
    this.#resultPending.clear();
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

/** Tells the developer something that must not stop the program: on stderr, or to `process.on("warning")`. */
export function warn(code: "WORLDLINE_RESULT_COPIED" | "WORLDLINE_FAILURE_REPLAYED", message: string): void {
  process.emitWarning(message, { type: "WorldlineWarning", code });
}
