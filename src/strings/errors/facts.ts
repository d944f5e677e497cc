/** What errors are about, as data: each catalogue has its words for them. */

/** What is kept somewhere, by the path, session or hash that it is `of`. */
export type NamedStored =
  | "path"
  | "folder"
  | "database"
  | "database-notes"
  | "home-key"
  | "model-keys"
  | "lock"
  | "lease"
  | "lease-of"
  | "session-list"
  | "trash"
  | "session"
  | "session-log"
  | "session-folder"
  | "session-lock"
  | "confirmation"
  | "blob";

/** What is kept once. */
export type SingleStored =
  | "new-blob"
  | "blob-list"
  | "checkpoint-list"
  | "other-sessions"
  | "earlier-sessions"
  | "snapshots"
  | "snapshots-lease"
  | "snapshots-leftover"
  | "collections"
  | "restore-journal"
  | "workspace-notes";

/** What could not be read or written. */
export type Stored = { readonly what: NamedStored; readonly of: string } | { readonly what: SingleStored };

/** Why the system refused to read or write, as far as the next thing to do depends on it. */
export type DiskRefusal = "not-a-folder" | "too-many-files" | "read-only" | "forbidden" | "other";

/** What the system said about a path. */
export interface DiskFailure {
  readonly stored: Stored;
  /** Undefined where it gave no name for it. */
  readonly errno: string | undefined;
  readonly refusal: DiskRefusal;
  /** What must be readable or writable, where the system said so. */
  readonly place: string | undefined;
}

/** Who holds something; "unreadable" where that cannot be told. */
export type ErrorOwner =
  | { readonly name: string; readonly pid: number; readonly host: string; readonly since: string }
  | "unreadable";

/** What an option or argument must be. */
export type Must =
  | { readonly must: PlainMust }
  | { readonly must: "one-of"; readonly words: readonly string[] }
  | { readonly must: "optional" | "list" | "or-function"; readonly of: Must }
  | { readonly must: "either"; readonly of: readonly Must[] };

export type PlainMust =
  | "text"
  | "path"
  | "flag"
  | "amount"
  | "number"
  | "ordinal"
  | "callback"
  | "object"
  | "plain-object"
  | "signal"
  | "store"
  | "open-store"
  | "view"
  | "deps"
  | "bytes"
  | "clock"
  | "choices"
  | "prompt"
  | "decision"
  | "anything";

/** What it is instead. "class": an instance of one without a name. */
export type Given =
  | { readonly is: "function" | "list" | "object" | "class" }
  | { readonly is: "instance" | "value"; readonly text: string };

/** An argument that has a check of its own. */
export type ArgumentName =
  | "compact-request"
  | "store-address"
  | "step-work"
  | "save-request"
  | "restore-function"
  | "checkpoint-id";

export type ObjectKindName = "content" | "folder" | "snapshot";

/** What is wrong with the bytes of a folder or a snapshot. */
export type ObjectDamage =
  | { readonly damage: PlainDamage }
  | { readonly damage: "too-many-entries"; readonly most: number };

export type PlainDamage =
  | "no-version"
  | "number-too-large"
  | "number-too-long"
  | "not-utf8"
  | "too-long"
  | "cut-short"
  | "unknown-reason"
  | "unknown-kind"
  | "rules-flag"
  | FolderFault;

/** Why a folder must be neither written nor believed. */
export type FolderFault =
  | "bad-name"
  | "unordered"
  | "holds-git"
  | "failures-do-not-add-up"
  | "bad-size"
  | "bad-target"
  | "bad-mode"
  | "bad-hash";

/** The limit that a snapshot exceeds. */
export interface SnapshotExcess {
  readonly of: "path-bytes" | "paths";
  readonly most: number;
}

/** What is wrong at a place of a segment. */
export type SegmentFault = RecordFault | "wrong-checksum" | { readonly noRecordBytes: number };

/** Why a record of a segment is not the object that its hash names. */
export type RecordFault =
  | "cut-short"
  | "cannot-be-unpacked"
  | "other-bytes"
  | "no-header"
  | { readonly isA: ObjectKindName };
