import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { type FileState, isSameState, type PathBytes, type PathChange } from "../../record/files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import type { Overlay, Wanted } from "../scratch/scratch.ts";
import { bytesOf, linesOf, withoutHunks } from "./lines.ts";
import { byPath, type TextChange, type Unit } from "./units.ts";

/** The present files without some of the units, or the paths where later changes conflict with removing these units. */
type TakenBack =
  | { readonly state: "fits"; readonly overlay: Overlay }
  | { readonly state: "changed-since"; readonly paths: readonly PathBytes[] };

interface Present {
  readonly files: Pick<WorkspaceFiles, "content" | "stateAt">;
  readonly snapshot: SnapshotId;
}

/** The result for a path whose change cannot be undone, because it was changed again later. */
const CHANGED = Symbol("changed since");

export async function takeBack(units: readonly Unit[], present: Present): Promise<TakenBack> {
  const overlay = new Map<PathBytes, Wanted>();
  const changed: PathBytes[] = [];
  for (const [path, own] of byPath(units)) {
    const now = await present.files.stateAt(present.snapshot, path);
    const wanted = await without(own, now, present);
    if (wanted === CHANGED) changed.push(path);
    else if (wanted?.kind === "written" || !isSameState(now, wanted)) overlay.set(path, wanted);
  }
  return changed.length > 0 ? { state: "changed-since", paths: changed } : { state: "fits", overlay };
}

async function without(
  units: readonly Unit[],
  now: FileState | undefined,
  present: Present,
): Promise<Wanted | typeof CHANGED> {
  const change = units[0]?.change;
  if (change === undefined) return now;
  const whole = units.find(({ what }) => what === "whole");
  if (whole !== undefined) return withoutWhole(units, change, now);
  const mode = units.some(({ what }) => what === "mode") ? modeOf(change.before) : undefined;
  const [lines] = units.flatMap((unit) => (unit.what === "lines" ? [unit.change] : []));
  if (lines === undefined) return withMode(now, mode);
  return withoutLines(units, { lines, mode, now }, present);
}

function withoutWhole(
  units: readonly Unit[],
  { before, after }: PathChange,
  now: FileState | undefined,
): Wanted | typeof CHANGED {
  // The change may have been undone already.
  if (isSameState(now, before)) return now;
  const isMode = units.some(({ what }) => what === "mode");
  if (!isMode && before?.kind === "file" && after?.kind === "file" && now?.kind === "file") {
    return now.hash === after.hash ? { ...before, mode: now.mode } : CHANGED;
  }
  return isSameState(now, after) ? before : CHANGED;
}

async function withoutLines(
  units: readonly Unit[],
  {
    lines,
    mode,
    now,
  }: { readonly lines: TextChange; readonly mode: number | undefined; readonly now: FileState | undefined },
  { files }: Present,
): Promise<Wanted | typeof CHANGED> {
  if (now?.kind !== "file") return CHANGED;
  const later = linesOf(await files.content(now.hash));
  if (later === undefined) return CHANGED;
  const hunks = units.flatMap((unit) => (unit.what === "lines" ? [unit.hunk] : []));
  const text = withoutHunks(lines.now, later, hunks);
  return text === undefined ? CHANGED : { kind: "written", mode: mode ?? now.mode, bytes: bytesOf(text) };
}

function withMode(now: FileState | undefined, mode: number | undefined): Wanted | typeof CHANGED {
  if (mode === undefined || (now?.kind !== "file" && now?.kind !== "folder")) return CHANGED;
  return { ...now, mode };
}

function modeOf(state: FileState | undefined): number | undefined {
  return state?.kind === "file" || state?.kind === "folder" ? state.mode : undefined;
}

interface LastWithoutOptions {
  readonly files: Pick<WorkspaceFiles, "content" | "stateAt">;
  readonly snapshots: readonly SnapshotId[];
  /** Only snapshots after this one and before the last are considered. */
  readonly after: number;
}

/**
 * Returns the index of the newest snapshot that lacks some of the units, or undefined if all snapshots contain them.
 */
export async function lastWithout(
  units: readonly Unit[],
  { files, snapshots, after }: LastWithoutOptions,
): Promise<number | undefined> {
  const paths = [...byPath(units).keys()];
  // The paths have the same states in most snapshots, so each combination is tried only once.
  const known = new Set<string>();
  for (let at = snapshots.length - 2; at > after; at -= 1) {
    const snapshot = snapshots[at];
    if (snapshot === undefined) continue;
    const look = JSON.stringify(await Promise.all(paths.map((path) => files.stateAt(snapshot, path))));
    if (known.has(look)) continue;
    const taken = await takeBack(units, { files, snapshot });
    if (taken.state === "changed-since" || taken.overlay.size === 0) return at;
    known.add(look);
  }
  return undefined;
}
