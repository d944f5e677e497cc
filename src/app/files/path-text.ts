import { type PathBytes, shownPath, textOfPath } from "../../record/files.ts";
import { visibleName } from "../../record/visible-text.ts";

/** Control characters: in a name they are neither line breaks nor columns of ours. */
const controls = /\p{Cc}/gu;

/** A path as a person reads it, on one line: what is no text, or would command a terminal, as `\xNN`. */
export function pathText(path: PathBytes): string {
  const shown = shownPath(path).replace(controls, (each) => `\\x${twoDigits(each.charCodeAt(0))}`);
  return visibleName(shown === "" ? "." : shown);
}

/** In characters. A list is read line by line, and a path may have 4,095 bytes. */
const LONGEST_SHOWN = 160;

/** The same for a list: a very long path without its middle. */
export function shortPathText(path: PathBytes): string {
  const characters = [...pathText(path)];
  if (characters.length <= LONGEST_SHOWN) return characters.join("");
  const half = Math.floor((LONGEST_SHOWN - 1) / 2);
  return `${characters.slice(0, half).join("")}…${characters.slice(-half).join("")}`;
}

/** For JSON: the path as text; where it is none, its bytes too, in base64. */
export interface PathDocument {
  readonly path: string;
  readonly bytes?: string;
}

export function pathDocument(path: PathBytes): PathDocument {
  if (textOfPath(path) !== undefined) return { path: shownPath(path) };
  return { path: shownPath(path), bytes: Buffer.from(path, "latin1").toString("base64") };
}

function twoDigits(code: number): string {
  return code.toString(16).padStart(2, "0");
}
