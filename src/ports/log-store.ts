import type { Entry, EntryOf, SessionBody } from "../record/entry.ts";
import type { Remark } from "../record/error.ts";
import type { BlobHash, Seq, SessionId } from "../record/ids.ts";
import type { Outline } from "../timeline/outline.ts";
import type { Holder, Lease, LeaseRequest } from "./lease.ts";

/**
 * Keeps the logs of sessions, and their blobs.
 *
 * Contract, checked by `logStoreContract` in `testing/`:
 * - `append` resolves only when all its entries are durable, in order. When it rejects, a
 *   later reader finds a prefix of them, never a mixture, and never less than was durable before.
 * - `append` with an `expectedSeq` that is not the next line's rejects with SEQ_CONFLICT and
 *   writes nothing: of two writers, one wins.
 * - After a rejected `append` (STORE_FULL, STORE_UNWRITABLE) the same call may be made again,
 *   and succeeds once the cause is gone. The caller retries; the store does not.
 * - What was appended is read back equal, byte for byte, after any restart.
 * - A damaged line costs that line: it is a gap in the outline and in what is read, and is reported,
 *   by `open`, or, when it was damaged after an index was made, by this store's next `open` after it was
 *   read. `verify` always reports it.
 * - A blob, once put, is never altered; `getBlob` checks it against its hash.
 * - A key that is no session's, whatever it is, is SESSION_UNKNOWN to every call, and makes nothing; `create`
 *   refuses it with ENTRY_INVALID.
 * - `close` gives back the leases that this store still holds, as far as that can be done. After it, and it may be
 *   called more than once, a call works or rejects; none is left without an end.
 * - There is no `delete` of an entry and no `truncate`. `trash` moves a whole session aside,
 *   `rewrite` is for `forget` alone.
 */
export interface LogStore {
  readonly place: StorePlace;
  /**
   * Makes the session that `first` begins, with everything that it is to hold from the start (a
   * fork, an import): all of it, or, after a crash, none. Rejects with SESSION_EXISTS when it is there.
   */
  create(first: EntryOf<"session">, content?: SessionContent): Promise<void>;
  /** Reads where everything stands. Changes nothing, so that it may be called while another one writes. */
  open(session: SessionId): Promise<OpenedLog>;
  /**
   * Sets aside what a crash left half written, so that the next line starts on a line of its
   * own. Only the holder of the lease may call it, before its first append.
   */
  recover(session: SessionId): Promise<Recovery>;
  append(session: SessionId, expectedSeq: Seq, entries: readonly Entry[]): Promise<void>;
  /**
   * The number of the file to begin, when the newest one has grown past the store's limit; else
   * undefined, as always where there are no files. The one writer asks before it appends, and then
   * calls `rotate`, because the entry that begins a file takes a line, and lines are the writer's to give.
   */
  rotationDue(session: SessionId): Promise<number | undefined>;
  /**
   * Appends `entry` as the first line of a new file. All the promises of `append` hold: durable when
   * it resolves, as if it had never been tried when it rejects, at every instant everything is there.
   */
  rotate(session: SessionId, entry: EntryOf<"rotated">): Promise<void>;
  /** The entries of the lines `from` to `to`, both included, without those that cannot be read. */
  read(session: SessionId, from: Seq, to: Seq): Promise<readonly Entry[]>;
  /** Reads every line and blob again and checks it, whatever an index says. */
  verify(session: SessionId): Promise<readonly Damage[]>;

  /**
   * The sessions that the filter lets through, by id, compared character by character. One whose first entry
   * cannot be read, and of which the store knows nothing else, passes every filter but `after` and `limit`:
   * what it is, only opening it can tell.
   */
  list(filter?: SessionFilter): Promise<readonly SessionId[]>;
  /**
   * Another text after every change of the log, and the same until then, in every store on it: whoever keeps
   * what it read of a log knows whether that still holds.
   */
  stamp(session: SessionId): Promise<string>;
  /** What the session takes, piece by piece: its log, its blobs, what else there is. */
  sizes(session: SessionId): Promise<readonly Piece[]>;
  /** Who has the right to write. Looks, and does not ask for it. */
  holder(session: SessionId): Promise<Holder | undefined>;
  lease(session: SessionId, request: LeaseRequest): Promise<Lease>;

  putBlob(session: SessionId, bytes: Uint8Array): Promise<BlobHash>;
  /** Rejects with BLOB_MISSING or BLOB_DAMAGED. */
  getBlob(session: SessionId, hash: BlobHash): Promise<Uint8Array>;
  listBlobs(session: SessionId): Promise<readonly BlobHash[]>;

  /** Moves the session to the trash, where `list` does not see it. */
  trash(session: SessionId, at: number): Promise<void>;
  undelete(session: SessionId): Promise<void>;
  listTrash(): Promise<readonly Trashed[]>;
  /** Removes what was trashed before `before` for good, and all remnants that nobody can be working on. */
  emptyTrash(before: number): Promise<readonly SessionId[]>;
  /**
   * Sessions of which something is there although neither list has them: they are being made or removed, or
   * were when their program was killed. What there is of them cannot be read.
   */
  listRemnants(): Promise<readonly SessionId[]>;

