import { dirname, join } from "node:path";
import type { Disk } from "../../disk/disk.ts";
import { readError, writeError } from "../../disk/disk.ts";
import {
  besideOf,
  DurableFolders,
  namesIn,
  namesInOwn,
  readWhole,
  removeFile,
  replaceFile,
  tryToRemove,
} from "../../disk/durable-files.ts";
import type { FilesQuery } from "../../ports/snapshot-objects.ts";
import { WorldlineError } from "../../record/error.ts";
import { isSessionId, isSnapshotId, type SessionId, type SnapshotId } from "../../record/ids.ts";
import type { JsonObject } from "../../record/parts.ts";
import type { Stored } from "../../strings/errors/facts.ts";
import type { SnapshotContext } from "../context.ts";
import {
  bySession,
  decodeRefLine,
  encodeRefLine,
  keyOf,
  type Ref,
  type RefLine,
  SealedFile,
  snapshotOfKey,
} from "./ref.ts";

/** Damaged lines in the file that contains a session's references. */
export interface RefDamage {
  readonly session: SessionId;
  readonly lines: number;
  /**
   * Possible snapshot ids in the damaged lines. gc keeps these snapshots, because a damaged line may have been a
   * reference.
   */
  readonly snapshots: readonly SnapshotId[];
}

/** The text to forget, with the options that apply to labels. */
export type LabelText = Pick<Extract<FilesQuery, { readonly what: "content" }>, "eraseFrom" | "inTorn">;

const ENDING = ".jsonl";
const UNFINISHED = besideOf(ENDING);

/**
 * Records which snapshots are kept, and why, in one file for each session, so that gc need not read any logs.
 * Everything that a call writes is durable when the call returns, and each call can be repeated after an error. Callers
 * must share the store's lease, because references must not be written while gc reads them.
 */
