import type { Entry, EntryOf, SessionBody } from "../record/entry.ts";
import type { Remark } from "../record/error.ts";
import type { BlobHash, Seq, SessionId } from "../record/ids.ts";
import type { Outline } from "../timeline/outline.ts";
import type { Holder, Lease, LeaseRequest } from "./lease.ts";

/**
 * Stores the logs of sessions, and their blobs.
 *
 * Contract, checked by `logStoreContract` in `testing/`:
 * - `append` resolves only when all its entries are durable, in order. If it rejects, later readers find the earlier
 *   entries and a prefix of the new ones, never a mixture.
 * - If `expectedSeq` is not the number of the next line, `append` rejects with SEQ_CONFLICT and writes nothing. Of two
 *   writers, only one can therefore succeed.
 * - After an `append` was rejected with STORE_FULL or STORE_UNWRITABLE, the caller may repeat the same call, which
 *   succeeds once the cause is gone. The caller retries; the store does not.
 * - Appended entries are read back byte for byte, after any restart.
 * - A damaged line affects only itself: it is a gap in the outline and in what is read. `open` reports the damage. If
 *   the line was damaged after an index was made, the damage is reported by this store's next `open` after a call that
 *   read the line. `verify` always reports the damage.
 * - A stored blob is never altered; `getBlob` checks it against its hash.
 * - Every call rejects a key that does not belong to a session with SESSION_UNKNOWN, and creates nothing. Only `create`
 *   rejects it with ENTRY_INVALID.
 * - `close` releases the leases that this store still holds, as far as possible. It may be called more than once. Later
 *   calls work or reject; none of them stays pending.
 * - There is no `delete` for an entry and no `truncate`. `trash` moves a whole session aside, and `rewrite` is only for
 *   `forget`.
 */
export interface LogStore {
  readonly place: StorePlace;
  /**
   * Creates the session that `first` begins, together with its initial content if it is a fork or an import. After a
   * crash, either all of it exists or none of it does. Rejects with SESSION_EXISTS if the session exists.
   */
  create(first: EntryOf<"session">, content?: SessionContent): Promise<void>;
  /**
   * Reads the outline. Changes nothing, so the caller does not need a lease, and another process may write at the same
   * time.
   */
  open(session: SessionId): Promise<OpenedLog>;
  /**
   * Moves aside the bytes of a half-written entry that a crash left, so that the next entry starts on a new line. Only
   * the holder of the lease may call this, before its first append.
   */
  recover(session: SessionId): Promise<Recovery>;
  append(session: SessionId, expectedSeq: Seq, entries: readonly Entry[]): Promise<void>;
  /**
   * The number of the next file, if the newest one has grown past the store's limit. Otherwise undefined, which stores
   * without files always return. The writer asks this before it appends, and then calls `rotate`: the entry that begins
   * a file takes a line, and only the writer assigns lines.
   */
  rotationDue(session: SessionId): Promise<number | undefined>;
  /**
   * Appends `entry` as the first line of a new file, with all the guarantees of `append`: it is durable when the call
   * resolves, has no effect if the call rejects, and is complete at every instant.
   */
  rotate(session: SessionId, entry: EntryOf<"rotated">): Promise<void>;
  /** The readable entries on the lines from `from` to `to`, inclusive. */
  read(session: SessionId, from: Seq, to: Seq): Promise<readonly Entry[]>;
  /** Reads and checks every line and blob again, without using an index. */
  verify(session: SessionId): Promise<readonly Damage[]>;

  /**
   * The sessions that match the filter, sorted by id, character by character. If the first entry of a session cannot be
   * read, and the store knows nothing else about the session, it matches every filter except `after` and `limit`,
   * because only opening the session can show what it is.
   */
  list(filter?: SessionFilter): Promise<readonly SessionId[]>;
  /**
   * A string that changes whenever the log does, for callers that cache what they read. The string is the same in every
   * store object that opens the log.
   */
  stamp(session: SessionId): Promise<string>;
  /** How much room each piece of the session takes: its log, its blobs, and other data. */
  sizes(session: SessionId): Promise<readonly Piece[]>;
  /** The program that has the right to write; undefined if there is none. Does not acquire that right. */
  holder(session: SessionId): Promise<Holder | undefined>;
  lease(session: SessionId, request: LeaseRequest): Promise<Lease>;

  putBlob(session: SessionId, bytes: Uint8Array): Promise<BlobHash>;
  /** Rejects with BLOB_MISSING or BLOB_DAMAGED. */
  getBlob(session: SessionId, hash: BlobHash): Promise<Uint8Array>;
  listBlobs(session: SessionId): Promise<readonly BlobHash[]>;

