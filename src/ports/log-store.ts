import type { Entry, EntryOf, SessionBody } from "../record/entry.ts";
import type { Remark } from "../record/error.ts";
import type { BlobHash, Seq, SessionId } from "../record/ids.ts";
import type { Outline } from "../timeline/outline.ts";
import type { Holder, Lease, LeaseRequest } from "./lease.ts";

/**
 * Stores sessions' logs and blobs.
 *
 * Contract, checked by `logStoreContract` in `testing/`:
 * - `append` does not resolve until all its entries are durable, in order. If it rejects, later readers find the
 *   earlier entries and a prefix of the new ones, and nothing else.
 * - If `expectedSeq` is not the number of the next line, `append` rejects with SEQ_CONFLICT and writes nothing.
 *   Therefore, only one of two simultaneous writers can succeed.
 * - If `append` rejects with STORE_FULL or STORE_UNWRITABLE, the caller can remove the cause and then repeat the same
 *   call. The store does not retry on its own.
 * - Appended entries are read back byte for byte, even after a restart.
 * - A damaged line affects only itself: it is a gap in the outline and in the entries that are read. `open` reports the
 *   damage. Damage that occurs after an index was created is reported by the next `open` of this store after a call has
 *   read the line.
 * - A stored blob is never altered. `getBlob` checks it against its hash.
 * - If a key is not the id of a session, every call rejects with SESSION_UNKNOWN and creates nothing. The exception is
 *   `create`, which rejects an invalid key with ENTRY_INVALID.
 * - `close` releases the leases that this store still holds, as far as possible. `close` can be called more than once.
 *   Calls made after `close` work or reject, but never stay pending.
 * - There is no `truncate`, and no `delete` for an entry. `trash` moves a whole session aside, and `rewrite` is only
 *   for `forget`.
 */
export interface LogStore {
  readonly place: StorePlace;
  /**
   * Creates a session with the first entry `first` and, for a fork or an import, with its initial content. After a
   * crash, the session exists either completely or not at all. Rejects with SESSION_EXISTS if the session already
   * exists.
   */
  create(first: EntryOf<"session">, content?: SessionContent): Promise<void>;
  /**
   * Reads the outline. Changes nothing, so the caller does not need a lease, and another process can write at the same
   * time.
   */
  open(session: SessionId): Promise<OpenedLog>;
  /**
   * Moves aside the bytes of a half-written entry left by a crash, so that the next entry starts on a new line. Only
   * the holder of the lease may call this method, before its first append.
   */
  recover(session: SessionId): Promise<Recovery>;
  append(session: SessionId, expectedSeq: Seq, entries: readonly Entry[]): Promise<void>;
  /**
   * The number of the next file if the newest one has grown past the store's limit; otherwise undefined. Stores without
   * files always return undefined. The writer checks this and then calls `rotate` itself. The entry that begins a file
   * takes up a line, and only the writer assigns lines.
   */
  rotationDue(session: SessionId): Promise<number | undefined>;
  /**
   * Appends `entry` as the first line of a new file, with all the guarantees of `append`. The new file is durable when
   * the call resolves, does not exist if the call rejects, and is never incomplete.
   */
  rotate(session: SessionId, entry: EntryOf<"rotated">): Promise<void>;
  /** The readable entries on the lines from `from` to `to`, inclusive. */
  read(session: SessionId, from: Seq, to: Seq): Promise<readonly Entry[]>;
  /** Reads and checks every line and blob again, without using an index. */
  verify(session: SessionId): Promise<readonly Damage[]>;

