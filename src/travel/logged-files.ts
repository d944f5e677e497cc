import type { RanCall } from "../record/entry.ts";
import {
  type LoggedCounts,
  type OutcomeCounts,
  type OutcomeDetail,
  type PathBytes,
  pathOfText,
  shownPath,
  textOfPath,
} from "../record/files.ts";
import { isJsonObject, type Json, type JsonObject } from "../record/parts.ts";
import type { JourneyEntry } from "./redo.ts";

/** What happened to a path during a restore. */
export interface Outcome {
  readonly path: PathBytes;
  readonly outcome: "restored" | "kept" | "failed";
  readonly detail?: OutcomeDetail;
  /** Set for folders, because they are created and removed together with their contents. */
  readonly kind?: "folder";
  /** As in `Remark`. */
  readonly why?: string;
  readonly reason?: string;
  readonly params?: Json;
}

const DETAILS: readonly OutcomeDetail[] = [
  "created",
  "removed",
  "merged",
  "not-restorable",
  "parent-changed",
];

/**
 * Counts files and links, in the same way for previews and for outcomes. Folders count only if they were kept or
 * failed.
 */
export function outcomeCounts(outcomes: readonly Omit<Outcome, "path">[]): OutcomeCounts {
  const counted = outcomes.filter(({ outcome, kind }) => outcome !== "restored" || kind !== "folder");
  const count = (outcome: Outcome["outcome"], detail?: OutcomeDetail): number =>
    counted.filter((each) => each.outcome === outcome && each.detail === detail).length;
  return {
    restored: count("restored"),
    created: count("restored", "created"),
    removed: count("restored", "removed"),
    merged: count("restored", "merged"),
    kept: count("kept"),
    notRestorable: count("kept", "not-restorable"),
    failed: counted.filter(({ outcome }) => outcome === "failed").length,
  };
}

/** The number of paths that the journey restored to the intended state. */
export function doneCount({ restored, created = 0, removed = 0, merged = 0 }: LoggedCounts): number {
  return restored + created + removed + merged;
}

/** Selects the counts from an object that also has other fields. */
export function countsIn<Counts extends LoggedCounts>(
  of: Counts,
): Pick<Counts, keyof Counts & keyof OutcomeCounts> {
  const known: readonly (keyof OutcomeCounts)[] = [
    "restored",
    "created",
    "removed",
    "merged",
    "kept",
    "notRestorable",
    "failed",
  ];
  const counts = known.filter((key) => of[key] !== undefined).map((key) => [key, of[key]]);
  return Object.fromEntries(counts) as Pick<Counts, keyof Counts & keyof OutcomeCounts>;
}

/** How a path was restored, if its states before and after the restore make that clear. */
export function detailOf(before: unknown, after: unknown): { readonly detail?: OutcomeDetail } {
  if (before === undefined && after !== undefined) return { detail: "created" };
  return before !== undefined && after === undefined ? { detail: "removed" } : {};
}

/**
 * Encodes the outcomes as one line of JSON for each path, so that line breaks in names cause no problems. If a name is
 * not valid UTF-8, its bytes are added in hex.
 */
export function outcomeLines(outcomes: readonly Outcome[]): string {
  return outcomes.map((outcome) => JSON.stringify(outcomeLine(outcome))).join("\n");
}

/** The inverse of `outcomeLines`. Skips lines that cannot be parsed, because `forget` may have erased a name. */
export function outcomesIn(lines: string): readonly Outcome[] {
  return lines.split("\n").flatMap((line) => outcomeIn(line) ?? []);
}

function outcomeLine({ path, outcome, detail, why, reason, params }: Outcome): object {
  // JSON.stringify omits undefined fields.
  return { path: shownPath(path), outcome, detail, why, reason, params, ...bytesOf(path) };
}

function outcomeIn(line: string): Outcome | undefined {
  const { path, outcome, detail, why, reason, params, bytes } = fieldsIn(line);
  const known = DETAILS.find((each) => each === detail);
  if (typeof path !== "string" || !isOutcome(outcome)) return undefined;
  return {
    path: typeof bytes === "string" ? pathOfHex(bytes) : pathOfText(path),
    outcome,
    ...(known === undefined ? {} : { detail: known }),
    ...(typeof why === "string" ? { why } : {}),
    ...(typeof reason === "string" ? { reason } : {}),
    ...(params === undefined ? {} : { params }),
  };
}

