import type { Entry } from "./entry.ts";
import type { BlobHash } from "./ids.ts";

/** A file where no snapshot reaches, before and after; absent where nothing was there. */
export interface OutsideChange {
  /** Absolute and real: no part of it was a link. */
  readonly path: string;
  readonly before?: OutsideState;
  readonly after?: OutsideState;
}

export type OutsideState = OutsideFile | OutsideUnknown;

/** A plain file. Its bytes are a blob of the session. */
export interface OutsideFile {
  readonly blob: BlobHash;
  /** The full twelve bits. */
  readonly mode: number;
  readonly size: number;
}

/** Something is or was there that is not kept. */
export interface OutsideUnknown {
  readonly why: (typeof OUTSIDE_WHY)[number];
}

/** "special": no plain file, or behind a link. "forgotten": its owner let go of it. */
export const OUTSIDE_WHY = ["too-large", "special", "unreadable", "changing", "forgotten"] as const;

/** What an entry says of files where no snapshot reaches: what a tool changed, or what a journey was to change. */
export function outsideOf(entry: Entry): readonly OutsideChange[] {
  return "outside" in entry ? (entry.outside ?? []) : [];
}

export function outsideBlobsOf(entry: Entry): readonly BlobHash[] {
  return outsideOf(entry).flatMap(({ before, after }) =>
    [before, after].flatMap((state) => (isOutsideFile(state) ? [state.blob] : [])),
  );
}

export function isOutsideFile(state: OutsideState | undefined): state is OutsideFile {
  return state !== undefined && "blob" in state;
}

/** What is not known equals nothing, not even itself. */
export function isSameOutside(a: OutsideState | undefined, b: OutsideState | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return isOutsideFile(a) && isOutsideFile(b) && a.blob === b.blob && a.mode === b.mode;
}

/** The entry for another machine, where its paths mean other files. */
export function withoutOutside(entry: Entry): Entry {
  if (outsideOf(entry).length === 0) return entry;
  const { outside: _outside, ...rest } = entry as Entry & { readonly outside?: unknown };
  return rest as Entry;
}
