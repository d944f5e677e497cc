import type { LifeSocket } from "../../ports/lease.ts";
import type { PathBytes } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import type { Problem } from "../../strings/errors/texts.ts";
import type { CoverageLimits } from "../finding/coverage.ts";
import type { Findings, Found, Signature } from "../finding/findings.ts";
import type { Share } from "../finding/manifest.ts";
import { REASONS } from "../objects/tree-objects.ts";
import type { LearnedPath, StoredPath } from "./capture.ts";

/** The data that a thread receives when it is started. */
export interface WorkerStart {
  readonly root: PathBytes;
  /** The folder that contains the segments. */
  readonly segments: string;
  readonly home: string;
  /** This process's socket. Other processes use it to check whether the owner of the thread's locks is alive. */
  readonly socket?: LifeSocket | undefined;
  readonly limits: CoverageLimits;
  readonly outsideRules: string;
  /** The manifest of the last capture. The thread loads its own share of the manifest. */
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
  /** Tells the thread to walk these folders, whose contents are still unknown. */
  | { readonly do: "walk-new"; readonly folders: readonly PathBytes[] }
  /**
   * Tells the thread to load a share of the workspace, as recorded in a manifest. The share replaces everything that
   * the thread has walked so far.
   */
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

/**
 * Data that is passed between threads. The data is packed into a few large pieces, because measurements showed that
 * copying a hundred thousand small objects costs more than finding the files. Paths are joined by NUL, the only byte
 * that cannot occur in a path.
 */
interface PackedPaths {
  readonly count: number;
  readonly paths: string;
}

interface PackedFindings extends PackedPaths {
  /** For each path, its kind, the reason why it is left out, its mode, its size, and its signature. */
  readonly numbers: Float64Array;
  readonly gone: PackedPaths;
  readonly unsettled: PackedPaths;
}

interface PackedStored extends PackedPaths {
  /**
   * Several numbers for each path: its state (0: gone, 1: a file, otherwise why it is left out), its mode, its size,
   * whether its signature is known, and its signature.
   */
  readonly numbers: Float64Array;
  /** The hashes of all files, concatenated without separators. */
  readonly hashes: string;
}

const KINDS = ["file", "link", "folder", "left-out"] as const;
const SIGNATURE = 5;
const FOUND_WIDTH = 4 + SIGNATURE;
const STORED_WIDTH = 4 + SIGNATURE;
const HASH_LENGTH = 64;
const GONE = 0;
const FILE = 1;
const LEFT_OUT = 2;

export function packPaths(paths: readonly PathBytes[]): PackedPaths {
  return { count: paths.length, paths: paths.join("\0") };
}

export function unpackPaths({ count, paths }: PackedPaths): PathBytes[] {
  return count === 0 ? [] : paths.split("\0");
}

export function packFindings({ found, gone, unsettled }: Findings): PackedFindings {
  const numbers = new Float64Array(found.length * FOUND_WIDTH);
  found.forEach(({ kind, why, mode, size, signature }, index) => {
    const at = index * FOUND_WIDTH;
    numbers[at] = KINDS.indexOf(kind);
    numbers[at + 1] = why === undefined ? -1 : REASONS.indexOf(why);
    numbers[at + 2] = mode;
    numbers[at + 3] = size;
    setSignature(numbers, at + 4, signature);
  });
  return {
    ...packPaths(found.map(({ path }) => path)),
    numbers,
    gone: packPaths(gone),
    unsettled: packPaths(unsettled),
  };
}

export function unpackFindings(packed: PackedFindings): Findings {
  const { numbers } = packed;
  const found = unpackPaths(packed).map((path, index): Found => {
    const at = index * FOUND_WIDTH;
    const why = REASONS[numbers[at + 1] ?? -1];
    return {
      path,
      kind: KINDS[numbers[at] ?? 0] ?? "file",
      ...(why === undefined ? {} : { why }),
      mode: numbers[at + 2] ?? 0,
      size: numbers[at + 3] ?? 0,
      signature: signatureAt(numbers, at + 4),
    };
  });
  return { found, gone: unpackPaths(packed.gone), unsettled: unpackPaths(packed.unsettled) };
}

export function packStored(stored: readonly StoredPath[]): PackedStored {
  const numbers = new Float64Array(stored.length * STORED_WIDTH);
  const hashes: string[] = [];
  stored.forEach(({ state, signature }, index) => {
    const at = index * STORED_WIDTH;
    if (state?.kind === "file") {
      numbers.set([FILE, state.mode, state.size], at);
      hashes.push(state.hash);
    } else numbers[at] = state === undefined ? GONE : LEFT_OUT + REASONS.indexOf(state.why);
    numbers[at + 3] = signature === undefined ? 0 : 1;
    if (signature !== undefined) setSignature(numbers, at + 4, signature);
  });
  return { ...packPaths(stored.map(({ path }) => path)), numbers, hashes: hashes.join("") };
}

export function unpackStored(packed: PackedStored): StoredPath[] {
  const { numbers, hashes } = packed;
  let files = 0;
  return unpackPaths(packed).map((path, index): StoredPath => {
    const at = index * STORED_WIDTH;
    const what = numbers[at] ?? GONE;
    const signature = numbers[at + 3] === 0 ? undefined : signatureAt(numbers, at + 4);
    if (what === GONE) return { path, state: undefined, signature };
    const why = REASONS[what - LEFT_OUT];
    if (why !== undefined) return { path, state: { kind: "left-out", why }, signature };
    const hash = hashes.slice(files * HASH_LENGTH, (files + 1) * HASH_LENGTH) as ObjectHash;
    files += 1;
    return {
      path,
      state: { kind: "file", mode: numbers[at + 1] ?? 0, size: numbers[at + 2] ?? 0, hash },
      signature,
    };
  });
}

/** Packs learned paths in the same format as stored paths, but without a state. */
export function packLearned(learned: readonly LearnedPath[]): PackedStored {
  return packStored(learned.map((each) => ({ ...each, state: undefined })));
}

function setSignature(numbers: Float64Array, at: number, signature: Signature): void {
  numbers[at] = signature.changedAt;
  numbers[at + 1] = signature.modifiedAt;
  numbers[at + 2] = signature.size;
  numbers[at + 3] = signature.inode;
  numbers[at + 4] = signature.mode;
}

function signatureAt(numbers: Float64Array, at: number): Signature {
  return {
    changedAt: numbers[at] ?? 0,
    modifiedAt: numbers[at + 1] ?? 0,
    size: numbers[at + 2] ?? 0,
    inode: numbers[at + 3] ?? 0,
    mode: numbers[at + 4] ?? 0,
  };
}
