import type { FileContent, LeftOutState, PathBytes } from "../../record/files.ts";
import type { Findings, Found } from "../finding/findings.ts";
import type { Signature } from "../finding/signature.ts";
import type { WorkspaceGround } from "../workspace-ground.ts";

/** A file whose content was asked to be stored. */
export interface StoredPath {
  readonly path: PathBytes;
  /** Undefined when it is gone, or no file any more. */
  readonly state: FileContent | LeftOutState | undefined;
  /** As `storeFile` has it: of exactly these bytes. */
  readonly signature: Signature | undefined;
}

/** What a file that was stored looked like; undefined when it must be looked at again next time. */
export interface Learned {
  readonly path: PathBytes;
  readonly signature: Signature | undefined;
}

export interface StoreRequest {
  readonly files: readonly Found[];
  readonly onStored: (stored: readonly StoredPath[]) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Looks at a workspace and stores contents, in this thread or in others. */
export interface Finder {
  /** What differs from what was seen last, and the known files that have these inodes; see Walker. */
  scan(folders: "all" | readonly PathBytes[], inodes: ReadonlySet<number>): Promise<Findings>;
  /** Stores the contents, in any order, some at a time. When it resolves they are durable. */
  store(request: StoreRequest): Promise<void>;
  learn(learned: readonly Learned[]): void;
  /** What is remembered, as the manifest's bytes; undefined where that would not be true of one moment. */
  save(header: string): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

/** Where threads are, they need what captures; so whoever captures is given them. */
export type OpenFinder = (
  ground: WorkspaceGround,
  known: { readonly outsideRules: string; readonly manifest: Buffer | undefined },
) => Finder;
