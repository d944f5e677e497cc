import type { ObjectHash, SnapshotId } from "../record/ids.ts";
import type { KeptFor } from "./workspace-files.ts";

/** What snapshots are made of: contents of files, folders, and the snapshots themselves. */
export interface SnapshotObject {
  readonly kind: "content" | "folder" | "snapshot";
  readonly hash: ObjectHash;
  readonly bytes: Uint8Array;
}

/** Why a content that snapshots name is not where they are. */
export type WhyAbsent =
  /** Ignored by the rules of every snapshot that is taken along, and not asked for. */
  | "ignored"
  | "forgotten"
  /** Lost, or damaged, before. */
  | "missing";

/** What is taken along, in this order: first what there is, then each object, once, behind what it is made of. */
export type ExportedPart =
  | {
      readonly part: "snapshots";
      readonly there: readonly SnapshotId[];
      /** Let go, or not whole any more. */
      readonly missing: readonly SnapshotId[];
    }
  | ({ readonly part: "object" } & SnapshotObject)
  | { readonly part: "absent"; readonly hash: ObjectHash; readonly why: WhyAbsent };

export interface ExportRequest {
  readonly snapshots: readonly SnapshotId[];
  /** Files that the workspace ignores may hold secrets. Their names and hashes stand in folders all the same. */
  readonly ignored: "leave-out" | "include";
}

/**
 * The objects behind snapshots, to take them to another store.
 *
 * - `exporting` keeps gc away until it is gone through or given up. It holds one object at a time.
 * - What `checking` has no fault to find in can be brought in, and then every snapshot of it can be walked.
 * - `bring` makes everything durable and keeps it before it calls `then`. When anything fails, what was brought is kept
 *   for nothing, so that the next gc removes it.
 */
export interface SnapshotObjects {
  exporting(request: ExportRequest): AsyncGenerator<ExportedPart>;
  checking(): ObjectsCheck;
  bring(request: BringRequest): Promise<Brought>;
  close(): void;
}

/** Looks at what comes from outside, without keeping it. Each call says what is wrong, if anything is. */
export interface ObjectsCheck {
  object(object: SnapshotObject): string | undefined;
  absent(hash: ObjectHash): string | undefined;
  /** Whether it is all that these snapshots need, and nothing else. */
  finish(snapshots: readonly SnapshotId[]): string | undefined;
}

export interface BringRequest {
  readonly parts: AsyncIterable<Exclude<ExportedPart, { readonly part: "snapshots" }>>;
  readonly keep: readonly KeptSnapshot[];
  /** The folder that the session works in. */
  readonly workspace: string;
  /** Called when all of it is kept: the moment to make the session. */
  readonly then: () => Promise<void>;
}

export interface KeptSnapshot {
  readonly snapshot: SnapshotId;
  readonly keptFor: KeptFor;
  /** When it was captured: ISO 8601, UTC. */
  readonly at: string;
}

export interface Brought {
  /** How many objects were not there before. */
  readonly added: number;
}

/** What to look for in all snapshots. */
export type FilesQuery =
  | {
      readonly what: "content";
      readonly matches: (bytes: Uint8Array) => boolean;
      readonly inName: (name: string) => boolean;
      /** For a label: what is left of it, or the same text. */
      readonly eraseFrom: (text: string) => string;
      /** Whether bytes that end anywhere may have it, or its beginning. */
      readonly inTorn: (text: string) => boolean;
    }
  /** An absolute path: what the snapshots of its workspace have there, or below it. */
  | { readonly what: "path"; readonly path: string };

/** Contents to be erased, whole, from every snapshot. */
export interface FoundInSnapshots {
  readonly contents: readonly ObjectHash[];
  /** In how many snapshots they are. */
  readonly snapshots: number;
  /** Every path that has one of them, in any snapshot of any workspace, as a person reads it. */
  readonly places: readonly string[];
  /** Those of the places where a file that has it is today: it would be captured again. */
  readonly inWorkspace: readonly string[];
  /** Paths whose name, or target of a link, has it. Names cannot be erased. */
  readonly inNames: readonly string[];
  /** Lines that say what is kept and have it in a label, or in what a crash left of one. */
  readonly labels: number;
  /** Contents and folders that could not be read, and so not be searched. */
  readonly unreadable: number;
  /** Snapshots with more places than can be listed; what they hold is erased all the same. */
  readonly unlisted: readonly SnapshotId[];
}

export interface EraseRequest {
  readonly contents: readonly ObjectHash[];
  readonly wish: FilesQuery;
  /** Called when no other program works on the store, before anything is changed. After a full disk it may be called again. */
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
  /** "held": a program that runs writes beside them. "damaged": something beside them has to be looked at first. */
  readonly why: "held" | "damaged";
  /** The program, where one holds them. */
  readonly by?: string;
}

/** Lets go of contents for good. Nothing is made where there are no snapshots. */
export interface ForgettableFiles {
  find(wish: FilesQuery, onProgress?: (done: number, of: number) => void): Promise<FoundInSnapshots>;
  erase(request: EraseRequest): Promise<ErasedContents>;
  close(): void;
}
