import { type PathBytes, pathOfText, shownPath, textOfPath } from "../../record/files.ts";
import { isJsonObject } from "../../record/json.ts";

/** What became of one path. */
export interface Outcome {
  readonly path: PathBytes;
  readonly outcome: "restored" | "kept" | "failed";
  readonly why?: string;
}

/** A line of JSON for each path, so that line breaks in names do no harm; bytes in hex where a name is no text. */
export function outcomeLines(outcomes: readonly Outcome[]): string {
  return outcomes.map((outcome) => JSON.stringify(lineOf(outcome))).join("\n");
}

/** The inverse of `outcomeLines`. Lines that say nothing are passed over: `forget` may have erased a name. */
export function outcomesIn(lines: string): readonly Outcome[] {
  return lines.split("\n").flatMap((line) => outcomeIn(line) ?? []);
}

function lineOf({ path, outcome, why }: Outcome): object {
  return {
    path: shownPath(path),
    outcome,
    ...(why === undefined ? {} : { why }),
    ...(textOfPath(path) === undefined ? { bytes: hexOf(path) } : {}),
  };
}

function outcomeIn(line: string): Outcome | undefined {
  const value = parsed(line);
  if (!isJsonObject(value)) return undefined;
  const { path, outcome, why, bytes } = value;
  if (typeof path !== "string" || !isOutcome(outcome)) return undefined;
  return {
    path: typeof bytes === "string" ? pathOfHex(bytes) : pathOfText(path),
    outcome,
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
