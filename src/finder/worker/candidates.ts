import { createHash } from "node:crypto";
import type { SessionView } from "../../machine/view.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { textOfPath } from "../../record/files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { linesOf } from "../narrow/lines.ts";
import { takeBack } from "../narrow/take-back.ts";
import { byPath, type Unit, unitsOf } from "../narrow/units.ts";
import type { WrittenFile } from "../scratch/scratch.ts";
import { statesOf, type WorkspaceState } from "../states.ts";
import { quoted } from "./decide.ts";

/** A change that may be the cause, and how to undo it in the present files. */
export interface Candidate {
  /** A short id without spaces. The same change always has the same id, because notes refer to it. */
  readonly id: string;
  /** The path within the workspace. */
  readonly path: string;
  /** A description of the change, such as "src/tax.mjs, line 5, changed between #5 and #6 of k3f9x2m7q1". */
  readonly about: string;
  readonly how:
    | { readonly do: "edit"; readonly old: string; readonly now: string }
    /** `was` is the current content. `was` is absent if the file does not exist. */
    | { readonly do: "write"; readonly content: string; readonly was?: string }
    | { readonly do: "remove"; readonly was: string }
    | { readonly do: "command"; readonly command: string; readonly back: string };
}

/**
 * Maximum number of candidates. A turn may backtrack only this many times, and the last guess does not need a
 * backtrack.
 */
const MAX_CANDIDATES = 32;
const ID_LENGTH = 8;
/** Matches the paths of documentation files. Changes to them break tests less often than changes to code do. */
const PROSE = /\.(?:md|txt|rst|adoc)$|(?:^|\/)(?:LICENSE|CHANGELOG|README)/u;

interface CandidatesRequest {
  readonly files: WorkspaceFiles;
  /** All sessions of the workspace. */
  readonly views: readonly SessionView[];
  readonly now: number;
}

/**
 * Returns the changes between the workspace's states that can still be undone, newest first, with documentation last.
 * Captures the present files, but changes nothing.
 */
export async function candidatesOf({ files, views, now }: CandidatesRequest): Promise<readonly Candidate[]> {
  const captured = await files.capture({ look: "everything" });
  const states = await statesOf({ files, views, now, present: captured });
  const present = captured.snapshot;
  const found = new Map<string, Candidate>();
  for (let at = states.length - 1; at > 0 && found.size < MAX_CANDIDATES; at -= 1) {
    const [before, after] = [states[at - 1], states[at]];
    if (before === undefined || after === undefined) continue;
    const when = `changed between ${nameOf(before, "last")} and ${nameOf(after, "first")}`;
    const units = await unitsOf(await files.compare(before.snapshot, after.snapshot), files);
    for (const some of guessesIn(units)) {
      const candidate = await candidateOf(some, { files, present, when });
      // The same lines may have been changed several times. Only the latest change counts.
      if (candidate !== undefined && !found.has(candidate.id)) found.set(candidate.id, candidate);
    }
  }
  const all = [...found.values()];
  return [...all.filter((each) => !isProse(each)), ...all.filter(isProse)].slice(0, MAX_CANDIDATES);
}

/** Derives an id from the change's effect, so that a note is still valid after a restart. */
function idOf(path: string, how: Candidate["how"]): string {
  return createHash("sha256")
    .update(JSON.stringify([path, how]))
    .digest("hex")
    .slice(0, ID_LENGTH);
}

function isProse({ path }: Pick<Candidate, "path">): boolean {
  return PROSE.test(path);
}

/**
 * Returns the sets of units to try: first each unit alone, and then, for files with several units, all units of the
 * file together.
 */
function guessesIn(units: readonly Unit[]): readonly (readonly Unit[])[] {
  const several = [...byPath(units).values()].filter((own) => own.length > 1);
  return [...units.map((unit) => [unit]), ...several];
}

