import type { Entry, EntryOf, SessionBody } from "../record/entry.ts";
import type { Remark } from "../record/error.ts";
import type { BlobHash, Seq, SessionId } from "../record/ids.ts";
import type { Outline } from "../timeline/outline.ts";
import type { Holder, Lease, LeaseRequest } from "./lease.ts";

/**
 * Stores the logs of sessions, and their blobs.
 *
 * Contract, checked by `logStoreContract` in `testing/`:
 * - `append` resolves only when all its entries are durable, in order. When it rejects, a later reader finds a prefix
 *   of them, never a mixture, and never less than was durable before.
 * - `append` with an `expectedSeq` that is not the next line's rejects with SEQ_CONFLICT and writes nothing: of two
 *   writers, one wins.
 * - After a rejected `append` (STORE_FULL, STORE_UNWRITABLE) the same call may be made again, and succeeds once the
 *   cause is gone. The caller retries; the store does not.
 * - What was appended is read back byte for byte, after any restart.
 * - A damaged line affects only that line: it is a gap in the outline and in what is read, and is reported by `open`,
 *   or, if it was damaged after an index was made, by this store's next `open` after it was read. `verify` always
 *   reports it.
 * - A blob, once stored, is never altered; `getBlob` checks it against its hash.
 * - A key that does not belong to a session is SESSION_UNKNOWN to every call, and creates nothing; `create` rejects it
 *   with ENTRY_INVALID.
 * - `close` releases the leases that this store still holds, as far as possible. It may be called more than once, and
 *   later calls either work or reject; none is left pending.
 * - There is no `delete` of an entry and no `truncate`. `trash` moves a whole session aside, `rewrite` is only for
 *   `forget`.
 */
export interface LogStore {
  readonly place: StorePlace;
  /**
   * Creates the session that `first` begins, with all its initial content (of a fork or an import): after a crash,
   * either all of it exists or none. Rejects with SESSION_EXISTS if the session exists.
   */
  create(first: EntryOf<"session">, content?: SessionContent): Promise<void>;
  /** Reads the outline. Changes nothing, so it may be called while another process writes. */
  open(session: SessionId): Promise<OpenedLog>;
  /**
   * Moves aside what a crash left half written, so that the next entry starts on a new line. Only the holder of the
   * lease may call it, before its first append.
   */
  recover(session: SessionId): Promise<Recovery>;
  append(session: SessionId, expectedSeq: Seq, entries: readonly Entry[]): Promise<void>;
  /**
   * The number of the next file, if the newest one has grown past the store's limit; otherwise undefined, as always in
   * stores without files. The writer asks before it appends, and then calls `rotate`, because the entry that begins a
   * file takes a line, and only the writer assigns lines.
   */
  rotationDue(session: SessionId): Promise<number | undefined>;
  /**
   * Appends `entry` as the first line of a new file, with all the promises of `append`: durable when it resolves,
   * without effect when it rejects, and complete at every instant.
   */
  rotate(session: SessionId, entry: EntryOf<"rotated">): Promise<void>;
  /** The entries of the lines `from` to `to`, both included, without unreadable ones. */
  read(session: SessionId, from: Seq, to: Seq): Promise<readonly Entry[]>;
  /** Reads and checks every line and blob again, ignoring indexes. */
  verify(session: SessionId): Promise<readonly Damage[]>;

  /**
   * The sessions that match the filter, sorted by id, character by character. A session whose first entry cannot be
   * read, and about which the store knows nothing else, matches every filter except `after` and `limit`: only opening
   * it can show what it is.
   */
  list(filter?: SessionFilter): Promise<readonly SessionId[]>;
  /** A text that changes with the log and is the same in every store that opens it, for callers that cache what they read. */
  stamp(session: SessionId): Promise<string>;
  /** How much room the session takes, by piece: its log, its blobs, and other data. */
  sizes(session: SessionId): Promise<readonly Piece[]>;
  /** The owner of the right to write. Does not acquire that right. */
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
  /** Permanently removes what was trashed before `before`, and all remnants that no process can be using. */
  emptyTrash(before: number): Promise<readonly SessionId[]>;
  /**
   * Sessions that are in neither list but have data: they are being created or removed, or their program was killed
   * while doing so. Their data cannot be read.
   */
  listRemnants(): Promise<readonly SessionId[]>;

