import { type PathBytes, pathOfText, shownPath, textOfPath } from "../../record/files.ts";
import { isJsonObject } from "../../record/json.ts";
import type { LoggedCounts, OutcomeCounts, OutcomeDetail } from "../../record/outcome.ts";

/** What became of one path. */
export interface Outcome {
  readonly path: PathBytes;
  readonly outcome: "restored" | "kept" | "failed";
  readonly detail?: OutcomeDetail;
  /** A folder comes and goes with what it holds. */
  readonly kind?: "folder";
  readonly why?: string;
}

const DETAILS: readonly OutcomeDetail[] = [
  "created",
  "removed",
  "merged",
  "not-restorable",
  "parent-changed",
];

/** Files and links are counted, in previews and outcomes alike; of folders, those that were kept or failed. */
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

/** How many paths are now as they were to be. */
export function doneCount({ restored, created = 0, removed = 0, merged = 0 }: LoggedCounts): number {
  return restored + created + removed + merged;
}

/** The counts alone, of something that has more. */
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

/** How a path was restored, as far as its states before and after say so. */
export function detailOf(before: unknown, after: unknown): { readonly detail?: OutcomeDetail } {
  if (before === undefined && after !== undefined) return { detail: "created" };
  return before !== undefined && after === undefined ? { detail: "removed" } : {};
}

/** A line of JSON for each path, so that line breaks in names do no harm; bytes in hex where a name is no text. */
export function outcomeLines(outcomes: readonly Outcome[]): string {
  return outcomes.map((outcome) => JSON.stringify(lineOf(outcome))).join("\n");
}

/** The inverse of `outcomeLines`. Lines that say nothing are passed over: `forget` may have erased a name. */
export function outcomesIn(lines: string): readonly Outcome[] {
  return lines.split("\n").flatMap((line) => outcomeIn(line) ?? []);
}

function lineOf({ path, outcome, detail, why }: Outcome): object {
  return {
    path: shownPath(path),
    outcome,
    ...(detail === undefined ? {} : { detail }),
    ...(why === undefined ? {} : { why }),
    ...(textOfPath(path) === undefined ? { bytes: hexOf(path) } : {}),
  };
}

function outcomeIn(line: string): Outcome | undefined {
  const value = parsed(line);
  if (!isJsonObject(value)) return undefined;
  const { path, outcome, detail, why, bytes } = value;
  const known = DETAILS.find((each) => each === detail);
  if (typeof path !== "string" || !isOutcome(outcome)) return undefined;
  return {
    path: typeof bytes === "string" ? pathOfHex(bytes) : pathOfText(path),
    outcome,
    ...(known === undefined ? {} : { detail: known }),
    ...(typeof why === "string" ? { why } : {}),
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isOutcome(value: unknown): value is Outcome["outcome"] {
  return value === "restored" || value === "kept" || value === "failed";
}

export function hexOf(path: PathBytes): string {
  return Array.from(path, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

export function pathOfHex(hex: string): PathBytes {
  return hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}
