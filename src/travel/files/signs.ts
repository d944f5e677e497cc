import type { RanCall } from "../../record/entry.ts";
import { type PathBytes, pathOfText, shownPath, textOfPath } from "../../record/files.ts";
import { isJsonObject, type Json } from "../../record/json.ts";
import { hexOf, pathOfHex } from "./outcome-lines.ts";

/** Why a path that changed while a command ran was probably changed by the user. */
export type Sign =
  /** The command only reads. */
  | { readonly sign: "read-only" }
  /** The path is an editor's own swap or lock file. */
  | { readonly sign: "editor-file" }
  /** An editor's swap or lock file was beside it. */
  | { readonly sign: "swap-file"; readonly file: string }
  /** It was written when the command's processes had ended. */
  | { readonly sign: "after-end" }
  /** A program that the agent did not start had it open. */
  | { readonly sign: "open-elsewhere"; readonly program: string };

export interface PathSign {
  readonly path: PathBytes;
  readonly sign: Sign;
}

/** A path that changed while commands ran, and what points to the user, if anything does. */
export interface ChangedDuring {
  readonly calls: readonly RanCall[];
  readonly sign?: Sign;
}

/** As an entry holds them: a line of JSON for each path. */
export function signLines(signs: readonly PathSign[]): string {
  return signs.map(({ path, sign }) => JSON.stringify(lineOf(path, sign))).join("\n");
}

/** The inverse of `signLines`. What is not understood points to nobody. */
export function signsIn(lines: string | undefined): ReadonlyMap<PathBytes, Sign> {
  const signs = new Map<PathBytes, Sign>();
  for (const line of (lines ?? "").split("\n")) {
    const value = parsed(line);
    if (!isJsonObject(value) || typeof value["path"] !== "string") continue;
    const { path, bytes } = value;
    const sign = signOf(value);
    if (sign !== undefined) signs.set(typeof bytes === "string" ? pathOfHex(bytes) : pathOfText(path), sign);
  }
  return signs;
}

function lineOf(path: PathBytes, sign: Sign): object {
  return {
    path: shownPath(path),
    ...(textOfPath(path) === undefined ? { bytes: hexOf(path) } : {}),
    ...sign,
  };
}

function signOf({ sign, file, program }: Readonly<Record<string, Json>>): Sign | undefined {
  if (sign === "read-only" || sign === "editor-file" || sign === "after-end") return { sign };
  if (sign === "swap-file") return { sign, file: String(file) };
  return sign === "open-elsewhere" ? { sign, program: String(program) } : undefined;
}

function parsed(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
}
