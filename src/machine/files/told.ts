import type { PathOutcome } from "../../ports/workspace-files.ts";
import type { DraftOf } from "../../record/entry.ts";
import { type PathBytes, type PathChange, shownPath } from "../../record/files.ts";
import { quoteName } from "../../timeline/context/quote.ts";

/** A journey over 10,000 files must not fill the context with their names. */
const MOST_NAMES = 50;

/** What the model is told when a journey has changed files under its hands; undefined when it has not. */
export function toldOfOutcomes(what: string, paths: readonly PathOutcome[]): string | undefined {
  if (paths.length === 0) return undefined;
  const named = (outcome: PathOutcome["outcome"], detail?: PathOutcome["detail"]): readonly PathBytes[] =>
    paths.filter((path) => path.outcome === outcome && path.detail === detail).map(({ path }) => path);
  return [
    `${what} What you know of these files may no longer be true; read them again before you rely on it.`,
    ...section("Changed on disk:", named("restored")),
    ...section("Created on disk:", named("restored", "created")),
    ...section("Removed from disk:", named("restored", "removed")),
    ...section("Changed on disk, with later changes merged in:", named("restored", "merged")),
    ...section("Left as they were, although they differ from then:", named("kept")),
    ...section(
      "Gone, and cannot be restored because it was never captured:",
      named("kept", "not-restorable"),
    ),
    ...section("Could not be changed:", named("failed")),
  ].join("\n\n");
}

/** What the model is told when the conversation went elsewhere and the files did not. */
export function toldOfDifferences(differ: readonly PathChange[]): string | undefined {
  if (differ.length === 0) return undefined;
  const names = differ.map(({ path }) => path);
  return section(
    "The files were not taken back with the conversation. These are not as they were at this point:",
    names,
  ).join("\n");
}

/**
 * What the model is told when git has something else checked out than then: a journey takes files to another place,
 * and leaves git where it is. Undefined when it has not, or nobody knows what it had.
 */
export function toldOfGit(
  target: { readonly gitHead?: string } | undefined,
  present: { readonly gitHead?: string } | undefined,
): string | undefined {
  if (target?.gitHead === undefined || present === undefined) return undefined;
  if (target.gitHead === present.gitHead) return undefined;
  const now = present.gitHead === undefined ? "nothing" : quoteName(present.gitHead);
  return `Git had ${quoteName(target.gitHead)} checked out at this point, and has ${now} now: git itself was not touched.`;
}

/** What there is to tell, as one text; undefined when there is nothing. */
export function toldTogether(...texts: readonly (string | undefined)[]): string | undefined {
  const told = texts.filter((text) => text !== undefined);
  return told.length === 0 ? undefined : told.join("\n\n");
}

export type ChangedNames = Pick<DraftOf<"backtrack">, "changed" | "moreChanged">;

/** The names of the first paths for a note, and how many more there are. */
export function changedNames(paths: readonly PathBytes[]): ChangedNames {
  const changed = paths.slice(0, MOST_NAMES).map(nameOf);
  const more = paths.length - changed.length;
  return { changed, ...(more === 0 ? {} : { moreChanged: more }) };
}

function section(title: string, paths: readonly PathBytes[]): readonly string[] {
  const { changed, moreChanged: more } = changedNames(paths);
  if (changed.length === 0) return [];
  const names = [...changed.map(quoteName), ...(more === undefined ? [] : [`… and ${more} more`])];
  return [[title, ...names.map((name) => `- ${name}`)].join("\n")];
}

function nameOf(path: PathBytes): string {
  return shownPath(path === "" ? "." : path);
}
