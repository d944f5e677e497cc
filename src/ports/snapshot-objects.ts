import type { ObjectHash, SnapshotId } from "../record/ids.ts";
import type { KeptFor } from "./workspace-files.ts";

/** What snapshots consist of: contents of files, folders, and the snapshots themselves. */
export interface SnapshotObject {
  readonly kind: "content" | "folder" | "snapshot";
  readonly hash: ObjectHash;
  readonly bytes: Uint8Array;
}

/** Why the contents of a file in a snapshot are not included. */
export type WhyAbsent =
  /** Ignored by the rules of every exported snapshot, and not requested. */
  | "ignored"
  | "forgotten"
  /** Lost or damaged earlier. */
  | "missing";

/**
 * The parts of an export, in this order: first a list of everything in it, then each object once, after the objects that it
 * consists of.
 */
export type ExportedPart =
  | {
      readonly part: "snapshots";
      readonly there: readonly SnapshotId[];
      /** Removed, or no longer complete. */
      readonly missing: readonly SnapshotId[];
    }
  | ({ readonly part: "object" } & SnapshotObject)
  | { readonly part: "absent"; readonly hash: ObjectHash; readonly why: WhyAbsent };

export interface ExportRequest {
  readonly snapshots: readonly SnapshotId[];
  /** Ignored files may contain secrets. Their names and hashes are in folders in any case. */
  readonly ignored: "leave-out" | "include";
}

/**
 * Exports and imports the objects of snapshots, to copy them between stores.
 *
 * - `exporting` blocks gc until the iteration ends or is abandoned. It holds one object in memory at a time.
 * - If `checking` finds no fault, the objects can be imported, and then every snapshot among them can be read.
 * - `bring` makes everything durable and keeps it before it calls `then`. If anything fails, nothing refers to the new
 *   objects, so the next gc removes them.
 */
export interface SnapshotObjects {
  exporting(request: ExportRequest): AsyncGenerator<ExportedPart>;
  checking(): ObjectsCheck;
  bring(request: BringRequest): Promise<Brought>;
  close(): void;
}

/** Checks objects from elsewhere, without storing them. Each call returns what is wrong, if anything. */
export interface ObjectsCheck {
  object(object: SnapshotObject): string | undefined;
  absent(hash: ObjectHash): string | undefined;
  /** Checks that the objects are exactly those that these snapshots need. */
  finish(snapshots: readonly SnapshotId[]): string | undefined;
}

export interface BringRequest {
  readonly parts: AsyncIterable<Exclude<ExportedPart, { readonly part: "snapshots" }>>;
  readonly keep: readonly KeptSnapshot[];
  /** The folder that the session works in. */
  readonly workspace: string;
  /** Called when everything is stored: the moment to create the session. */
  readonly then: () => Promise<void>;
}

export interface KeptSnapshot {
  readonly snapshot: SnapshotId;
  readonly keptFor: KeptFor;
  /** When it was captured: ISO 8601, UTC. */
  readonly at: string;
}

export interface Brought {
  /** How many objects were new. */
  readonly added: number;
}

/** What to search for in all snapshots. */
export type FilesQuery =
  | {
      readonly what: "content";
      readonly matches: (bytes: Uint8Array) => boolean;
      readonly inName: (name: string) => boolean;
      /** For a label: what is left of it, or the same text. */
      readonly eraseFrom: (text: string) => string;
      /** Whether bytes that are cut off at any point might contain it, or the beginning of it. */
      readonly inTorn: (text: string) => boolean;
    }
  /** An absolute path: everything at or below it in the snapshots of its workspace. */
  | { readonly what: "path"; readonly path: string };

/** Contents that will be erased completely from every snapshot. */
export interface FoundInSnapshots {
  readonly contents: readonly ObjectHash[];
  /** How many snapshots contain them. */
  readonly snapshots: number;
  /** Every path with one of these contents, in any snapshot of any workspace, for display. */
  readonly places: readonly string[];
  /** The places where a file with these contents still exists: it would be captured again. */
  readonly inWorkspace: readonly string[];
  /** Paths with the text in their name or link target. Names cannot be erased. */
  readonly inNames: readonly string[];
  /** Records of kept snapshots that have the text in a label, or in the remains of one after a crash. */
  readonly labels: number;
  /** Contents and folders that could not be read, and so not be searched. */
  readonly unreadable: number;
  /** Snapshots with more places than can be listed; their contents are erased all the same. */
  readonly unlisted: readonly SnapshotId[];
}

export interface EraseRequest {
  readonly contents: readonly ObjectHash[];
  readonly request: FilesQuery;
  /**
   * Called when no other program uses the store, before anything is changed. After a full disk it may be called again.
   */
  readonly before: () => Promise<void>;
}

export interface ErasedContents {
  readonly erased: number;
  readonly labels: number;
  /** What could not be erased, and why. */
  readonly left: readonly HeldContents[];
}

export interface HeldContents {
  readonly contents: number;
  /** "held": a running program writes to the same segment. "damaged": the data next to them has to be checked first. */
  readonly why: "held" | "damaged";
  /** The program that holds them. */
  readonly by?: string;
}

/** Erases contents permanently. Creates nothing if there are no snapshots. */
export interface ForgettableFiles {
  find(request: FilesQuery, onProgress?: (done: number, of: number) => void): Promise<FoundInSnapshots>;
  erase(request: EraseRequest): Promise<ErasedContents>;
  close(): void;
}
