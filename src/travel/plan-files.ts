import type { Choice } from "../record/entry.ts";
import { type Remark, remark } from "../record/error.ts";
import {
  BESIDE_DATABASE,
  type FileState,
  folderOf,
  isSameState,
  isWithin,
  type PathBytes,
  type PathChange,
} from "../record/files.ts";
import type { ChangedDuring } from "./logged-files.ts";

/** A change to a path that was not made by the timeline. */
export interface OutsideEdit {
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

export interface FilesRequest {
  /** The differences from the current state to the target, folders before their contents. */
  readonly changes: readonly PathChange[];
  /** Outside changes, made since the target was captured, to paths that currently differ from the target. */
  readonly outside: ReadonlyMap<PathBytes, readonly OutsideEdit[]>;
  /** Paths that changed while commands were running. It is uncertain who changed these paths; see `ChangedDuring`. */
  readonly during?: ReadonlyMap<PathBytes, ChangedDuring>;
  /**
   * Ignored paths that are not in the target. Such paths are never deleted, because the user or another program may
   * have created them.
   */
  readonly guarded: ReadonlySet<PathBytes>;
  readonly choice: Choice;
  readonly choices?: ReadonlyMap<PathBytes, Choice>;
  /** The files and folders that the journey is limited to. */
  readonly only?: readonly PathBytes[];
  /** The results of the merges that were tried. A value is undefined if the changes could not be merged. */
  readonly merged?: ReadonlyMap<PathBytes, FileState | undefined>;
}

/** What would happen to each path. Creating a plan changes no files. */
export interface FilesPlan {
  /** All paths that differ, within the limits of the request. */
  readonly changes: readonly PathChange[];
  readonly steps: readonly PathChange[];
  readonly kept: readonly KeptPath[];
  readonly conflicts: readonly Conflict[];
  /** The paths in `changes` that changed while commands ran, each with any evidence that the user changed it. */
  readonly during: readonly DuringPath[];
  /** Paths for which a merge has not been tried yet. These paths are treated as kept until a merge has been tried. */
  readonly merges: readonly Merge[];
  /** The paths in `steps` whose new content is a merge. */
  readonly merged: readonly PathBytes[];
}

/** A path that changed while commands were running. */
export interface DuringPath extends ChangedDuring {
  readonly path: PathBytes;
}

/** A path with an outside change that the journey would change as well. */
interface Conflict extends PathChange {
  readonly edits: readonly OutsideEdit[];
  readonly choice: Choice;
  /** Whether the two changes can be merged; "untried" until a merge has been tried. */
  readonly merge: "clean" | "unclean" | "untried";
}

export interface Merge {
  readonly path: PathBytes;
  readonly target: FileState;
  readonly edits: readonly OutsideEdit[];
}

/** Decides what a journey does to the files. This is a pure function, so the same arguments result in the same plan. */
export function planFiles(request: FilesRequest): FilesPlan {
  const differing = request.changes.filter(({ before, after }) => !isSameState(before, after));
  const changes = askedFor(differing, request.only);
  const kept = keptOnTheirOwn(changes, request);
  keepFoldersOf(changes, kept);
  keepWhatHasNoPlace({ differing, changes, kept });
  const conflicts = conflictsIn(changes, request);
  const toMerge = new Set(conflicts.filter(({ choice }) => choice === "merge").map(({ path }) => path));
  const mergedAt = (path: PathBytes) => (toMerge.has(path) ? request.merged?.get(path) : undefined);
  // The second filter is needed because merged content may be equal to the current content.
  const steps = changes
    .filter(({ path }) => !kept.has(path))
    .map((change) => ({ ...change, after: mergedAt(change.path) ?? change.after }))
    .filter(({ before, after }) => !isSameState(before, after));
  return {
    changes,
    steps,
    merged: steps.flatMap(({ path }) => (mergedAt(path) === undefined ? [] : [path])),
    kept: changes.flatMap(({ path }) => {
      const why = kept.get(path);
      return why === undefined ? [] : [{ path, why }];
    }),
    conflicts,
    during: changes.flatMap(({ path }) => {
      const known = request.during?.get(path);
      return known === undefined ? [] : [{ path, ...known }];
    }),
    merges: conflicts.flatMap(({ path, after, edits, choice }) => {
      const isOpen = choice === "merge" && after !== undefined && request.merged?.has(path) !== true;
      return isOpen ? [{ path, target: after, edits }] : [];
    }),
  };
}

/** The changes at or below the paths in `only`, including new folders that are needed for these paths. */
function askedFor(changes: readonly PathChange[], only: FilesRequest["only"]): readonly PathChange[] {
  if (only === undefined) return changes;
  const asked = changes.filter(({ path }) => only.some((above) => isWithin(path, above)));
  const wanted = new Set(asked.map(({ path }) => path));
  const above = new Set(asked.flatMap(({ path }) => foldersAbove(path)));
  return changes.filter(({ path, before }) => wanted.has(path) || (above.has(path) && before === undefined));
}

function conflictsIn(changes: readonly PathChange[], request: FilesRequest): readonly Conflict[] {
  return changes.flatMap((change) => {
    const edits = request.outside.get(change.path);
    if (edits === undefined) return [];
    const choice = choiceFor(change.path, request);
    return [{ ...change, edits, choice, merge: mergeState(change, request) }];
  });
}

function mergeState({ path, before, after }: PathChange, { merged }: FilesRequest): Conflict["merge"] {
  // Only the contents of two files can be merged. Deleted files, folders, and links cannot be merged.
  if (before?.kind !== "file" || after?.kind !== "file") return "unclean";
  if (merged?.has(path) !== true) return "untried";
  return merged.get(path) === undefined ? "unclean" : "clean";
}

function choiceFor(path: PathBytes, { choice, choices }: FilesRequest): Choice {
  return choices?.get(path) ?? choice;
}

function keptOnTheirOwn(changes: readonly PathChange[], request: FilesRequest): Map<PathBytes, KeptWhy> {
  const kept = new Map<PathBytes, KeptWhy>();
  const uncaptured = new Map<PathBytes, KeptWhy>();
  for (const change of request.changes) {
    if (!isUncaptured(change)) continue;
    uncaptured.set(change.path, whyUncaptured(change));
    // SQLite would treat an old journal next to the current database as if it contained the database's newest pages.
    if (isOwnStore(change)) {
      for (const end of BESIDE_DATABASE) uncaptured.set(`${change.path}${end}`, "not-captured");
    }
  }
  // If a folder is left out, its contents are unknown as well.
  const aboveOf = nearestAbove(uncaptured);
  for (const change of changes) {
    const { path } = change;
    const why = isGone(change)
      ? "never-captured"
      : (uncaptured.get(path) ?? aboveOf(path) ?? whyKept(change, request));
    if (why !== undefined) kept.set(change.path, why);
  }
  return kept;
}

/**
 * The reason why a path is not captured. "unreadable": the path was captured earlier and still exists, but can no
 * longer be read.
 */
function whyUncaptured({ before, after }: PathChange): KeptWhy {
  const isClosed = before?.kind === "left-out" && before.why === "unreadable";
  return isClosed && after !== undefined && after.kind !== "left-out" ? "unreadable" : "not-captured";
}

function whyKept({ path, after }: PathChange, request: FilesRequest): KeptWhy | undefined {
  if (after === undefined && request.guarded.has(path)) return "ignored";
  if (!request.outside.has(path)) return isChosenToStay(path, request) ? "chosen" : undefined;
  const choice = choiceFor(path, request);
  if (choice === "keep") return "outside";
  if (choice === "take") return undefined;
  return request.merged?.get(path) === undefined ? "unmerged" : undefined;
}

/**
 * Checks whether the user chose to keep a path that changed while a command ran. By default, such a path is restored.
 */
function isChosenToStay(path: PathBytes, { during, choices }: FilesRequest): boolean {
  return during?.has(path) === true && choices?.get(path) === "keep";
}

/** Checks whether the path no longer exists and is in no snapshot. Such a path can be neither restored nor kept. */
function isGone(change: PathChange): boolean {
  return change.before === undefined && isUncaptured(change);
}

function isOwnStore({ before, after }: PathChange): boolean {
  return [before, after].some((state) => state?.kind === "left-out" && state.why === "own-store");
}

/** Keeps every folder that contains a kept path, because the folder must remain a folder. */
function keepFoldersOf(changes: readonly PathChange[], kept: Map<PathBytes, KeptWhy>): void {
  const holding = new Set([...kept.keys()].flatMap(foldersAbove));
  for (const { path, before, after } of changes) {
    const ceases = before?.kind === "folder" && after?.kind !== "folder";
    if (ceases && holding.has(path) && !kept.has(path)) kept.set(path, "holds-kept");
  }
}

interface Placement {
  readonly differing: readonly PathChange[];
  readonly changes: readonly PathChange[];
  readonly kept: Map<PathBytes, KeptWhy>;
}

/** Keeps every path below a kept path that is not a folder, because nothing can be created below such a path. */
function keepWhatHasNoPlace({ differing, changes, kept }: Placement): void {
  const asked = new Set(changes.map(({ path }) => path));
  const blocked = new Map<PathBytes, KeptWhy>();
  const blockedAbove = nearestAbove(blocked);
  // Folders come before their contents, so a path that is kept here blocks every path below it.
  for (const { path, before } of differing) {
    const why = blockedAbove(path);
    if (why !== undefined && asked.has(path) && !kept.has(path)) kept.set(path, why);
    if (before?.kind === "folder") continue;
    if (!asked.has(path)) blocked.set(path, "not-asked");
    else if (kept.has(path)) blocked.set(path, "needs-kept");
  }
}

function foldersAbove(path: PathBytes): readonly PathBytes[] {
  const folders: PathBytes[] = [];
  for (let at = path; at !== ""; ) {
    at = folderOf(at);
    folders.push(at);
  }
  return folders;
}

/** Reasons why a journey leaves a path unchanged although the path differs from the target. */
export type KeptWhy =
  | "outside"
  | "unmerged"
  | "not-captured"
  | "unreadable"
  | "never-captured"
  | "ignored"
  | "holds-kept"
  | "needs-kept"
  | "not-asked"
  | "elsewhere"
  | "untracked"
  | "cut-off"
  | "chosen";

/**
 * The outcome for a kept path. A path that no longer exists and was never captured is reported as not restorable,
 * because there is nothing to keep.
 */
export function keptOutcome(why: KeptWhy): { readonly outcome: "kept"; readonly detail?: "not-restorable" } {
  return why === "never-captured" ? { outcome: "kept", detail: "not-restorable" } : { outcome: "kept" };
}

export interface KeptPath {
  readonly path: PathBytes;
  readonly why: KeptWhy;
}

/** The reason why a path is kept, in the words used in the preview, the outcome, and the notice to the model. */
export function keptRemark(why: KeptWhy): Remark {
  return remark(`kept-${why}`);
}

/**
 * The changes to paths that both snapshots could read. If a folder could not be read in one of the snapshots, changes
 * to its contents are unknown.
 */
export function seenChanges(changes: readonly PathChange[]): readonly PathChange[] {
  const unread = new Map(changes.filter(isUncaptured).map(({ path }) => [path, path]));
  if (unread.size === 0) return changes;
  const isBelow = nearestAbove(unread);
  return changes.filter(({ path }) => isBelow(path) === undefined);
}

/** Checks whether one of the two snapshots left the path out. */
function isUncaptured({ before, after }: PathChange): boolean {
  return before?.kind === "left-out" || after?.kind === "left-out";
}

/**
 * Finds the value of the nearest parent folder that has one. Paths may be thousands of levels deep, so each folder is
 * looked up only once. A value must therefore be added before any lookup below its path.
 */
function nearestAbove<Value>(values: ReadonlyMap<PathBytes, Value>): (path: PathBytes) => Value | undefined {
  /** The value of each folder, or of the nearest folder above it. */
  const known = new Map<PathBytes, Value | undefined>();
  return (path) => {
    if (values.size === 0 || path === "") return undefined;
    const passed: PathBytes[] = [];
    let at = folderOf(path);
    while (at !== "" && !known.has(at) && !values.has(at)) {
      passed.push(at);
      at = folderOf(at);
    }
    const found = known.get(at) ?? values.get(at);
    for (const folder of passed) known.set(folder, found);
    return found;
  };
}

/**
 * Returns a filter for changes to paths that both snapshots cover. If only one snapshot covers a path (for example,
 * because the ignore rules were restored), the path was not necessarily edited.
 */
export function isCovered(changes: readonly PathChange[]): (change: PathChange) => boolean {
  const leftOut = changes.filter(isUncaptured).map(({ path }) => path);
  return ({ path }) => !leftOut.some((above) => isWithin(path, above));
}
