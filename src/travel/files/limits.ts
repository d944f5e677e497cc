import { type PathBytes, pathOfText, textOfPath } from "../../record/files.ts";
import type { JourneyEntry } from "../redo.ts";

/** No path within a workspace begins with it, so it marks what is written in bytes. */
const IN_BYTES = "/";

/** The paths that a journey is limited to, as its entry holds them: text, or where a name is none, marked and escaped. */
export function limitTexts(paths: readonly PathBytes[]): readonly string[] {
  return paths.map((path) => textOfPath(path) ?? `${IN_BYTES}${path.replace(/[\\\x80-\xff]/g, escaped)}`);
}

/** What took back a few files is undone for those few. */
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
