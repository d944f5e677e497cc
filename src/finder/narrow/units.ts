import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import {
  type FileContent,
  type FileState,
  isSameState,
  type PathBytes,
  type PathChange,
  shownPath,
} from "../../record/files.ts";
import type { Overlay, Wanted } from "../scratch/scratch.ts";
import { bytesOf, type Hunk, hunksBetween, linesOf, withHunks } from "./lines.ts";

/**
 * One of the smallest pieces that a difference can be split into. A unit can be applied or removed without the others.
 */
export type Unit =
  | {
      readonly what: "lines";
      readonly change: TextChange;
      readonly hunk: Hunk;
    }
  | { readonly what: "mode"; readonly change: PathChange }
  /**
   * A change that can only be applied as a whole: the path was created or deleted, became another kind of file, has
   * another link target, or is a binary file.
   */
  | { readonly what: "whole"; readonly change: PathChange };

/** A file whose lines differ. */
export interface TextChange extends PathChange {
  readonly before: FileContent;
  readonly after: FileContent;
  readonly old: readonly string[];
  readonly now: readonly string[];
}

/** Splits a difference into units. Paths that a snapshot leaves out cannot be applied, so they are not units. */
export async function unitsOf(
  changes: readonly PathChange[],
  files: Pick<WorkspaceFiles, "content">,
): Promise<readonly Unit[]> {
  const units: Unit[] = [];
  for (const change of changes) {
    const { before, after } = change;
    if (before?.kind === "left-out" || after?.kind === "left-out" || isSameState(before, after)) continue;
    units.push(...(await unitsIn(change, files)));
  }
  return units;
}

async function unitsIn(change: PathChange, files: Pick<WorkspaceFiles, "content">): Promise<readonly Unit[]> {
  const { before, after } = change;
  if (before?.kind === "folder" && after?.kind === "folder") return [{ what: "mode", change }];
  if (!isFile(before) || !isFile(after)) return [{ what: "whole", change }];
  const mode: readonly Unit[] = before.mode === after.mode ? [] : [{ what: "mode", change }];
  if (before.hash === after.hash) return mode;
  const [old, now] = [linesOf(await files.content(before.hash)), linesOf(await files.content(after.hash))];
  const hunks = old === undefined || now === undefined ? undefined : hunksBetween(old, now);
  if (old === undefined || now === undefined || hunks === undefined)
    return [...mode, { what: "whole", change }];
  const text: TextChange = { path: change.path, before, after, old, now };
  return [...mode, ...hunks.map((hunk): Unit => ({ what: "lines", change: text, hunk }))];
}

function isFile(state: FileState | undefined): state is FileContent {
  return state?.kind === "file";
}

/** Returns the states of the paths that change when exactly these units are applied to the older snapshot. */
export function overlayOf(units: readonly Unit[]): Overlay {
  const overlay = new Map<PathBytes, Wanted>();
  for (const [path, own] of byPath(units)) overlay.set(path, appliedAt(own));
  return overlay;
}

/** Returns the units of each path, in order. */
export function byPath(units: readonly Unit[]): ReadonlyMap<PathBytes, readonly Unit[]> {
  const paths = new Map<PathBytes, Unit[]>();
  for (const unit of units) {
    const known = paths.get(unit.change.path);
    if (known === undefined) paths.set(unit.change.path, [unit]);
    else known.push(unit);
  }
  return paths;
}

function appliedAt(units: readonly Unit[]): Wanted {
  const whole = units.find(({ what }) => what === "whole");
  if (whole !== undefined) return withMode(whole.change.after, units, whole.change.before);
  const lines = units.flatMap((unit) => (unit.what === "lines" ? [unit] : []));
  const [text] = lines;
  const change = units[0]?.change;
  if (text === undefined) return change?.after?.kind === "folder" ? change.after : modeAlone(units);
  const mode = hasMode(units) ? text.change.after.mode : text.change.before.mode;
  const hunks = lines.map(({ hunk }) => hunk);
  return { kind: "written", mode, bytes: bytesOf(withHunks(text.change.old, hunks)) };
}

/**
 * Returns the state of a path that changes as a whole. If a binary file also has a new mode, the mode is a separate
 * unit.
 */
function withMode(after: Wanted, units: readonly Unit[], before: FileState | undefined): Wanted {
  if (after?.kind !== "file" || before?.kind !== "file" || hasMode(units)) return after;
  return { ...after, mode: before.mode };
}

function modeAlone(units: readonly Unit[]): Wanted {
  const change = units[0]?.change;
  if (change?.before?.kind !== "file" || change.after?.kind !== "file") return change?.after;
  return { ...change.before, mode: change.after.mode };
}

function hasMode(units: readonly Unit[]): boolean {
  return units.some(({ what }) => what === "mode");
}

/** The effect of a change on one path. */
export interface ChangedPath {
  readonly path: PathBytes;
  readonly what: "lines" | "mode" | "content" | "created" | "deleted" | "kind";
  /** How many of the file's hunks are part of the change. */
  readonly hunks: number;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
  /** A unified diff of only this change, if the lines of the file differ. */
  readonly patch?: string;
}

const CONTEXT_LINES = 3;

/** Returns the effect of the units on each path. */
export function changedPaths(units: readonly Unit[]): readonly ChangedPath[] {
  return [...byPath(units)].map(([path, own]) => {
    const lines = own.flatMap((unit) => (unit.what === "lines" ? [unit] : []));
    const { before, after } = own[0]?.change ?? { before: undefined, after: undefined };
    const [text] = lines;
    const changed = { path, what: whatOf(own), hunks: lines.length, before, after };
    if (text === undefined) return changed;
    const { old } = text.change;
    const now = withHunks(
      old,
      lines.map(({ hunk }) => hunk),
    );
    return { ...changed, patch: patchOf(path, old, now) };
  });
}

function whatOf(units: readonly Unit[]): ChangedPath["what"] {
  if (units.some(({ what }) => what === "lines")) return "lines";
  const whole = units.find(({ what }) => what === "whole");
  if (whole === undefined) return "mode";
  const { before, after } = whole.change;
  if (before === undefined) return "created";
  if (after === undefined) return "deleted";
  return before.kind === after.kind ? "content" : "kind";
}

function patchOf(path: PathBytes, old: readonly string[], now: readonly string[]): string {
  const name = shownPath(path);
  const [before, after] = [old, now].map((lines) => Buffer.from(bytesOf(lines)).toString("utf8"));
  return createTwoFilesPatch(`a/${name}`, `b/${name}`, before ?? "", after ?? "", undefined, undefined, {
    context: CONTEXT_LINES,
    headerOptions: FILE_HEADERS_ONLY,
  });
}
