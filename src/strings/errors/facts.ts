/** Parameters of errors, as data that each catalogue renders in its own words. */

/** Kinds of stored things of which there can be many. Each is identified by the path, session, or hash in `of`. */
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

/** Kinds of stored things of which there is only one. */
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

/** The stored thing that could not be read or written. */
export type Stored = { readonly what: NamedStored; readonly of: string } | { readonly what: SingleStored };

/** Why the system refused a read or a write. Only the reasons that lead to different hints are distinguished. */
export type DiskRefusal = "not-a-folder" | "too-many-files" | "read-only" | "forbidden" | "other";

/** The system's error for a path. */
export interface DiskFailure {
  readonly stored: Stored;
  /** The system's code; undefined if the error has none. */
  readonly errno: string | undefined;
  readonly refusal: DiskRefusal;
  /** The path that must be made readable or writable, if the system named it. */
  readonly place: string | undefined;
}

/** The owner of a lock; "unreadable" if the owner cannot be determined. */
export type ErrorOwner =
  | { readonly name: string; readonly pid: number; readonly host: string; readonly since: string }
  | "unreadable";

/** The valid values for an option or argument. */
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

/** The value that was given instead. "class": an instance of an unnamed class. */
export type Given =
  | { readonly is: "function" | "list" | "object" | "class" }
  | { readonly is: "instance" | "value"; readonly text: string };

/** A function argument whose error names it and has its own hint. */
export type ArgumentName =
  | "compact-request"
  | "store-address"
  | "step-work"
  | "save-request"
  | "restore-function"
  | "checkpoint-id";

export type ObjectKindName = "content" | "folder" | "snapshot";

/** The damage in the bytes of a folder object or a snapshot. */
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

/** Why a folder object must neither be written nor trusted. */
export type FolderFault =
  | "bad-name"
  | "unordered"
  | "holds-git"
  | "failures-do-not-add-up"
  | "bad-size"
  | "bad-target"
  | "bad-mode"
  | "bad-hash";

/** Why objects from elsewhere are rejected. */
export type ObjectsFault =
  | { readonly fault: "wrong-hash" | "repeated"; readonly kind: ObjectKindName }
  | {
      readonly fault: "object-bytes";
      readonly kind: ObjectKindName;
      readonly bytes: number;
      readonly most: number;
    }
  | { readonly fault: "unreadable"; readonly kind: "folder" | "snapshot"; readonly damage: ObjectDamage }
  | { readonly fault: "snapshot-missing"; readonly snapshot: string }
  | { readonly fault: "snapshot-size"; readonly excess: SnapshotExcess }
  | {
      readonly fault: "objects" | "folders-named" | "name-bytes" | "target-bytes";
      readonly most: number;
    }
  | { readonly fault: "git-name"; readonly name: string }
  /** `name`: "" for the workspace itself. */
  | { readonly fault: "set-id"; readonly name: string }
  | { readonly fault: PlainObjectsFault };

export type PlainObjectsFault =
  | "absent-present"
  | "snapshot-unannounced"
  | "folder-unused"
  | "folder-missing"
  | "content-missing"
  | "content-unused";

/** The limit that a snapshot exceeds. */
export interface SnapshotExcess {
  readonly of: "path-bytes" | "paths";
  readonly most: number;
}

/** The damage at one position in a segment. */
export type SegmentFault = RecordFault | "wrong-checksum" | { readonly noRecordBytes: number };

/** Why a record of a segment is not the object that its hash names. */
export type RecordFault =
  | "cut-short"
  | "cannot-be-unpacked"
  | "other-bytes"
  | "no-header"
  | { readonly isA: ObjectKindName };
