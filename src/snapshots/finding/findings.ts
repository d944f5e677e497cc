import { folderOf, isWithin, type LeftOut, type PathBytes } from "../../record/files.ts";
import type { Signature } from "./signature.ts";

/** One path that is new or is not what is remembered. */
export interface Found {
  readonly path: PathBytes;
  readonly kind: "file" | "link" | "folder" | "left-out";
  /** Only of what is left out. */
  readonly why?: LeftOut;
  readonly mode: number;
  readonly size: number;
  readonly signature: Signature;
}

export interface Findings {
  /** Folders before what they hold. A folder that took the place of something else meanwhile comes behind that. */
  readonly found: Found[];
  /** With a folder, everything in it is gone. A path that changed its kind is only found. */
  readonly gone: PathBytes[];
  /**
   * Folders whose ignore rules changed above folders of other walkers. Join the manifests, load them as one
   * walker, and let it scan these folders: it decides anew what is left out below them.
   */
  readonly unsettled: PathBytes[];
}

/**
 * What several walkers found at once. Each looks at its own moment: what one says is gone or no folder any more
 * ends what another one saw below it a moment before. Of a path that one of them met twice counts what it said last.
 */
export function joinFindings(parts: readonly Findings[]): Findings {
  const vanished = new Set(parts.flatMap((part) => part.gone));
  const ended = new Set(vanished);
  const told = parts.map((part) => lastOfEach(part.found));
  for (const each of told.flatMap((last) => [...last.values()])) {
    if (each.kind !== "folder") ended.add(each.path);
  }
  const found = parts
    .flatMap((part, index) => part.found.filter((each) => isToTell(each, told[index]?.get(each.path))))
    .filter(
      ({ path, kind }) => !(kind === "folder" ? ended : vanished).has(path) && !isBelowAny(path, ended),
    );
  return { found, gone: [...vanished], unsettled: parts.flatMap((part) => part.unsettled) };
}

function lastOfEach(found: readonly Found[]): ReadonlyMap<PathBytes, Found> {
  return new Map(found.map((each) => [each.path, each]));
}

/** What was said last; and, of a folder, that there was none in between: it is not the one that was known. */
function isToTell(each: Found, last: Found | undefined): boolean {
  return each === last || (each.kind !== "folder" && last?.kind === "folder");
}

/**
 * What was gone at one look and there at another, because somebody made it anew meanwhile. For now it is gone, and is to be
 * forgotten, so that the next look meets it as new, with nothing of what it held before.
 */
export function unsteadyIn(found: readonly Found[], gone: readonly PathBytes[]): PathBytes[] {
  if (gone.length === 0) return [];
  const all = new Set(gone);
  const met = found.filter(({ path }) => all.has(path) || isBelowAny(path, all));
  return met.length === 0 ? [] : gone.filter((path) => met.some((each) => isWithin(each.path, path)));
}

const FEW = 4;

/** Whether one of these is a folder above the path. */
export function isBelowAny(path: PathBytes, folders: ReadonlySet<PathBytes>): boolean {
  if (folders.size === 0 || path === "") return false;
  // A path may be thousands of folders deep: where these are few, it is cheaper to ask each of them.
  if (folders.size <= FEW) {
    for (const above of folders) if (path !== above && isWithin(path, above)) return true;
    return false;
  }
  let at = path;
  do {
    at = folderOf(at);
    if (folders.has(at)) return true;
  } while (at !== "");
  return false;
}