export class Refs {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #folders: DurableFolders;
  readonly #files = new Map<SessionId, SealedFile>();

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
    this.#folders = new DurableFolders(disk, dirname(folder));
  }

  add(refs: readonly Ref[]): void {
    for (const [session, own] of bySession(refs)) {
      this.#append(
        session,
        own.map((ref) => ({ do: "keep", ref })),
      );
    }
  }

  /** Releases references. The checkpoints still exist, but their files are no longer available. */
  release(refs: readonly Ref[]): void {
    for (const [session, own] of bySession(refs)) {
      this.#append(
        session,
        own.map((ref) => ({ do: "release", key: keyOf(ref) })),
      );
    }
  }

  /**
   * Records the new label of a checkpoint, whether or not the checkpoint has been captured yet. An empty string removes
   * the label.
   */
  label(session: SessionId, checkpoint: number, label: string): void {
    this.#append(session, [{ do: "label", checkpoint, label }]);
  }

  /**
   * Returns the references of all sessions. Throws STORE_UNREADABLE rather than omitting references that cannot be
   * read.
   */
  all(): Ref[] {
    return this.#sessions().flatMap((session) => this.of(session));
  }

  of(session: SessionId): Ref[] {
    return refsOf(this.#read(session).lines);
  }

  snapshotsOf(session: SessionId): SnapshotId[] {
    return [...new Set(this.of(session).map((ref) => ref.snapshot))];
  }

  /**
   * Returns the snapshots that used to be kept but are no longer named in a reference. Does not include snapshots that
   * were never kept.
   */
  released(): ReadonlySet<SnapshotId> {
    const files = this.#sessions().map((session) => this.#read(session));
    const released = new Set(files.flatMap(({ lines }) => lines.flatMap(releasedBy)));
    for (const { lines, damaged } of files) {
      for (const { snapshot } of refsOf(lines)) released.delete(snapshot);
      for (const snapshot of snapshotsIn(damaged)) released.delete(snapshot);
    }
    return released;
  }

  damage(): RefDamage[] {
    return this.#sessions().flatMap((session) => {
      const { damaged } = this.#read(session);
      if (damaged.length === 0) return [];
      return [{ session, lines: damaged.length, snapshots: snapshotsIn(damaged) }];
    });
  }

  /** Returns the sessions in a store that have references. */
  sessionsIn(store: string | undefined): SessionId[] {
    return this.#sessions().filter((session) => {
      const refs = this.of(session);
      // If all references have been released, nothing shows which store the session is in, so the session is assumed to
      // be in this home folder.
      return refs.length === 0 ? store === undefined : refs.some((ref) => ref.store === store);
    });
  }

  /**
   * Removes the references of a session that was permanently removed from a store. Another store may contain a session
   * with the same id.
   */
  dropSession(session: SessionId, store?: string): void {
    const all = this.of(session);
    const own = all.filter((ref) => ref.store === store);
    if (own.length < all.length) this.release(own);
    else this.#removeFile(session);
  }

  /**
   * Returns the number of lines that contain the text to forget, or that may contain it because they cannot be read.
   */
  linesWith(text: LabelText): number {
    const unfinished = this.#unfinished().filter((path) =>
      mayHave(readWhole(this.#disk, path).toString("latin1"), text),
    );
    return this.#sessions().reduce((sum, session) => sum + this.#linesWith(session, text), unfinished.length);
  }

  /**
   * Removes the text from all labels. Returns the number of lines that contained the text. The caller must hold the
   * store's lease exclusively.
   */
  forgetText(text: LabelText): number {
    const count = this.linesWith(text);
    for (const session of this.#sessions()) {
      if (this.#linesWith(session, text) === 0) continue;
      new SealedFile(this.#disk, this.#pathOf(session)).rewrite(
        (line) => erasedLabel(line, text),
        // Possible snapshot ids in unreadable lines are preserved, so that gc keeps those snapshots.
        (bytes) => (mayHave(bytes, text) ? `? ${snapshotsIn([bytes]).join(" ")}` : bytes),
      );
    }
    for (const path of this.#unfinished()) tryToRemove(this.#disk, path);
    return count;
  }

  #linesWith(session: SessionId, text: LabelText): number {
    const { lines, damaged } = new SealedFile(this.#disk, this.#pathOf(session)).read();
    const labels = lines.filter((line) => erasedLabel(line, text) !== line);
    return labels.length + damaged.filter((bytes) => mayHave(bytes, text)).length;
  }

  /** Returns the files that were left by an interrupted rewrite. */
  #unfinished(): string[] {
    const names = namesIn(this.#disk, this.#folder).filter((name) => name.endsWith(UNFINISHED));
    return names.map((name) => join(this.#folder, name));
  }

  #removeFile(session: SessionId): void {
    const path = this.#pathOf(session);
    try {
      if (this.#disk.stat(path) === undefined) return;
      removeFile(this.#disk, path);
      this.#disk.syncFolder(this.#folder);
    } catch (error) {
      throw writeError(error, { what: "path", of: path });
    }
    this.#files.delete(session);
  }

  #sessions(): SessionId[] {
    let names: string[];
    try {
      names = namesInOwn(this.#disk, this.#folder);
    } catch (error) {
      throw readError(error, { what: "path", of: this.#folder });
    }
    return names
      .filter((name) => name.endsWith(ENDING))
      .map((name) => name.slice(0, -ENDING.length))
      .filter(isSessionId);
  }

  #append(session: SessionId, lines: readonly RefLine[]): void {
    const file = this.#files.get(session) ?? new SealedFile(this.#disk, this.#pathOf(session));
    try {
      if (!this.#files.has(session)) this.#folders.make(this.#folder);
    } catch (error) {
      throw writeError(error, { what: "path", of: this.#folder });
    }
    this.#files.set(session, file);
    file.append(lines.map(encodeRefLine));
  }

  #read(session: SessionId): { readonly lines: readonly RefLine[]; readonly damaged: readonly string[] } {
    const { lines, damaged } = new SealedFile(this.#disk, this.#pathOf(session)).read();
    return { lines: lines.flatMap((line) => decodeRefLine(line, session) ?? []), damaged };
  }

  #pathOf(session: SessionId): string {
    if (isSessionId(session)) return join(this.#folder, `${session}${ENDING}`);
    throw new WorldlineError("not-a-session-id", { session });
  }
}

function erasedLabel(line: JsonObject, { eraseFrom }: LabelText): JsonObject {
  const { label } = line;
  if (typeof label !== "string") return line;
  const erased = eraseFrom(label);
  return erased === label ? line : { ...line, label: erased };
}

function mayHave(bytes: string, { inTorn }: LabelText): boolean {
  return inTorn(Buffer.from(bytes, "latin1").toString("utf8"));
}

function releasedBy(line: RefLine): SnapshotId[] {
  const snapshot = line.do === "release" ? snapshotOfKey(line.key) : undefined;
  return snapshot === undefined ? [] : [snapshot];
}

function snapshotsIn(damaged: readonly string[]): SnapshotId[] {
  const hashes = damaged.flatMap((line) => line.match(/[0-9a-f]{64}/g) ?? []);
  return [...new Set(hashes.filter(isSnapshotId))];
}

function refsOf(lines: readonly RefLine[]): Ref[] {
  const refs = new Map<string, Ref>();
  const labels = new Map<number, string>();
  for (const line of lines) {
    if (line.do === "keep") refs.set(keyOf(line.ref), line.ref);
    else if (line.do === "release") refs.delete(line.key);
    else labels.set(line.checkpoint, line.label);
  }
  return [...refs.values()].map((ref) => labelled(ref, labels));
}

/**
 * Sets the label of a reference. The latest label counts, even if the checkpoint's capture was recorded after the
 * label.
 */
function labelled(ref: Ref, labels: ReadonlyMap<number, string>): Ref {
  if (!("checkpoint" in ref.keptFor)) return ref;
  const { label: first, ...keptFor } = ref.keptFor;
  const label = labels.get(keptFor.checkpoint) ?? first ?? "";
  return { ...ref, keptFor: label === "" ? keptFor : { ...keptFor, label } };
}

const MARK_BYTES = 16;
const NOTE: Stored = { what: "collections" };

/**
 * Detects whether a gc has run, because what a process remembers about the store is valid only until the next gc. A gc
 * announces itself before it removes anything, and captures check for the announcement. Both must hold the store's
 * lease while they do so.
 */
export class GcRuns {
  readonly #context: Pick<SnapshotContext, "disk" | "places" | "clock" | "durable">;
  /**
   * The last announcement that was seen. Undefined until the first check, because data may have been read during a gc
   * before that.
   */
  #seen: string | undefined;
  #peeked: string | undefined;

  constructor(context: Pick<SnapshotContext, "disk" | "places" | "clock" | "durable">) {
    this.#context = context;
  }

  /**
   * Returns "some" once after each removal. Only callers that hold the store's lease may call this method, because gc
   * cannot run while they hold it.
   */
  sinceLastLook(): "some" | "none" {
    const mark = this.#mark();
    this.#peeked = mark;
    if (mark === this.#seen) return "none";
    this.#seen = mark;
    return "some";
  }

  /**
   * Like `sinceLastLook`, but for readers without a lease. Such readers may have read a mix of old and new data, so the
   * next check under a lease still returns "some".
   */
  sinceLastPeek(): "some" | "none" {
    const mark = this.#mark();
    if (mark === this.#peeked) return "none";
    this.#peeked = mark;
    return "some";
  }

  /** Checks whether a gc has ever removed anything. */
  ever(): "yes" | "no" {
    return this.#mark() === undefined ? "no" : "yes";
  }

  announce(): void {
    const { places, clock, durable } = this.#context;
    // The mark is random, so that it differs from every earlier mark.
    const mark = Buffer.from(clock.random(MARK_BYTES)).toString("hex");
    try {
      durable.make(places.root);
      replaceFile(this.#context, { path: this.#path, bytes: Buffer.from(mark), content: "synced" });
    } catch (error) {
      throw writeError(error, NOTE);
    }
  }

  get #path(): string {
    return join(this.#context.places.root, "collected");
  }

  #mark(): string | undefined {
    const { disk } = this.#context;
    try {
      return disk.stat(this.#path) === undefined ? undefined : readWhole(disk, this.#path).toString("latin1");
    } catch (error) {
      throw readError(error, NOTE);
    }
  }
}

/**
 * Snapshots that gc has released. A released snapshot may still be in a segment that a running program holds, although
 * some of the snapshot's objects are missing. The records are read once after each gc. If another program then captures
 * a released snapshot again, the snapshot is still treated as released until the next gc.
 */
export class ReleasedSnapshots {
  readonly #refs: Refs;
  readonly #captured = new Set<SnapshotId>();
  #known: ReadonlySet<SnapshotId> | undefined;

  constructor(refs: Refs) {
    this.#refs = refs;
  }

  has(snapshot: SnapshotId): boolean {
    if (this.#captured.has(snapshot)) return false;
    this.#known ??= this.#refs.released();
    return this.#known.has(snapshot);
  }

  /**
   * Marks a snapshot as available. Called right after the snapshot was captured: all of its objects then exist again,
   * even if no reference keeps it.
   */
  except(snapshot: SnapshotId): void {
    this.#captured.add(snapshot);
  }

  /** Forgets the records. Must be called after a gc has run. */
  forget(): void {
    this.#known = undefined;
    this.#captured.clear();
  }
}
