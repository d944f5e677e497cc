import type { LifeSocket } from "../../ports/lease.ts";
import type { PathBytes } from "../../record/files.ts";
import type { Problem } from "../../strings/errors/texts.ts";
import type { CoverageLimits } from "../finding/coverage.ts";
import type { Share } from "../finding/manifest.ts";
import type { PackedFindings, PackedPaths, PackedStored } from "./packing.ts";

/** What a thread is started with. */
export interface WorkerStart {
  readonly root: PathBytes;
  /** Where the segments are. */
  readonly segments: string;
  readonly home: string;
  /** That of the process, by which others can ask whether the owner of the thread's locks lives. */
  readonly socket?: LifeSocket | undefined;
  readonly limits: CoverageLimits;
  readonly outsideRules: string;
  /** The manifest of the last capture; the thread takes its share of it. */
  readonly manifest: Uint8Array | undefined;
  readonly share: Share;
}

export type Order =
  | {
      readonly do: "scan";
      readonly folders: "all" | readonly PathBytes[];
      /** See `ScanRequest`. */
      readonly inodes: ReadonlySet<number>;
    }
  /** Folders that nobody knows yet, with all that they hold. */
  | { readonly do: "walk-new"; readonly folders: readonly PathBytes[] }
  /** A share of the workspace, as a manifest remembers it, in place of what the thread has walked. */
  | { readonly do: "take-over"; readonly manifest: Uint8Array; readonly share: Share }
  | { readonly do: "store"; readonly paths: PackedPaths }
  | { readonly do: "sync" }
  | { readonly do: "learn"; readonly learned: PackedStored }
  | { readonly do: "save"; readonly header: string }
  | { readonly do: "close" };

export type Answer =
  | { readonly did: "found"; readonly findings: PackedFindings }
  | { readonly did: "stored"; readonly stored: PackedStored }
  | { readonly did: "saved"; readonly manifest: Uint8Array }
  | { readonly did: "done" }
  | { readonly did: "failed"; readonly problem: Problem };

export interface Numbered<Content> {
  readonly number: number;
  readonly content: Content;
}
