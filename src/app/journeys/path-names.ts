import type { FilesPreview } from "../../machine/files/requests.ts";
import type { Choice } from "../../record/entry.ts";
import { WorldlineError } from "../../record/error.ts";
import type { PathBytes } from "../../record/files.ts";
import { pathText } from "../files/path-text.ts";

/** Names for paths, one for each: what is shown of two different ones may be the same. */
export type PathNames = (path: PathBytes) => string;

/** Names for all paths of a preview. The same preview gives the same names. */
export function namesIn({ changes, steps, kept, conflicts }: FilesPreview): PathNames {
  const names = new Map<PathBytes, string>();
  const given = new Set<string>();
  const paths = [changes, steps, kept, conflicts].flatMap((each) => each.map(({ path }) => path));
  for (const path of [...new Set(paths)].sort()) {
    const name = free(pathText(path), given);
    names.set(path, name);
    given.add(name);
  }
  return (path) => names.get(path) ?? pathText(path);
}

/** `\xff` may be one byte, or four characters: the second of two such files is told apart by a number. */
function free(text: string, given: ReadonlySet<string>): string {
  let name = text;
  for (let number = 2; given.has(name); number += 1) name = `${text} (${number})`;
  return name;
}

/** What the person chose, by the names of the preview, for the paths that they name. */
export function choicesByPath(
  preview: FilesPreview,
  choices: ReadonlyMap<string, Choice>,
): ReadonlyMap<PathBytes, Choice> {
  const nameOf = namesIn(preview);
  const choosable = [...preview.conflicts, ...preview.during];
  const paths = new Map(choosable.map(({ path }) => [nameOf(path), path]));
  const chosen = new Map<PathBytes, Choice>();
  for (const [name, choice] of choices) {
    const path = paths.get(name);
    if (path === undefined) throw new WorldlineError("conflict-gone", { name });
    chosen.set(path, choice);
  }
  return chosen;
}
