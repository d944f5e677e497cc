import type { ChangeSummary } from "../app/files/changes.ts";
import { type PathDocument, pathDocument, shortPathText, whyLeftOut } from "../app/files/paths.ts";
import type { LeftOut, PathBytes } from "../record/files.ts";
import type { Strings } from "../strings/strings.ts";
import { table } from "./table.ts";

/** Number of paths that a message lists before it only counts the remaining ones. JSON lists all paths. */
export const MAX_SHOWN = 40;

/**
 * Returns one line for each change. A long list is truncated, and ends with the number of changes that are not shown.
 */
export function changeLines(summaries: readonly ChangeSummary[], strings: Strings): string[] {
  const { files } = strings;
  const rows = summaries
    .slice(0, MAX_SHOWN)
    .map((summary) => [files.changes[summary.what], nameOf(summary), detailOf(summary, strings)]);
  const more = summaries.length - MAX_SHOWN;
  return [...table(rows).map((line) => `  ${line}`), ...(more > 0 ? [`  ${files.more(more)}`] : [])];
}

/** Returns the name of a path. A folder's name ends with a slash, as in `ls -p`. */
function nameOf({ path, kind }: ChangeSummary): string {
  return kind === "folder" && path !== "" ? `${shortPathText(path)}/` : shortPathText(path);
}

function detailOf(summary: ChangeSummary, { files }: Strings): string {
  const { path, lines, sizes, modes, why } = summary;
  const details = [
    ...(why === undefined ? [] : [leftOutText(path, why, files)]),
    ...(lines === undefined ? sizeDetail(sizes, files) : [files.lines(lines.added, lines.removed)]),
    ...(modes === undefined ? [] : [files.modes(modeText(modes.before), modeText(modes.after))]),
  ];
  return details.join(", ");
}

function sizeDetail(sizes: ChangeSummary["sizes"], { sized }: Strings["files"]): string[] {
  if (sizes === undefined) return [];
  const known = [sizes.before, sizes.after].filter((size) => size !== undefined);
  return known.length === 0 ? [] : [known.map(sized).join(" -> ")];
}

export function modeText(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** Returns the change as JSON. */
export function changeDocument({ path, ...rest }: ChangeSummary): PathDocument & Omit<ChangeSummary, "path"> {
  return { ...pathDocument(path), ...rest };
}

/**
 * Explains why a path is not in a snapshot. If its name is the only reason, the message says so, so that the user does
 * not search for an ignore rule.
 */
export function leftOutText(path: PathBytes, why: LeftOut, files: Strings["files"]): string {
  const known = whyLeftOut(path, why);
  return known === "never-captured" ? files.neverCaptured : files.leftOut[known];
}