async function candidateOf(
  units: readonly Unit[],
  {
    files,
    present,
    when,
  }: { readonly files: WorkspaceFiles; readonly present: SnapshotId; readonly when: string },
): Promise<Candidate | undefined> {
  const [first] = units;
  const path = first === undefined ? undefined : textOfPath(first.change.path);
  if (first === undefined || path === undefined) return undefined;
  const taken = await takeBack(units, { files, snapshot: present });
  if (taken.state !== "fits" || taken.overlay.size === 0) return undefined;
  const wanted = taken.overlay.get(first.change.path);
  const now = await files.stateAt(present, first.change.path);
  const how = await howOf({ path, wanted, now, isMode: first.what === "mode" && units.length === 1 }, files);
  return how && { id: idOf(path, how), path, about: `${path}${placeOf(units)}, ${when}`, how };
}

interface WantedFile {
  readonly path: string;
  readonly wanted: Awaited<ReturnType<WorkspaceFiles["stateAt"]>> | WrittenFile;
  readonly now: Awaited<ReturnType<WorkspaceFiles["stateAt"]>>;
  /** Whether only the mode changes. */
  readonly isMode: boolean;
}

/**
 * Returns how to undo the change with the tools that every model has. Returns undefined if these tools cannot undo it,
 * for example because the content is binary.
 */
async function howOf(
  { path, wanted, now, isMode }: WantedFile,
  files: Pick<WorkspaceFiles, "content">,
): Promise<Candidate["how"] | undefined> {
  if (isMode && wanted?.kind === "file" && now?.kind === "file") {
    const chmod = (bits: number): string => `chmod ${bits.toString(8).padStart(4, "0")} -- ${quoted(path)}`;
    return { do: "command", command: chmod(wanted.mode), back: chmod(now.mode) };
  }
  const [content, was] = [await textOf(wanted, files), await textOf(now, files)];
  if (wanted === undefined && now?.kind === "file" && was !== undefined) {
    return { do: "remove", was };
  }
  if (content === undefined) return undefined;
  if (now === undefined) return { do: "write", content };
  if (was === undefined) return undefined;
  return uniqueEdit(was, content) ?? { do: "write", content, was };
}

/** Returns the text of a file. Returns undefined if the path is not a file or the content is not UTF-8. */
async function textOf(
  state: WantedFile["wanted"],
  files: Pick<WorkspaceFiles, "content">,
): Promise<string | undefined> {
  if (state?.kind !== "file" && state?.kind !== "written") return undefined;
  const bytes = state.kind === "written" ? state.bytes : await files.content(state.hash);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function placeOf(units: readonly Unit[]): string {
  const lines = units.flatMap((unit) => (unit.what === "lines" ? [unit.hunk.newStart + 1] : []));
  if (lines.length === 0) return units.some(({ what }) => what === "mode") ? " (file mode)" : "";
  return lines.length === 1 ? `, line ${lines[0]}` : `, lines ${lines.join(", ")}`;
}

function nameOf(state: WorkspaceState, end: "first" | "last"): string {
  const place = state.places.at(end === "first" ? 0 : -1);
  return place === undefined ? "now" : `#${place.checkpoint} of ${place.session}`;
}

/**
 * Returns an edit that turns one text into another, with enough surrounding lines to be unique, or undefined if there
 * is none.
 */
export function uniqueEdit(
  was: string,
  content: string,
): { readonly do: "edit"; readonly old: string; readonly now: string } | undefined {
  const [before, after] = [linesIn(was), linesIn(content)];
  let top = 0;
  while (top < Math.min(before.length, after.length) && before[top] === after[top]) top += 1;
  let bottom = 0;
  const most = Math.min(before.length, after.length) - top;
  while (bottom < most && before.at(-1 - bottom) === after.at(-1 - bottom)) bottom += 1;
  for (let around = 0; around <= Math.max(top, bottom); around += 1) {
    const [above, below] = [Math.max(0, top - around), Math.max(0, bottom - around)];
    const old = before.slice(above, before.length - below).join("");
    const now = after.slice(above, after.length - below).join("");
    // The edit must also be unique in the other direction.
    if (isOnly(was, old) && isOnly(content, now)) return { do: "edit", old, now };
  }
  return undefined;
}

function linesIn(text: string): readonly string[] {
  return (linesOf(new TextEncoder().encode(text)) ?? []).map((line) =>
    Buffer.from(line, "latin1").toString("utf8"),
  );
}

function isOnly(text: string, piece: string): boolean {
  const at = text.indexOf(piece);
  return piece !== "" && at !== -1 && text.indexOf(piece, at + 1) === -1;
}
