import type { ObjectsFault } from "../record/error.ts";
import type { ObjectHash, SnapshotId } from "../record/ids.ts";

import type { KeptFor } from "./workspace-files.ts";

export type { ObjectsFault };

/** One of the units that make up snapshots: the content of a file, a folder, or a snapshot itself. */
export interface SnapshotObject {
  readonly kind: "content" | "folder" | "snapshot";
  readonly hash: ObjectHash;
  readonly bytes: Uint8Array;
}

/** Why an export does not include the content of a file. */
export type WhyAbsent =
  /** The ignore rules of every exported snapshot match the file, and the caller did not request ignored files. */
  | "ignored"
  | "forgotten"
  /** The content was lost or damaged earlier. */
  | "missing";

/**
 * A part of an export. The first part is a list of the snapshots. After that, each object appears once, after the
 * objects that it refers to.
 */
export type ExportedPart =
  | {
      readonly part: "snapshots";
      readonly there: readonly SnapshotId[];
      /** Snapshots that were removed or are no longer complete. */
      readonly missing: readonly SnapshotId[];
    }
  | ({ readonly part: "object" } & SnapshotObject)
  | { readonly part: "absent"; readonly hash: ObjectHash; readonly why: WhyAbsent };

export interface ExportRequest {
  readonly snapshots: readonly SnapshotId[];
  /**
   * Whether to include the contents of ignored files, which may contain secrets. The names and hashes of ignored files
   * are always included, because they are part of folders.
   */
  readonly ignored: "leave-out" | "include";
}

/**
 * Exports and imports the objects of snapshots, so that they can be copied between stores.
 *
 * - `exporting` blocks gc until the iteration ends or is abandoned. Only one object at a time is held in memory.
 * - If `checking` finds no fault, the objects can be imported, and every snapshot among them can be read afterward.
 * - `bring` makes everything durable and protects the snapshots from deletion before it calls `then`. If anything
 *   fails, nothing refers to the new objects, and the next gc removes them.
 */
export interface SnapshotObjects {
  exporting(request: ExportRequest): AsyncGenerator<ExportedPart>;
  checking(): ObjectsCheck;
  bring(request: BringRequest): Promise<Brought>;
  close(): void;
}

/**
 * Checks objects from another store without storing them. Each method returns the fault that it found, or undefined.
 */
export interface ObjectsCheck {
  object(object: SnapshotObject): ObjectsFault | undefined;
  absent(hash: ObjectHash): ObjectsFault | undefined;
  /** Checks that the objects are exactly the ones required by these snapshots. */
  finish(snapshots: readonly SnapshotId[]): ObjectsFault | undefined;
}

export interface BringRequest {
  readonly parts: AsyncIterable<Exclude<ExportedPart, { readonly part: "snapshots" }>>;
  readonly keep: readonly KeptSnapshot[];
  /** The folder that the session works in. */
  readonly workspace: string;
  /** Called after everything has been stored, so that the caller can create the session. */
  readonly then: () => Promise<void>;
}

export interface KeptSnapshot {
  readonly snapshot: SnapshotId;
  readonly keptFor: KeptFor;
  /** When the snapshot was captured (ISO 8601, UTC). */
  readonly at: string;
}

export interface Brought {
  /** The number of objects that were not in the store before. */
  readonly added: number;
}

/** What to search for in all snapshots: either a string in file contents, names, and labels, or a path. */
export type FilesQuery =
  | {
      readonly what: "content";
      readonly matches: (bytes: Uint8Array) => boolean;
      readonly inName: (name: string) => boolean;
      /** Returns the label without the text, or an unchanged label if it does not contain the text. */
      readonly eraseFrom: (text: string) => string;
      /** Checks whether a possibly truncated string contains the text or its beginning. */
      readonly inTorn: (text: string) => boolean;
    }
  /** Finds everything at or below this absolute path in the snapshots of its workspace. */
  | { readonly what: "path"; readonly path: string };

/** The file contents that `erase` would remove from every snapshot, and other places that contain the text. */
export interface FoundInSnapshots {
  readonly contents: readonly ObjectHash[];
  /** The number of snapshots that include these contents. */
  readonly snapshots: number;
  /** All paths that have one of these contents in any snapshot of any workspace, for display. */
  readonly places: readonly string[];
  /** The places where files with these contents currently exist. The next capture would store the contents again. */
  readonly inWorkspace: readonly string[];
  /** Paths with the text in their name or in their link target, which cannot be erased. */
  readonly inNames: readonly string[];
  /** The number of snapshot refs that contain the text in a label or in a partial label that a crash left behind. */
  readonly labels: number;
  /** The number of file contents and folders that could not be read and therefore could not be searched. */
  readonly unreadable: number;
  /** Snapshots that contain the text in too many places to list. The contents in these snapshots are erased anyway. */
  readonly unlisted: readonly SnapshotId[];
}

export interface EraseRequest {
  readonly contents: readonly ObjectHash[];
  readonly request: FilesQuery;
  /**
   * Called when no other program is using the store, before anything is changed. Called again if a full disk makes a
   * second attempt necessary.
   */
  readonly before: () => Promise<void>;
}

export interface ErasedContents {
  readonly erased: number;
  readonly labels: number;
  /** The file contents that could not be erased, with the reasons. */
  readonly left: readonly HeldContents[];
}

export interface HeldContents {
  readonly contents: number;
  /**
   * "held": a running program writes to the same segment. "damaged": the segment contains damaged data, which must be
   * checked first.
   */
  readonly why: "held" | "damaged";
  /** The program that holds the segment. */
  readonly by?: string;
}

/** Permanently erases file contents from snapshots. Does not create a store if there are no snapshots. */
export interface ForgettableFiles {
  find(request: FilesQuery, onProgress?: (done: number, of: number) => void): Promise<FoundInSnapshots>;
  erase(request: EraseRequest): Promise<ErasedContents>;
  close(): void;
}