  /**
   * What the store holds of the session that is no entry, and so is never read: damaged lines, torn bytes,
   * set aside or not, what was left half written. Changes nothing. Only `forget` asks: a text that stands
   * there is not gone. (What was published says nothing that no entry says.)
   */
  scraps(session: SessionId): Promise<readonly Scrap[]>;
  /**
   * Puts `replace(entry)` in each entry's place, keeping lines and ids, and drops the blobs that
   * nothing points to any more, what was published, and all scraps: of a damaged line only its gap is
   * left. Only `forget` calls this: its owner lets something go.
   */
  rewrite(session: SessionId, replace: (entry: Entry) => Entry): Promise<void>;
  /**
   * Sees to it that what was rewritten or removed is not left in the store's own free room either, where it has any.
   * May take long and hold others up, so only `forget` calls it, once, at its end. Resolves with why it
   * cannot be done now, which alters nothing that was done before; then it may be called again.
   */
  scrub(): Promise<string | undefined>;
  /** Writes what people and scripts may read beside the log; never read back. */
  publish(session: SessionId, checkpoints: readonly PublishedCheckpoint[]): Promise<void>;
  /**
   * What was acknowledged and is not there any more, where the store can tell: files of its database were removed or put back from an
   * older copy. Such a session is read as far as it goes; to write to it is ENTRIES_MISSING.
   */
  missing?(): Promise<readonly MissingEntries[]>;
  /** What is missing is to stay so: those sessions can be written to again. */
  acceptMissing?(): Promise<void>;
  /**
   * Only of a store that checks signatures: the user of this home confirms a session that the home did not write. From then on it
   * may be worked on here, in `workspace` and with `system`, whatever its log says; what its entries grant still does not count.
   */
  confirm?(session: SessionId, confirmed: ConfirmedWork): Promise<void>;
  /** Throws HOME_KEY_UNUSABLE where signatures cannot be checked. */
  checkKey?(): void;
  /** The same sessions as their logs have them, for `forget`, which must see every text and acts on none. */
  readonly unchecked?: LogStore;
  close(): Promise<void>;
}

/** Where and how a session that came from elsewhere may be worked on. */
export interface ConfirmedWork {
  /** The real path of the folder that the user chose. */
  readonly workspace: string;
  readonly system: string;
}

/** Where a store keeps everything, said so that a person finds it. */
export interface StorePlace {
  readonly kind: "files" | "memory" | "sqlite" | "postgres";
  /** A folder, a file, or an address without its password. */
  readonly name: string;
  /** "shared": other machines may write to the same sessions, whose snapshots are not here. */
  readonly reach: "machine" | "shared";
}

/** Which sessions to list; what is left out lets all through. */
export interface SessionFilter {
  /** The real path of the folder that they work in. */
  readonly workspace?: string;
  readonly mode?: SessionBody["mode"];
  /** Only those behind this one, in the order of ids, whether it is there or not: the next page. */
  readonly after?: SessionId;
  readonly limit?: number;
}

/** Something that a session is kept in. */
export interface Piece {
  /** Within the session: a file's name, or what a table calls it. */
  readonly name: string;
  readonly bytes: number;
}

/** What a session is made with: entries from line 2 on, and the blobs that they point to. */
export interface SessionContent {
  readonly entries: readonly Entry[];
  readonly blobs: readonly Uint8Array[];
}

export interface OpenedLog {
  readonly outline: Outline;
  readonly damage: readonly Damage[];
}

/** One thing that is wrong with a log, said so that a person finds it. */
export interface Damage extends Remark {
  readonly what: "line" | "missing" | "repeated" | "torn-tail" | "blob" | "header" | "file";
  /** The file's name within the session's folder; empty where the store has no files. */
  readonly file: string;
  /** The line in that file, from 1; 0 where it is not about a line. */
  readonly line: number;
  readonly bytes: number;
}

export interface Recovery {
  /** Where torn bytes were put, when there were any. */
  readonly setAside: readonly { readonly file: string; readonly bytes: number }[];
}

/** Bytes that are no entry, and what to call the place where they stand. */
export interface Scrap {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The last entries of a session, which were acknowledged and are gone. */
export interface MissingEntries {
  readonly session: SessionId;
  /** The first missing line; 1 where the whole session is gone. */
  readonly from: number;
  readonly entries: number;
  /** When the last of them was acknowledged: ISO 8601, UTC. */
  readonly acknowledgedAt: string;
}

export interface Trashed {
  readonly session: SessionId;
  readonly at: number;
}

export interface PublishedCheckpoint {
  readonly id: string;
  readonly timestamp: string;
  readonly description: string;
  readonly sessionId: string;
}
