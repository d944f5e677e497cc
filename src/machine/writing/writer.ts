import type { Clock } from "../../ports/clock.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { type Entry, FORMAT_VERSION } from "../../record/entry.ts";
import { type ErrorCode, isWorldlineError, problemOf, WorldlineError } from "../../record/error.ts";
import type { Seq, SessionId } from "../../record/ids.ts";
import type { Framing } from "../../timeline/context/foreign-text.ts";
import type { Outline } from "../../timeline/outline.ts";
import type { Listeners } from "../events.ts";
import { spillAll } from "./blobs.ts";
import { checkPlaced } from "./check-placed.ts";
import { type Placed, stamp } from "./stamp.ts";

/** How long to wait before each further try when the store cannot take an entry. */
const RETRY_MS = [50, 250, 1_000];
/** The store has tried again by itself for as long as it may: whoever waits has waited long enough. */
const WAITED_FOR: ReadonlySet<ErrorCode> = new Set(["STORE_BUSY", "STORE_UNREACHABLE"]);

export interface WriterNeeds {
  readonly store: LogStore;
  readonly session: SessionId;
  readonly outline: Outline;
  readonly clock: Clock;
  readonly framing: Framing;
  readonly listeners: Listeners;
  /** Texts longer than this go to a blob. */
  readonly blobBytes: number;
}

/**
 * The one writer of a session. Entries join the outline at once and are written together with
 * whatever else came in the meantime: one write and one sync for all of them (group commit).
 * `append` resolves when its entries are durable. What the store refuses is not dropped: it
 * waits here, in order, and goes out with the next try.
 */
export class Writer {
  readonly #needs: WriterNeeds;
  #waiting: Entry[] = [];
  #flushing: Promise<void> | undefined;
  #trouble = false;
  #lost: WorldlineError | undefined;
  /** The number of the file to begin with the next append, when the newest one is full. */
  #nextFile: number | undefined;

  constructor(needs: WriterNeeds) {
    this.#needs = needs;
  }

  /** How many entries are in memory only. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The lines `from` to `to` that are in memory only, as they will stand in the log. */
  waitingBetween(from: Seq, to: Seq): readonly Entry[] {
    const wanted = this.#waiting.filter((entry) => entry.seq >= from && entry.seq <= to);
    // Their texts stay in place: the blobs may not be there yet.
    return spillAll(wanted, Number.POSITIVE_INFINITY).entries;
  }

  async append(placed: readonly Placed[]): Promise<readonly Entry[]> {
    if (this.#lost !== undefined) throw this.#lost;
    checkPlaced(placed, this.#needs.outline);
    const head = this.#needs.outline.head?.id;
    const first = this.#beginFile();
    // What was to follow the head follows the line that has come in between.
    const follow = (one: Placed): Placed =>
      first !== undefined && one.parent === head ? { draft: one.draft, parent: first.id } : one;
    const entries = placed.map((one) => this.#take(follow(one)));
    await this.flush();
    return entries;
  }

  /** Resolves when everything that was appended so far is durable. */
  async flush(): Promise<void> {
    if (this.#lost !== undefined) throw this.#lost;
    const last = this.#waiting.at(-1);
    while (last !== undefined && this.#waiting.includes(last)) {
      this.#flushing ??= this.#writeWaiting().finally(() => {
        this.#flushing = undefined;
      });
      await this.#flushing;
    }
  }

  #take(placed: Placed): Entry {
    const { outline } = this.#needs;
    const entry = stamp(placed, outline, this.#needs);
    outline.add(entry);
    this.#waiting.push(entry);
    return entry;
  }

  /** The line that begins a file goes through the same queue, so that no other can take its place. */
  #beginFile(): Entry | undefined {
    const file = this.#nextFile;
    if (file === undefined) return undefined;
    this.#nextFile = undefined;
    const { session } = this.#needs;
    return this.#take({ draft: { kind: "rotated", file, session, version: FORMAT_VERSION } });
  }

  async #writeWaiting(): Promise<void> {
    // One turn of the queue, so that everything appended in the same tick goes out together.
    await Promise.resolve();
    const batch = batchOf(this.#waiting);
    await this.#write(batch);
    this.#waiting = this.#waiting.slice(batch.length);
    if (this.#trouble) {
      this.#trouble = false;
      this.#needs.listeners.tell({ type: "storage-healed", written: batch.length });
    }
    for (const entry of batch) this.#needs.listeners.tell({ type: "entry", entry });
    const isBeginning = this.#waiting.some((entry) => entry.kind === "rotated");
    if (!isBeginning) this.#nextFile = await this.#rotationDue();
  }

  async #write(batch: readonly Entry[]): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#writeOnce(batch);
      } catch (error) {
        const failure = asStoreFailure(error);
        if (failure.code === "SEQ_CONFLICT") throw this.#giveUp(failure);
        this.#trouble = true;
        this.#needs.listeners.tell({
          type: "storage-trouble",
          error: failure,
          waiting: this.#waiting.length,
        });
        const pause = WAITED_FOR.has(failure.code) ? undefined : RETRY_MS[attempt];
        if (pause === undefined) throw failure;
        await this.#needs.clock.wait(pause);
      }
    }
  }

  async #writeOnce(batch: readonly Entry[]): Promise<void> {
    const { store, session, blobBytes } = this.#needs;
    const { entries, blobs } = spillAll(batch, blobBytes);
    // Blobs first: an entry on disk never points to one that is not.
    for (const bytes of blobs) await store.putBlob(session, bytes);
    const first = entries[0];
    if (first?.kind === "rotated") await store.rotate(session, first);
    else if (first !== undefined) await store.append(session, first.seq, entries);
  }

  /** What was asked for is durable by now: a store that cannot say is asked again after the next write. */
  async #rotationDue(): Promise<number | undefined> {
    const { store, session, listeners } = this.#needs;
    try {
      return await store.rotationDue(session);
    } catch (error) {
      listeners.tell({
        type: "storage-trouble",
        error: asStoreFailure(error),
        waiting: this.#waiting.length,
      });
      return undefined;
    }
  }

  /** Another one wrote to this log. What waits here belongs to a past that is no longer the log's. */
  #giveUp(cause: WorldlineError): WorldlineError {
    // The cause knows which one, where the store does.
    this.#lost = new WorldlineError("session-lost", { problem: problemOf(cause) }, { cause });
    this.#waiting = [];
    return this.#lost;
  }
}

/** What goes out together: a file's first line alone, else all up to the next one. */
function batchOf(waiting: readonly Entry[]): readonly Entry[] {
  if (waiting[0]?.kind === "rotated") return waiting.slice(0, 1);
  const next = waiting.findIndex((entry) => entry.kind === "rotated");
  return next === -1 ? [...waiting] : waiting.slice(0, next);
}

function asStoreFailure(error: unknown): WorldlineError {
  if (isWorldlineError(error)) return error;
  return new WorldlineError("session-not-written", {}, { cause: error });
}
