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

/**
 * The steps of an execution that this program holds. Writes the steps to the log, and keeps track of which ones are
 * running.
 */
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
  /** The last log line that an earlier run wrote. */
  readonly #openedAt: number;

  constructor({
    session,
    records,
    clock,
  }: { readonly session: Session; readonly records: StepRecords; readonly clock: Clock }) {
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

  /** Must be synchronous, so that steps started at the same time get their indices in the order of the calls. */
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

  /**
   * Waits until no other call is moving the head and all entries are written. A step must not begin while an earlier
   * step is missing from the log.
   */
  async ready(): Promise<void> {
    this.requireOpen();
    await this.#moving;
    await this.session.flush();
  }

  /** Runs work that moves the head or the whole session. While this work is in progress, steps cannot run. */
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

  /**
   * Records that a step is beginning. The step must not run until this promise resolves, because only then is its
   * beginning durable. `ended` is written before the beginning, in the same write.
   */
  async begin(draft: SavedDraft, ended?: SavedDraft): Promise<void> {
    const before = ended === undefined ? [] : [{ draft: ended }, this.#mark()];
    await this.#write([...before, { draft }]);
  }

  /**
   * Records that a step has ended, with a checkpoint after it. The checkpoint contains the current files if the
   * execution captures them.
   */
  async end(draft: SavedDraft): Promise<void> {
    const mark = this.#mark();
    await this.#write([{ draft }, mark]);
    await this.session.capture({ checkpoint: mark.draft.number, author: "timeline" });
  }

  async read(record: StepRecord): Promise<StepCheckpoint> {
    return readStep(this.session, this.records, record);
  }

  /** Checks whether an error was recorded for an attempt. The error itself may be the value `undefined`. */
  async hasError({ lines }: StepRecord): Promise<boolean> {
    const entries = await this.session.storedEntries(lines);
    return entries.some((entry) => entry.kind === "saved" && entry.error !== undefined);
  }

  /** Emits each warning only once while the execution is open, no matter how many steps it applies to. */
  warnOnce(...[code, message]: Parameters<typeof warn>): void {
    if (this.#warned.has(code)) return;
    this.#warned.add(code);
    warn(code, message);
  }

  /** Writes an entry that is not a step. */
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
   * A line that the store refuses waits in memory and is written later, so it is added to the records immediately.
   * `ready` waits until the line is durable.
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
  /** "alone": no other step was running, so a later answer must be meant for this call. */
  readonly company: "alone" | "several";
  /** Whether the call included a decision about the unfinished step, even one that did not settle it. */
  readonly answer: "none" | "given";
}

/** Assigns indices to calls of `step` that do not specify one. */
class StepPlaces {
  /** The next index. */
  next = 0;
  readonly #records: StepRecords;
  readonly #refused = new Map<number, Refused>();
  /**
   * Steps that ran in this run, but whose calls were rejected because the store failed. The keys are indices, and the
   * values are step names.
   */
  readonly #resultPending = new Map<number, string>();

  constructor(records: StepRecords) {
    this.#records = records;
  }

  /**
   * The index for a call that does not specify one. Usually, this is the next index. If the previous call was rejected
   * because it did not say what to do with the unfinished step, and this call does say so, both calls have the same
   * index.
   */
  placeFor(name: string, answer: StepOptions["unfinished"]): number {
    const [open, ...others] = answer === undefined ? [] : this.unsettled(name);
    if (open === undefined || others.length > 0 || open.index + 1 !== this.next) return this.next;
    const refused = this.#refused.get(open.index);
    const isAnswered = isOpen(open) && refused?.company === "alone" && refused.answer === "none";
    return isAnswered ? open.index : this.next;
  }

  /**
   * The steps that were called by this name in this run and are not settled. Such a step is unfinished, has a different
   * name in the log, or has a result that did not reach the caller.
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

  /** Records that a call was rejected before anything was run or decided. */
  refuse(index: number, refused: Refused): void {
    const record = this.#records.here(index);
    if (record !== undefined && isUnsettled(record, refused.name)) this.#refused.set(index, refused);
  }

  /** Records that the step ran, but its call was rejected because the result could not be written. */
  resultPending(index: number, name: string): void {
    this.#resultPending.set(index, name);
  }

  /** Records that the result of the step at this index was returned to the caller. */
  resultDelivered(index: number): void {
    this.#resultPending.delete(index);
  }

  /** Records that the head has moved to this step. */
  rewindTo(index: number): void {
    this.#refused.clear();
    this.#resultPending.clear();
    this.next = Math.min(this.next, index + 1);
  }
}

function isUnsettled(record: StepRecord, called: string): boolean {
  return isOpen(record) || record.name !== called;
}

/** Checks whether the caller must decide what to do, because the step has no recorded end or its result was deleted. */
export function isOpen({ status, isDeleted }: StepRecord): boolean {
  return status === "pending" || (isDeleted && status === "success");
}

/**
 * Emits a process warning, so that the developer sees it on stderr or in `process.on("warning")` and the program
 * continues.
 */
export function warn(code: "WORLDLINE_RESULT_COPIED" | "WORLDLINE_FAILURE_REPLAYED", message: string): void {
  process.emitWarning(message, { type: "WorldlineWarning", code });
}
