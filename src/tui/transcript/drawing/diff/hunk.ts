import { structuredPatch } from "diff";
import { isJsonObject, type Json } from "../../../../record/json.ts";
import { toolKind } from "../../tool-kind.ts";

/** Lines that belong together: each begins with "+", "-" or a space. */
export interface Hunk {
  /** The number of its first line before and after; 0 where nobody knows it. */
  readonly before: number;
  readonly after: number;
  readonly lines: readonly string[];
}

const HEADER = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/u;
/** A larger edit is shown as all old and all new lines: comparing them would hold up the screen. */
const MOST_COMPARED = 40_000;

/** What a unified diff holds; lines that belong to no hunk, such as names of files, are left out. */
export function hunksOf(unified: string): readonly Hunk[] {
  const hunks: { before: number; after: number; lines: string[] }[] = [];
  for (const line of unified.replaceAll("\r\n", "\n").split("\n")) {
    const [, before, after] = HEADER.exec(line) ?? [];
    if (before !== undefined) hunks.push({ before: Number(before), after: Number(after), lines: [] });
    else if (/^[-+ ]/u.test(line)) hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

/** What a call changes in a file, as far as its arguments tell; undefined for calls that do not. */
export function hunksOfCall(name: string, input: Json): readonly Hunk[] | undefined {
  if (!isJsonObject(input) || toolKind(name) !== "change") return undefined;
  const { content, old_string: old, new_string: by, new_source: cell, edit_mode: mode } = input;
  if (typeof content === "string") return [{ before: 1, after: 1, lines: signed("+", content) }];
  // What stood in the cell of a notebook before, and where, the call does not say.
  if (typeof cell === "string" && mode !== "delete") return [unnumbered(signed("+", cell))];
  if (typeof old !== "string" || typeof by !== "string") return undefined;
  if (old.length + by.length > MOST_COMPARED) {
    return [unnumbered([...signed("-", old), ...signed("+", by)])];
  }
  const { hunks } = structuredPatch("", "", ended(old), ended(by), "", "", { context: 3 });
  return hunks.map(({ lines }) => unnumbered(lines));
}

function unnumbered(lines: readonly string[]): Hunk {
  return { before: 0, after: 0, lines };
}

function signed(sign: "+" | "-", text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => sign + line);
}

/** That a piece of a file does not end its line is no difference. */
function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