  /** Moves the session to the trash, so that `list` no longer includes it. */
  trash(session: SessionId, at: number): Promise<void>;
  undelete(session: SessionId): Promise<void>;
  listTrash(): Promise<readonly Trashed[]>;
  /**
   * Permanently removes the sessions that were trashed before `before`, and all remnants that no process can be using.
   */
  emptyTrash(before: number): Promise<readonly SessionId[]>;
  /**
   * Sessions that are neither listed nor in the trash but still have data, because they are being created or removed,
   * or because their program was killed while doing so. Their data cannot be read.
   */
  listRemnants(): Promise<readonly SessionId[]>;

  /**
   * The session's stored data that does not belong to any entry and so is never read: damaged lines, torn bytes (moved
   * aside or not), and half-written data. Changes nothing. Only for `forget`, because a text in this data still exists.
   * Published files are not included, because everything in them is in an entry.
   */
  scraps(session: SessionId): Promise<readonly Scrap[]>;
  /**
   * Replaces each entry with `replace(entry)`, which keeps its line and id. Removes unreferenced blobs, published
   * files, and all scraps, so that a damaged line becomes a gap. Only for `forget`.
   */
  rewrite(session: SessionId, replace: (entry: Entry) => Entry): Promise<void>;
  /**
   * Removes rewritten and deleted data from the store's own free space too, if the store has any. This may take a long
   * time and block other programs, so only `forget` calls it, once, at its end. If it is not possible now, resolves
   * with the reason; earlier changes stay, and the caller may try again.
   */
  scrub(): Promise<string | undefined>;
  /** Writes files next to the log that users and scripts may read. The store never reads them back. */
  publish(session: SessionId, checkpoints: readonly PublishedCheckpoint[]): Promise<void>;
  /**
   * Finds acknowledged entries that no longer exist, because files of the database were removed or replaced with an
   * older copy. Absent in stores that cannot detect that. The remaining entries of the sessions can be read, but
   * writing to the sessions fails with ENTRIES_MISSING.
   */
  missing?(): Promise<readonly MissingEntries[]>;
  /** Accepts that these entries are missing, so that their sessions can be written to again. */
  acceptMissing?(): Promise<void>;
  /**
   * Records that the user of this home confirmed a session that this home did not write. From then on, the session can
   * be used in `workspace` and with `system`, no matter what its log says. What its entries grant is still ignored.
   * Present only in a store that checks signatures.
   */
  confirm?(session: SessionId, confirmed: ConfirmedWork): Promise<void>;
  /** Throws HOME_KEY_UNUSABLE if the store cannot check signatures. */
  checkKey?(): void;
  /**
   * The same store without signature checks. Only for `forget`, which must see all text but does not act on any of it.
   */
  readonly unchecked?: LogStore;
  close(): Promise<void>;
}

/** The folder and the system prompt with which a session that this home did not write may be used. */
export interface ConfirmedWork {
  /** The real path of the folder that the user chose. */
  readonly workspace: string;
  readonly system: string;
}

/** Where a store keeps its data, in a form that helps users find it. */
export interface StorePlace {
  readonly kind: "files" | "memory" | "sqlite" | "postgres";
  /** The path of a folder or file, or an address without its password. */
  readonly name: string;
  /**
   * "shared": programs on other machines may write to the same sessions. The snapshots that they make are not on this
   * machine.
   */
  readonly reach: "machine" | "shared";
}

/** Selects the sessions to list. An absent field matches all sessions. */
export interface SessionFilter {
  /** The real path of the folder that the sessions work in. */
  readonly workspace?: string;
  readonly mode?: SessionBody["mode"];
  /** Lists only sessions that come after this id, which need not exist. Callers use it to get the next page. */
  readonly after?: SessionId;
  readonly limit?: number;
}

/** One part of a session's storage, with its size. */
export interface Piece {
  /** The name of a file within the session, or a name for rows of a table. */
  readonly name: string;
  readonly bytes: number;
}

/** The initial content of a session: the entries from line 2 on, and the blobs that they refer to. */
export interface SessionContent {
  readonly entries: readonly Entry[];
  readonly blobs: readonly Uint8Array[];
}

export interface OpenedLog {
  readonly outline: Outline;
  readonly damage: readonly Damage[];
}

/** One fault in a log, described so that a user can find it. */
export interface Damage extends Remark {
  readonly what: "line" | "missing" | "repeated" | "torn-tail" | "blob" | "header" | "file";
  /** The name of the file within the session's folder; empty in stores without files. */
  readonly file: string;
  /** The line in that file, counted from 1; 0 if the fault is not about a line. */
  readonly line: number;
  readonly bytes: number;
}

export interface Recovery {
  /** The files to which torn bytes were moved, if there were any. */
  readonly setAside: readonly { readonly file: string; readonly bytes: number }[];
}

/** Stored bytes that are not an entry, with a name for the place where they are. */
export interface Scrap {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The missing entries at the end of a session, all of which were acknowledged. */
export interface MissingEntries {
  readonly session: SessionId;
  /** The line of the first missing entry; 1 if the whole session is missing. */
  readonly from: number;
  readonly entries: number;
  /** When the last missing entry was acknowledged: ISO 8601, UTC. */
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
