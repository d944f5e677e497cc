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

/** How long to wait before each further try when the store cannot take an entry. */
const RETRY_MS = [50, 250, 1_000];
/** The store has tried again by itself for as long as it may: whoever waits has waited long enough. */
const WAITED_FOR: ReadonlySet<ErrorCode> = new Set(["STORE_BUSY", "STORE_UNREACHABLE"]);

interface WriterDeps {
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
  readonly #needs: WriterDeps;
  #waiting: Entry[] = [];
  #flushing: Promise<void> | undefined;
  #trouble = false;
  #lost: WorldlineError | undefined;
  /** The number of the file to begin with the next append, when the newest one is full. */
  #nextFile: number | undefined;

  constructor(needs: WriterDeps) {
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
      listeners.emit({
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

export interface Placed {
  readonly draft: Draft;
  /** Below which entry; by default below the head. */
  readonly parent?: EntryId;
}

/** Gives a checked draft its place, time and weight, as the next line of the log. */
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

interface StampPlace {
  readonly seq: Seq;
  readonly kind: Entry["kind"];
  readonly parent: Row | undefined;
  readonly outline: Outline;
}

/** Where the last journey landed, for an entry of this kind below `parent`. */
export function originFor({ seq, kind, parent, outline }: StampPlace): Origin | undefined {
  if (parent === undefined) return undefined;
  if (isJourney(kind)) return [parent.seq, seq];
  if (parent.leg === 0) return undefined;
  const landing = outline.landingOf(parent.leg);
  if (landing === undefined) return undefined;
  return [landing.seq, toSeq(parent.leg)];
}

/** The entries that a journey writes. A copy needs another session. What becomes of files is planned apart. */
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

/** The entries as they go into the log, and the blobs that must be there first. */
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

/** The entries with all their texts. A blob that is lost costs its own text, visibly, and nothing else. */
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

/** The name that every store gives these bytes. Its own line here: stores are not the machine's to import, and pure folders have no crypto. */
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
