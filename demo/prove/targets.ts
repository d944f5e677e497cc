import { folderOf, isWithin, type PathBytes, textOfPath } from "../../src/record/files.ts";
import type { Seen, Survey } from "../survey.ts";

/** The kinds of paths that can be damaged. */
export type TargetKind =
  | "text"
  | "file"
  | "folder"
  | "empty-folder"
  | "link"
  | "environment"
  | "ignore-rules"
  | "nested";

export interface TargetSource {
  readonly survey: Survey;
  /** Paths that snapshots leave out by rule; Worldline does not promise to restore them. */
  readonly leftOut: readonly PathBytes[];
  /** The root of the planted sample. Targets among the user's own files, outside the sample, are preferred. */
  readonly sample: PathBytes;
}

const MAX_BYTES = 2 ** 20;
const MIN_BYTES = 8;
const WRITABLE = 0o600;
const TEXT_NAME = /\.(md|txt|[cm]?[jt]sx?|json|py|go|rs|c|h|cpp|java|rb|sh|css|html|ya?ml|toml)$/u;

/** Chooses the targets of each damage. `random` returns a non-negative integer below its argument. */
export class Targets {
  readonly #source: TargetSource;
  readonly #random: (below: number) => number;
  readonly #byKind: ReadonlyMap<TargetKind, readonly PathBytes[]>;
  /** Every captured file. */
  readonly files: readonly PathBytes[];

  constructor(source: TargetSource, random: (below: number) => number) {
    this.#source = source;
    this.#random = random;
    const covered = coveredPaths(source);
    this.files = covered.filter((path) => source.survey.get(path)?.kind === "file");
    this.#byKind = sorted(source, covered);
  }

  /** Chooses one path of each kind. No chosen path is inside another chosen path. */
  choose(kinds: readonly TargetKind[]): readonly PathBytes[] {
    const chosen: PathBytes[] = [];
    for (const kind of kinds) {
      const all = (this.#byKind.get(kind) ?? []).filter(
        (path) => !chosen.some((other) => isWithin(path, other) || isWithin(other, path)),
      );
      const own = all.filter((path) => !this.#isOfSample(path));
      const from = own.length > 0 ? own : all;
      const one = from[this.#random(from.length)];
      if (one !== undefined) chosen.push(one);
    }
    return chosen;
  }

  #isOfSample(path: PathBytes): boolean {
    const { sample } = this.#source;
    return sample !== "" && isWithin(path, sample);
  }
}

function coveredPaths({ survey, leftOut }: TargetSource): readonly PathBytes[] {
  const out = new Set(leftOut);
  const isOut = (path: PathBytes): boolean => {
    for (let at = path; at !== ""; at = folderOf(at)) if (out.has(at)) return true;
    return false;
  };
  return [...survey.keys()].filter((path) => path !== "" && !isOut(path)).sort();
}

function sorted(source: TargetSource, covered: readonly PathBytes[]): ReadonlyMap<TargetKind, PathBytes[]> {
  const { survey } = source;
  const byKind = new Map<TargetKind, PathBytes[]>();
  const folders = foldersOf(source);
  for (const path of covered) {
    const seen = survey.get(path);
    // Command-line arguments can contain only text, so paths that are not valid text are skipped.
    if (seen === undefined || textOfPath(path) === undefined) continue;
    for (const kind of kindsOf({ path, seen, folders, survey })) {
      byKind.set(kind, [...(byKind.get(kind) ?? []), path]);
    }
  }
  return byKind;
}

interface Folders {
  /** Non-empty folders. */
  readonly full: ReadonlySet<PathBytes>;
  /** Folders that contain something that cannot be restored. */
  readonly risky: ReadonlySet<PathBytes>;
}

function foldersOf({ survey, leftOut }: TargetSource): Folders {
  const full = new Set<PathBytes>();
  for (const path of survey.keys()) if (path !== "") full.add(folderOf(path));
  const risky = new Set<PathBytes>();
  for (const path of leftOut) {
    for (let at = path; at !== ""; ) {
      at = folderOf(at);
      risky.add(at);
    }
  }
  return { full, risky };
}

interface Candidate {
  readonly path: PathBytes;
  readonly seen: Seen;
  readonly folders: Folders;
  readonly survey: Survey;
}

function kindsOf(candidate: Candidate): readonly TargetKind[] {
  const { path, seen, folders } = candidate;
  switch (seen.kind) {
    case "link":
      return ["link"];
    case "folder":
      if (!folders.full.has(path)) return ["empty-folder"];
      return folders.risky.has(path) ? [] : ["folder"];
    case "file":
      return kindsOfFile(candidate);
    case "special":
      return [];
    default:
      return seen.kind satisfies never;
  }
}

function kindsOfFile({ path, seen, survey }: Candidate): readonly TargetKind[] {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (seen.size === 0 || seen.size > MAX_BYTES || (seen.mode & WRITABLE) !== WRITABLE) return [];
  if (name === ".gitignore") return ["ignore-rules"];
  const kinds: TargetKind[] = ["file"];
  if (TEXT_NAME.test(name) && seen.size >= MIN_BYTES) kinds.push("text");
  if (name === ".env") kinds.push("environment");
  if (isNested(path, survey)) kinds.push("nested");
  return kinds;
}

/** Whether the path is in a nested repository. */
function isNested(path: PathBytes, survey: Survey): boolean {
  for (let at = folderOf(path); at !== ""; at = folderOf(at)) if (survey.has(`${at}/.git`)) return true;
  return false;
}

const MULTIPLIER = 1_664_525;
const INCREMENT = 1_013_904_223;
const MODULUS = 2 ** 32;

/** Creates a random source that returns the same numbers for the same seed, so that a run can be repeated. */
export function seeded(seed: number): (below: number) => number {
  let state = seed % MODULUS;
  return (below) => {
    state = (Math.imul(state, MULTIPLIER) + INCREMENT) >>> 0;
    return Math.floor((state / MODULUS) * below);
  };
}