  /**
   * The sessions that match the filter, sorted by id, character by character. If a session's first entry cannot be read
   * and the store has no other information about it, the session matches every filter except `after` and `limit`. Its
   * properties are unknown until it is opened.
   */
  list(filter?: SessionFilter): Promise<readonly SessionId[]>;
  /**
   * A string that changes whenever the log changes, for callers that cache what they read. All store objects that open
   * the same log return the same string.
   */
  stamp(session: SessionId): Promise<string>;
  /** The size of each part of the session's storage: its log, its blobs, and other data. */
  sizes(session: SessionId): Promise<readonly Piece[]>;
  /**
   * The program that has the right to write to the session; undefined if there is none. Does not acquire that right.
   */
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
   * Permanently removes the sessions that were moved to the trash before `before`, and all remnants that no process can
   * still be using.
   */
  emptyTrash(before: number): Promise<readonly SessionId[]>;
  /**
   * Sessions that are neither listed nor in the trash but still have data. They are being created or removed, or the
   * program that did so was killed. The data of these sessions cannot be read.
   */
  listRemnants(): Promise<readonly SessionId[]>;

  /**
   * The session's stored data that is not part of any entry and is therefore never read: damaged lines, torn bytes
   * (moved aside or not), and half-written data. Changes nothing. Only for `forget`, which must also find text in this
   * data. Published files are not included, because everything in them is also in an entry.
   */
  scraps(session: SessionId): Promise<readonly Scrap[]>;
  /**
   * Replaces each entry with `replace(entry)`, which must have the same line and id. Removes unreferenced blobs,
   * published files, and all scraps, so that a damaged line becomes a gap. Only for `forget`.
   */
  rewrite(session: SessionId, replace: (entry: Entry) => Entry): Promise<void>;
  /**
   * Removes rewritten and deleted data from the store's own free space, if the store has any. This can take a long time
   * and block other programs, so only `forget` calls this method, once at the end. If the data cannot be removed now,
   * resolves with the reason. In that case, earlier changes stay in effect, and the caller can try again.
   */
  scrub(): Promise<string | undefined>;
  /** Writes files next to the log for users and scripts to read. The store never reads them. */
  publish(session: SessionId, checkpoints: readonly PublishedCheckpoint[]): Promise<void>;
  /**
   * Finds acknowledged entries that no longer exist because database files were removed or replaced with an older copy.
   * Absent in stores that cannot detect such a loss. The remaining entries of the affected sessions can be read, but
   * writing to these sessions fails with ENTRIES_MISSING.
   */
  missing?(): Promise<readonly MissingEntries[]>;
  /** Accepts the loss of the missing entries, so that programs can write to their sessions again. */
  acceptMissing?(): Promise<void>;
  /**
   * Records that the user of this home confirmed a session that this home did not write. The session can then be used
   * in `workspace` and with `system`, regardless of what its log contains. The authority of its entries is still
   * ignored. Present only in a store that checks signatures.
   */
  confirm?(session: SessionId, confirmed: ConfirmedWork): Promise<void>;
  /** Throws HOME_KEY_UNUSABLE if the store cannot check signatures. */
  checkKey?(): void;
  /** The same store without signature checks. Only for `forget`, which must see all text but never acts on it. */
  readonly unchecked?: LogStore;
  close(): Promise<void>;
}

/** The folder and the system prompt to use for a session that this home did not write. */
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
   * "shared": programs on other machines can write to the same sessions. Snapshots captured by these programs are not
   * on this machine.
   */
  readonly reach: "machine" | "shared";
}

/** Selects the sessions to list. If a field is absent, it matches all sessions. */
export interface SessionFilter {
  /** The real path of the folder that the sessions work in. */
  readonly workspace?: string;
  readonly mode?: SessionBody["mode"];
  /** Lists only sessions that come after this id, even if no session has this id. Used to get the next page. */
  readonly after?: SessionId;
  readonly limit?: number;
}

/** One part of a session's storage, with its size. */
export interface Piece {
  /** The name of one of the session's files, or a name for the rows in a table. */
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
  /** The line in that file, counted from 1; 0 if the fault does not concern a line. */
  readonly line: number;
  readonly bytes: number;
}

export interface Recovery {
  /** The files that torn bytes were moved to; empty if there were none. */
  readonly setAside: readonly { readonly file: string; readonly bytes: number }[];
}

/** Stored bytes that are not part of an entry, and a name for their location. */
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
  /** When the last missing entry was acknowledged (ISO 8601, UTC). */
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