  /**
   * The stored data of the session that is not part of any entry and so is never read: damaged lines, torn bytes, set
   * aside or not, and half-written data. Changes nothing. Only for `forget`: a text in there is not gone. (What was
   * published contains nothing that is not in an entry.)
   */
  scraps(session: SessionId): Promise<readonly Scrap[]>;
  /**
   * Replaces each entry with `replace(entry)`, keeping lines and ids. Removes blobs that nothing refers to, what was
   * published, and all scraps; of a damaged line only its gap is left. Only for `forget`.
   */
  rewrite(session: SessionId, replace: (entry: Entry) => Entry): Promise<void>;
  /**
   * Removes rewritten and deleted data from the store's own free space too, if it has any. May take long and block
   * others, so only `forget` calls it, once, at its end. If that is not possible now, resolves with the reason; earlier
   * changes stay, and it may be called again.
   */
  scrub(): Promise<string | undefined>;
  /** Writes files that users and scripts may read, next to the log; never read back. */
  publish(session: SessionId, checkpoints: readonly PublishedCheckpoint[]): Promise<void>;
  /**
   * Acknowledged entries that no longer exist, if the store can detect that: files of its database were removed or
   * replaced by an older copy. Such a session can be read as far as it goes; writing to it fails with ENTRIES_MISSING.
   */
  missing?(): Promise<readonly MissingEntries[]>;
  /** Accepts that these entries are missing: their sessions can be written to again. */
  acceptMissing?(): Promise<void>;
  /**
   * Only in a store that checks signatures: the user of this home confirms a session that was not written by this home.
   * From then on work on it is allowed, in `workspace` and with `system`, whatever its log says; what its entries grant
   * is still ignored.
   */
  confirm?(session: SessionId, confirmed: ConfirmedWork): Promise<void>;
  /** Throws HOME_KEY_UNUSABLE if signatures cannot be checked. */
  checkKey?(): void;
  /** The same sessions without signature checks. Only for `forget`, which must see every text and acts on none. */
  readonly unchecked?: LogStore;
  close(): Promise<void>;
}

/** Where and how work on a session from elsewhere is allowed. */
export interface ConfirmedWork {
  /** The real path of the folder that the user chose. */
  readonly workspace: string;
  readonly system: string;
}

/** Where a store keeps its data, in words that help a user find it. */
export interface StorePlace {
  readonly kind: "files" | "memory" | "sqlite" | "postgres";
  /** A folder, a file, or an address without its password. */
  readonly name: string;
  /** "shared": other machines may write to the same sessions; their snapshots are not on this one. */
  readonly reach: "machine" | "shared";
}

/** Which sessions to list; an absent field matches all. */
export interface SessionFilter {
  /** The real path of the folder that they work in. */
  readonly workspace?: string;
  readonly mode?: SessionBody["mode"];
  /** Only sessions after this id in the order of ids, whether it exists or not: the next page. */
  readonly after?: SessionId;
  readonly limit?: number;
}

/** A unit of a session's storage. */
export interface Piece {
  /** Its name within the session: a file's name, or a name for rows of a table. */
  readonly name: string;
  readonly bytes: number;
}

/** The initial content of a session: entries from line 2 on, and the blobs that they refer to. */
export interface SessionContent {
  readonly entries: readonly Entry[];
  readonly blobs: readonly Uint8Array[];
}

export interface OpenedLog {
  readonly outline: Outline;
  readonly damage: readonly Damage[];
}

/** One fault in a log, in words that help a user find it. */
export interface Damage extends Remark {
  readonly what: "line" | "missing" | "repeated" | "torn-tail" | "blob" | "header" | "file";
  /** The file's name within the session's folder; empty in stores without files. */
  readonly file: string;
  /** The line in that file, from 1; 0 if it is not about a line. */
  readonly line: number;
  readonly bytes: number;
}

export interface Recovery {
  /** Where torn bytes were moved to, if there were any. */
  readonly setAside: readonly { readonly file: string; readonly bytes: number }[];
}

/** Bytes that are not an entry, and a name for their place. */
export interface Scrap {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The last entries of a session, which were acknowledged and are missing. */
export interface MissingEntries {
  readonly session: SessionId;
  /** The first missing line; 1 if the whole session is missing. */
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
