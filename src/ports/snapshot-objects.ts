import type { ObjectsFault } from "../record/error.ts";
import type { ObjectHash, SnapshotId } from "../record/ids.ts";

import type { KeptFor } from "./workspace-files.ts";

export type { ObjectsFault };

/** A unit that snapshots consist of: the content of a file, a folder, or a snapshot itself. */
export interface SnapshotObject {
  readonly kind: "content" | "folder" | "snapshot";
  readonly hash: ObjectHash;
  readonly bytes: Uint8Array;
}

/** Why an export does not include the content of a file. */
export type WhyAbsent =
  /** The rules of every exported snapshot ignore the file, and the caller did not request ignored files. */
  | "ignored"
  | "forgotten"
  /** The content was lost or damaged earlier. */
  | "missing";

/**
 * The parts of an export: first a list of its snapshots, then each object once, after the objects that it consists of.
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
   * Whether to include the contents of ignored files, which may contain secrets. Their names and hashes are always
   * included, because they are part of folders.
   */
  readonly ignored: "leave-out" | "include";
}

/**
 * Exports and imports the objects of snapshots, to copy them between stores.
 *
 * - `exporting` blocks gc until the iteration ends or is abandoned. It holds only one object in memory at a time.
 * - If `checking` finds no fault, the objects can be imported, and every snapshot among them can be read afterwards.
 * - `bring` makes everything durable, and keeps the snapshots, before it calls `then`. If anything fails, nothing
 *   refers to the new objects, and the next gc removes them.
 */
export interface SnapshotObjects {
  exporting(request: ExportRequest): AsyncGenerator<ExportedPart>;
  checking(): ObjectsCheck;
  bring(request: BringRequest): Promise<Brought>;
  close(): void;
}

/** Checks objects from elsewhere without storing them. Each call returns the fault that it found, or undefined. */
export interface ObjectsCheck {
  object(object: SnapshotObject): ObjectsFault | undefined;
  absent(hash: ObjectHash): ObjectsFault | undefined;
  /** Checks that the objects are exactly the ones that these snapshots need. */
  finish(snapshots: readonly SnapshotId[]): ObjectsFault | undefined;
}

export interface BringRequest {
  readonly parts: AsyncIterable<Exclude<ExportedPart, { readonly part: "snapshots" }>>;
  readonly keep: readonly KeptSnapshot[];
  /** The folder that the session works in. */
  readonly workspace: string;
  /** Called when everything is stored, so that the caller can create the session. */
  readonly then: () => Promise<void>;
}

export interface KeptSnapshot {
  readonly snapshot: SnapshotId;
  readonly keptFor: KeptFor;
  /** When the snapshot was captured: ISO 8601, UTC. */
  readonly at: string;
}

export interface Brought {
  /** How many objects were new. */
  readonly added: number;
}

/** What to search for in all snapshots: a text in contents, names and labels, or a path. */
export type FilesQuery =
  | {
      readonly what: "content";
      readonly matches: (bytes: Uint8Array) => boolean;
      readonly inName: (name: string) => boolean;
      /** Returns a label without the text, or the same label if it does not contain the text. */
      readonly eraseFrom: (text: string) => string;
      /** Whether bytes that may be cut off at any point contain the text or its beginning. */
      readonly inTorn: (text: string) => boolean;
    }
  /** Everything at or below this absolute path, in the snapshots of its workspace. */
  | { readonly what: "path"; readonly path: string };

/** The contents that `erase` would remove from every snapshot, and other places that contain the text. */
export interface FoundInSnapshots {
  readonly contents: readonly ObjectHash[];
  /** How many snapshots include these contents. */
  readonly snapshots: number;
  /** Every path that has one of these contents in any snapshot of any workspace, for display. */
  readonly places: readonly string[];
  /** The places where a file with these contents exists now. The next capture would store it again. */
  readonly inWorkspace: readonly string[];
  /** Paths that contain the text in their name or in their link target. Names cannot be erased. */
  readonly inNames: readonly string[];
  /** How many records of kept snapshots contain the text in a label, or in the part of a label that a crash left. */
  readonly labels: number;
  /** How many contents and folders could not be read, and therefore could not be searched. */
  readonly unreadable: number;
  /** Snapshots with more places than can be listed. Their contents are erased anyway. */
  readonly unlisted: readonly SnapshotId[];
}

export interface EraseRequest {
  readonly contents: readonly ObjectHash[];
  readonly request: FilesQuery;
  /**
   * Called when no other program uses the store, before anything is changed. Called again if a full disk forces a
   * second attempt.
   */
  readonly before: () => Promise<void>;
}

export interface ErasedContents {
  readonly erased: number;
  readonly labels: number;
  /** The contents that could not be erased, and the reasons. */
  readonly left: readonly HeldContents[];
}

export interface HeldContents {
  readonly contents: number;
  /**
   * "held": a running program writes to the same segment. "damaged": the segment has damaged data, which must be
   * checked first.
   */
  readonly why: "held" | "damaged";
  /** The program that holds the segment. */
  readonly by?: string;
}

/** Erases contents from snapshots permanently. Does not create a store if there are no snapshots. */
export interface ForgettableFiles {
  find(request: FilesQuery, onProgress?: (done: number, of: number) => void): Promise<FoundInSnapshots>;
  erase(request: EraseRequest): Promise<ErasedContents>;
  close(): void;
}
