import type { FileState, PathBytes } from "../../record/files.ts";
import type { Overlay, Wanted } from "../scratch/wanted.ts";
import { bytesOf, withHunks } from "./lines.ts";
import type { Unit } from "./unit.ts";

/** What is otherwise than in the older snapshot when these units, and no others, are applied to it. */
export function overlayOf(units: readonly Unit[]): Overlay {
  const overlay = new Map<PathBytes, Wanted>();
  for (const [path, own] of byPath(units)) overlay.set(path, appliedAt(own));
  return overlay;
}

/** The units of each path, in order. */
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

/** A file that is no text may have got another mode too, which is a unit of its own. */
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
