import { createHash } from "node:crypto";
import type { Clock } from "../ports/clock.ts";
import type { LogStore } from "../ports/log-store.ts";
import { type Draft, type Entry, FORMAT_VERSION, type Origin } from "../record/entry.ts";
import { type ErrorCode, isWorldlineError, problemOf, WorldlineError } from "../record/error.ts";
import { type BlobHash, type EntryId, newEntryId, type Seq, type SessionId, toSeq } from "../record/ids.ts";
import { fill, mayPoint, spill, textBlobsOf } from "../record/shape.ts";
import type { Framing } from "../timeline/context/foreign-text.ts";
import type { Outline } from "../timeline/outline.ts";
import { isJourney, type Row } from "../timeline/row.ts";
import { weigh } from "../timeline/token-count.ts";
import type { Journey } from "../travel/rewind.ts";
import { checkPlaced } from "./check-input.ts";
import type { Listeners } from "./session.ts";

/** How long to wait before each retry when the store refuses an entry, in milliseconds. */
const RETRY_MS = [50, 250, 1_000];
/**
 * Errors after which the writer does not retry. The store itself has already retried for as long as allowed, so another
 * retry would only delay the caller.
 */
const WAITED_FOR: ReadonlySet<ErrorCode> = new Set(["STORE_BUSY", "STORE_UNREACHABLE"]);

interface WriterDeps {
  readonly store: LogStore;
  readonly session: SessionId;
  readonly outline: Outline;
  readonly clock: Clock;
  readonly framing: Framing;
  readonly listeners: Listeners;
  /** Strings that are longer than this are stored in blobs. */
  readonly blobBytes: number;
}

/**
 * The single writer of a session. Adds entries to the outline immediately. All entries that arrive during a write are
 * written together in the next write, with one sync (group commit). `append` resolves when its entries are durable.
 * Entries that the store refuses are not dropped. Refused entries wait here in order and are written in the next
 * attempt.
 */
export class Writer {
  readonly #needs: WriterDeps;
  #waiting: Entry[] = [];
  #flushing: Promise<void> | undefined;
  #trouble = false;
  #lost: WorldlineError | undefined;
  /** The number of the new file that the next append must start, because the newest file is full. */
  #nextFile: number | undefined;

  constructor(needs: WriterDeps) {
    this.#needs = needs;
  }

  /** The number of entries that have not been written to the log yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The entries on lines `from` to `to` that have not been written yet, exactly as they will be written. */
  waitingBetween(from: Seq, to: Seq): readonly Entry[] {
    const wanted = this.#waiting.filter((entry) => entry.seq >= from && entry.seq <= to);
    // Long strings stay in their entries, because their blobs may not exist yet.
    return spillAll(wanted, Number.POSITIVE_INFINITY).entries;
  }

  async append(placed: readonly Placed[]): Promise<readonly Entry[]> {
    if (this.#lost !== undefined) throw this.#lost;
    checkPlaced(placed, this.#needs.outline);
    const head = this.#needs.outline.head?.id;
    const first = this.#beginFile();
    // If a new file was started, an entry that was supposed to follow the head now follows the new file's first line
    // instead.
    const follow = (one: Placed): Placed =>
      first !== undefined && one.parent === head ? { draft: one.draft, parent: first.id } : one;
    const entries = placed.map((one) => this.#take(follow(one)));
    await this.flush();
    return entries;
  }

  /** Resolves when all appended entries are durable. */
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

  /** Adds the first line of a new file to the same queue, so that another entry cannot get its line number. */
  #beginFile(): Entry | undefined {
    const file = this.#nextFile;
    if (file === undefined) return undefined;
    this.#nextFile = undefined;
    const { session } = this.#needs;
    return this.#take({ draft: { kind: "rotated", file, session, version: FORMAT_VERSION } });
  }

  async #writeWaiting(): Promise<void> {
    // Waits for one microtask, so that all entries appended in the same tick are written together.
    await Promise.resolve();
    const batch = batchOf(this.#waiting);
    await this.#write(batch);
    this.#waiting = this.#waiting.slice(batch.length);
    if (this.#trouble) {
      this.#trouble = false;
      this.#needs.listeners.emit({ type: "storage-healed", written: batch.length });
    }
    for (const entry of batch) this.#needs.listeners.emit({ type: "entry", entry });
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
        this.#needs.listeners.emit({
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
    // Blobs are written first, because a stored entry must never refer to a missing blob.
    for (const bytes of blobs) await store.putBlob(session, bytes);
    const first = entries[0];
    if (first?.kind === "rotated") await store.rotate(session, first);
    else if (first !== undefined) await store.append(session, first.seq, entries);
  }

  /**
   * The number of the file to start if the newest file is full. At this point, the requested entries are already
   * durable. If the store cannot answer, the writer checks again after the next write.
   */
  async #rotationDue(): Promise<number | undefined> {
    const { store, session, listeners } = this.#needs;
    try {
      return await store.rotationDue(session);
    } catch (error) {
      listeners.emit({
        type: "storage-trouble",
        error: asStoreFailure(error),
        waiting: this.#waiting.length,
      });
      return undefined;
    }
  }

  /** Drops the waiting entries, because another program has written to this log and they no longer fit. */
  #giveUp(cause: WorldlineError): WorldlineError {
    // If the store can identify the other program, the cause contains its name.
    this.#lost = new WorldlineError("session-lost", { problem: problemOf(cause) }, { cause });
    this.#waiting = [];
    return this.#lost;
  }
}

