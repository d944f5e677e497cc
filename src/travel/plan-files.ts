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

/** One change that the outside made to a path. */
export interface OutsideEdit {
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

export interface FilesRequest {
  /** From the present to the target, folders before what they hold. */
  readonly changes: readonly PathChange[];
  /** What the outside did since the target, to paths that differ from it now. */
  readonly outside: ReadonlyMap<PathBytes, readonly OutsideEdit[]>;
  /** What changed while commands ran, so that nobody can tell who changed it; see `ChangedDuring`. */
  readonly during?: ReadonlyMap<PathBytes, ChangedDuring>;
  /** Ignored paths that the target has not, and that are not this timeline's alone: never deleted. */
  readonly guarded: ReadonlySet<PathBytes>;
  readonly choice: Choice;
  readonly choices?: ReadonlyMap<PathBytes, Choice>;
  /** Files and folders that the journey is limited to. */
  readonly only?: readonly PathBytes[];
  /** What merging came to, where it was tried; undefined where it does not fit. */
  readonly merged?: ReadonlyMap<PathBytes, FileState | undefined>;
}

/** What would become of each path. Nothing has happened yet. */
export interface FilesPlan {
  /** All that differs, within what was asked for. */
  readonly changes: readonly PathChange[];
  readonly steps: readonly PathChange[];
  readonly kept: readonly KeptPath[];
  readonly conflicts: readonly Conflict[];
  /** Of `changes`, what changed while commands ran, and what points to the user where something does. */
  readonly during: readonly DuringPath[];
  /** Those to be merged that nobody has tried to merge yet; until then they count as kept. */
  readonly merges: readonly Merge[];
  /** Those of the steps that put a merge in place. */
  readonly merged: readonly PathBytes[];
}

/** A path that changed while commands ran. */
export interface DuringPath extends ChangedDuring {
  readonly path: PathBytes;
}

/** A path that both the outside and the journey want to have their way with. */
interface Conflict extends PathChange {
  readonly edits: readonly OutsideEdit[];
  readonly choice: Choice;
  /** Whether merging both changes works; "untried" until somebody has tried. */
  readonly merge: "clean" | "unclean" | "untried";
}

export interface Merge {
  readonly path: PathBytes;
  readonly target: FileState;
  readonly edits: readonly OutsideEdit[];
}

/** Decides what a journey does to the files. Pure: same arguments, same plan. */
export function planFiles(request: FilesRequest): FilesPlan {
  const differing = request.changes.filter(({ before, after }) => !isSameState(before, after));
  const changes = askedFor(differing, request.only);
  const kept = keptOnTheirOwn(changes, request);
  keepFoldersOf(changes, kept);
  keepWhatHasNoPlace({ differing, changes, kept });
  const conflicts = conflictsIn(changes, request);
  const toMerge = new Set(conflicts.filter(({ choice }) => choice === "merge").map(({ path }) => path));
  const mergedAt = (path: PathBytes) => (toMerge.has(path) ? request.merged?.get(path) : undefined);
  // What was merged may be what stands there already.
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

/** What lies at or below `only`, and the new folders that it needs. */
function askedFor(changes: readonly PathChange[], only: FilesRequest["only"]): readonly PathChange[] {
  if (only === undefined) return changes;
  const asked = changes.filter(({ path }) => only.some((above) => isWithin(path, above)));
  const needed = new Set(
    asked.filter(({ after }) => after !== undefined).flatMap(({ path }) => foldersAbove(path)),
  );
  const wanted = new Set(asked.map(({ path }) => path));
  return changes.filter(
    ({ path, before, after }) =>
      wanted.has(path) || (needed.has(path) && before === undefined && after?.kind === "folder"),
  );
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
  // Only two contents can be merged: not with a file that is gone, nor with a folder or a link.
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
    // An old one beside a database of today would be taken for its newest pages.
    if (isOwnStore(change)) {
      for (const end of BESIDE_DATABASE) uncaptured.set(`${change.path}${end}`, "not-captured");
    }
  }
  // What a folder holds is not known either, where the folder itself is left out.
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

/** "unreadable": captured then, and there now, but closed to us. */
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

/** What changed while a command ran goes back, unless the person says of the path itself that it stays. */
function isChosenToStay(path: PathBytes, { during, choices }: FilesRequest): boolean {
  return during?.has(path) === true && choices?.get(path) === "keep";
}

/** No snapshot has it, and it is not there any longer: it cannot come back, and does not stay either. */
function isGone({ before, after }: PathChange): boolean {
  return before === undefined && after?.kind === "left-out";
}

function isOwnStore({ before, after }: PathChange): boolean {
  return [before, after].some((state) => state?.kind === "left-out" && state.why === "own-store");
}

/** A folder that holds something that stays must stay a folder. */
function keepFoldersOf(changes: readonly PathChange[], kept: Map<PathBytes, KeptWhy>): void {
  const staying = changes.filter(({ path, before }) => before !== undefined && kept.has(path));
  const holding = new Set(staying.flatMap(({ path }) => foldersAbove(path)));
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

/** Nothing can be made below what stays something else than a folder. */
function keepWhatHasNoPlace({ differing, changes, kept }: Placement): void {
  const asked = new Set(changes.map(({ path }) => path));
  const blocked = new Map<PathBytes, KeptWhy>();
  const blockedAbove = nearestAbove(blocked);
  // Folders come before what they hold, so what is kept here blocks what is below it in turn.
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

/** Why a path that differs from the target stays as it is. */
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

/** What is said of a path that is kept: one that is gone, and that no snapshot ever had, does not stay. */
export function keptOutcome(why: KeptWhy): { readonly outcome: "kept"; readonly detail?: "not-restorable" } {
  return why === "never-captured" ? { outcome: "kept", detail: "not-restorable" } : { outcome: "kept" };
}

export interface KeptPath {
  readonly path: PathBytes;
  readonly why: KeptWhy;
}

/** Why it is kept, in the words of the preview, of the outcome and of the model. */
export function keptRemark(why: KeptWhy): Remark {
  return remark(`kept-${why}`);
}

/** The changes that were seen. What a folder holds is not known where a snapshot could not read that folder. */
export function seenChanges(changes: readonly PathChange[]): readonly PathChange[] {
  const unread = new Map(changes.filter(isUncaptured).map(({ path }) => [path, true]));
  if (unread.size === 0) return changes;
  const isBelow = nearestAbove(unread);
  return changes.filter(({ path }) => isBelow(path) === undefined);
}

/** One of the two snapshots does not have it. */
function isUncaptured({ before, after }: PathChange): boolean {
  return before?.kind === "left-out" || after?.kind === "left-out";
}

/**
 * What stands at the nearest folder above a path. Each folder is looked up once, as paths may be thousands deep; so what is
 * put at a path later must come before any question about what is below it.
 */
function nearestAbove<Value>(values: ReadonlyMap<PathBytes, Value>): (path: PathBytes) => Value | undefined {
  /** At the folder or above it. */
  const known = new Map<PathBytes, Value | undefined>();
  return (path) => {
    if (values.size === 0) return undefined;
    const passed: PathBytes[] = [];
    let found: Value | undefined;
    for (let at = path; at !== "" && found === undefined; ) {
      at = folderOf(at);
      if (known.has(at)) {
        found = known.get(at);
        break;
      }
      passed.push(at);
      found = values.get(at);
    }
    for (const folder of passed) known.set(folder, found);
    return found;
  };
}

/** What only one of the two snapshots covers, as when ignore rules came back with the files, says nothing of edits. */
export function isCovered(changes: readonly PathChange[]): (change: PathChange) => boolean {
  const isLeftOut = ({ before, after }: PathChange): boolean =>
    before?.kind === "left-out" || after?.kind === "left-out";
  const leftOut = changes.filter(isLeftOut).map(({ path }) => path);
  return ({ path }) => !leftOut.some((above) => isWithin(path, above));
}
