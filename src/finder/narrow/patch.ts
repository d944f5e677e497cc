import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { type FileState, type PathBytes, shownPath } from "../../record/files.ts";
import { bytesOf, withHunks } from "./lines.ts";
import { byPath } from "./overlay.ts";
import type { Unit } from "./unit.ts";

/** What a change does to one path. */
export interface ChangedPath {
  readonly path: PathBytes;
  readonly what: "lines" | "mode" | "content" | "created" | "deleted" | "kind";
  /** How many places of it are part of the change. */
  readonly hunks: number;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
  /** Where its lines differ: a unified diff of the change alone. */
  readonly patch?: string;
}

const CONTEXT_LINES = 3;

/** The change, path by path. */
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
