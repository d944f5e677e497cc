import type { Session } from "../../machine/session.ts";
import type { Placed } from "../../machine/writing/stamp.ts";
import type { Clock } from "../../ports/clock.ts";
import type { DraftOf } from "../../record/entry.ts";
import { type ErrorParams, WorldlineError } from "../../record/error.ts";
import { type CheckpointNumber, toCheckpointNumber, toSeq } from "../../record/ids.ts";
import type { StepCheckpoint } from "../execution.ts";
import { executionClosed } from "../execution-error.ts";
import { executionIdOf, readStep } from "../step-checkpoint.ts";
import type { StepRecord, StepRecords } from "../step-records.ts";
import { StepPlaces } from "./step-places.ts";
import { warn } from "./warn.ts";

type SavedDraft = DraftOf<"saved">;

export interface LedgerParts {
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

  constructor({ session, records, clock }: LedgerParts) {
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