/** The fields in a line of JSON; an empty object if the line cannot be parsed. */
function fieldsIn(line: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isOutcome(value: unknown): value is Outcome["outcome"] {
  return value === "restored" || value === "kept" || value === "failed";
}

/** The path in hex, if it cannot be written as text. */
function bytesOf(path: PathBytes): { readonly bytes?: string } {
  if (textOfPath(path) !== undefined) return {};
  return { bytes: Array.from(path, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("") };
}

function pathOfHex(hex: string): PathBytes {
  return hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}

/** The prefix that marks a path written as bytes. Paths within a workspace never begin with `/`. */
const IN_BYTES = "/";

/**
 * Encodes the paths that a journey is limited to, in the form that an entry stores. A path is stored as text or, if it
 * is not valid UTF-8, marked and escaped.
 */
export function limitTexts(paths: readonly PathBytes[]): readonly string[] {
  return paths.map((path) => textOfPath(path) ?? `${IN_BYTES}${path.replace(/[\\\x80-\xff]/g, escaped)}`);
}

/** The paths that a journey was limited to. These paths also limit the journey's redo. */
export function limitsOf(journey: JourneyEntry): { readonly only?: readonly PathBytes[] } {
  if (journey.kind === "backtrack" || journey.only === undefined) return {};
  return { only: pathsOfLimits(journey.only) };
}

/** The inverse of `limitTexts`. */
export function pathsOfLimits(texts: readonly string[]): readonly PathBytes[] {
  return texts.map(pathOfLimit);
}

function pathOfLimit(text: string): PathBytes {
  if (!text.startsWith(IN_BYTES)) return pathOfText(text);
  return text
    .slice(IN_BYTES.length)
    .replace(/\\x([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function escaped(byte: string): string {
  return `\\x${byte.charCodeAt(0).toString(16)}`;
}

/** Evidence that the user, rather than the command that was running, made a change. */
export type Sign =
  /** The command never writes files. */
  | { readonly sign: "read-only" }
  /** The path is an editor's swap or lock file. */
  | { readonly sign: "editor-file" }
  /** An editor had a swap or lock file next to the path. */
  | { readonly sign: "swap-file"; readonly file: string }
  /** The path was written after the command's processes ended. */
  | { readonly sign: "after-end" }
  /** A program that the agent did not start had the file open. */
  | { readonly sign: "open-elsewhere"; readonly program: string };

export interface PathSign {
  readonly path: PathBytes;
  readonly sign: Sign;
}

/** The commands that ran while a path changed, and any evidence that the user changed it. */
export interface ChangedDuring {
  readonly calls: readonly RanCall[];
  readonly sign?: Sign;
}

/** Encodes the signs in the form that an entry stores, with one line of JSON for each path. */
export function signLines(signs: readonly PathSign[]): string {
  const lines = signs.map(({ path, sign }) => ({ path: shownPath(path), ...bytesOf(path), ...sign }));
  return lines.map((line) => JSON.stringify(line)).join("\n");
}

/** The inverse of `signLines`. Skips lines that cannot be parsed. */
export function signsIn(lines: string | undefined): ReadonlyMap<PathBytes, Sign> {
  const signs = new Map<PathBytes, Sign>();
  if (lines === undefined) return signs;
  for (const line of lines.split("\n")) {
    const { path, bytes, ...said } = fieldsIn(line);
    const sign = signOf(said);
    if (typeof path !== "string" || sign === undefined) continue;
    signs.set(typeof bytes === "string" ? pathOfHex(bytes) : pathOfText(path), sign);
  }
  return signs;
}

function signOf({ sign, file, program }: JsonObject): Sign | undefined {
  if (sign === "read-only" || sign === "editor-file" || sign === "after-end") return { sign };
  if (sign === "swap-file") return { sign, file: String(file) };
  return sign === "open-elsewhere" ? { sign, program: String(program) } : undefined;
}