/** The entries to write together: either all entries before the next file's first line, or only that line. */
function batchOf(waiting: readonly Entry[]): readonly Entry[] {
  if (waiting[0]?.kind === "rotated") return waiting.slice(0, 1);
  const next = waiting.findIndex((entry) => entry.kind === "rotated");
  return next === -1 ? [...waiting] : waiting.slice(0, next);
}

function asStoreFailure(error: unknown): WorldlineError {
  if (isWorldlineError(error)) return error;
  return new WorldlineError("session-not-written", {}, { cause: error });
}

export interface Placed {
  readonly draft: Draft;
  /** The id of the entry's parent; by default, the head. */
  readonly parent?: EntryId;
}

/** Turns a checked draft into the next entry of the log: assigns its position, its time, and its token estimate. */
export function stamp(placed: Placed, outline: Outline, world: { clock: Clock; framing: Framing }): Entry {
  const { draft } = placed;
  const parent = placed.parent === undefined ? outline.head : outline.byId(placed.parent);
  const seq = outline.nextSeq;
  const estimate = weigh(draft, world.framing);
  const origin = originFor({ seq, kind: draft.kind, parent, outline });
  return {
    seq,
    id: newEntryId((count) => world.clock.random(count)),
    parent: parent?.id ?? null,
    at: new Date(world.clock.now()).toISOString(),
    ...(origin === undefined ? {} : { origin }),
    ...draft,
    ...(estimate === undefined ? {} : { estimate }),
  } as Entry;
}

/** The origin of an entry of this kind after `parent`, which records where the last journey landed. */
export function originFor({
  seq,
  kind,
  parent,
  outline,
}: {
  readonly seq: Seq;
  readonly kind: Entry["kind"];
  readonly parent: Row | undefined;
  readonly outline: Outline;
}): Origin | undefined {
  if (parent === undefined) return undefined;
  if (isJourney(kind)) return [parent.seq, seq];
  if (parent.leg === 0) return undefined;
  const landing = outline.landingOf(parent.leg);
  if (landing === undefined) return undefined;
  return [landing.seq, toSeq(parent.leg)];
}

/**
 * The entries that a journey appends. Copies are not supported here, because they are written to another session.
 * Changes to files are planned separately.
 */
export function appendsOf(journey: Journey): readonly Placed[] {
  return journey.moves.map((move) => {
    switch (move.do) {
      case "append":
        return { draft: move.body, parent: move.parent };
      case "copy":
        throw new WorldlineError("journey-move", { journey: journey.reason, move: move.do });
      default:
        return move satisfies never;
    }
  });
}

/** Converts entries to the form stored in the log, and returns the blobs that must be stored first. */
export function spillAll(
  entries: readonly Entry[],
  limit: number,
): { readonly entries: readonly Entry[]; readonly blobs: readonly Uint8Array[] } {
  const blobsByHash = new Map<BlobHash, Uint8Array>();
  const spilled = entries.map((entry) =>
    spill(entry, limit, (text) => {
      const bytes = Buffer.from(text, "utf8");
      const hash = hashOf(bytes);
      blobsByHash.set(hash, bytes);
      return hash;
    }),
  );
  return { entries: spilled, blobs: [...blobsByHash.values()] };
}

/**
 * Returns the entries with their long strings included in full. If a blob is lost, only its own text is affected, and a
 * placeholder shows that the text is lost.
 */
export async function fillAll(
  store: LogStore,
  session: SessionId,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  if (!entries.some(mayPoint)) return entries;
  const textsByHash = new Map<BlobHash, string>();
  for (const hash of new Set(entries.flatMap(textBlobsOf))) {
    textsByHash.set(hash, await blobText(store, session, hash));
  }
  return entries.map((entry) => fill(entry, (hash) => textsByHash.get(hash) ?? ""));
}

/**
 * The hash that every store uses to identify these bytes. This code is repeated here, because `machine/` must not
 * import stores, and pure folders cannot use crypto.
 */
export function hashOf(bytes: Uint8Array): BlobHash {
  return createHash("sha256").update(bytes).digest("hex") as BlobHash;
}

async function blobText(store: LogStore, session: SessionId, hash: BlobHash): Promise<string> {
  try {
    return Buffer.from(await store.getBlob(session, hash)).toString("utf8");
  } catch (error) {
    if (isWorldlineError(error, "BLOB_MISSING")) return `[This text is lost: blob ${hash} is missing]`;
    if (isWorldlineError(error, "BLOB_DAMAGED")) return `[This text is lost: blob ${hash} is damaged]`;
    throw error;
  }
}
