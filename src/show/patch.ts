import { diffOf, type PathDiff } from "../app/files/changes.ts";
import { pathText } from "../app/files/paths.ts";
import type { WorkspaceFiles } from "../ports/workspace-files.ts";
import type { FileState, PathBytes, PathChange } from "../record/files.ts";
import type { Strings } from "../strings/strings.ts";
import { leftOutText, modeText } from "./change-text.ts";

const NOTHING_THERE = "/dev/null";

/**
 * Yields the changes as a unified diff, one piece for each path. For a file that is not text, a single line replaces
 * the diff.
 */
export async function* patchOf(
  changes: readonly PathChange[],
  files: Pick<WorkspaceFiles, "content">,
  strings: Strings,
): AsyncGenerator<string> {
  for (const change of changes) yield await pieceOf(change, files, strings);
}

async function pieceOf(
  change: PathChange,
  files: Pick<WorkspaceFiles, "content">,
  strings: Strings,
): Promise<string> {
  const { path, before, after } = change;
  const name = pathText(path);
  const { contents, lines = [] } = await diffOf(change, files);
  const body = {
    same: [],
    "no-lines": [strings.files.noLines(name)],
    lines: [
      `--- ${before === undefined ? NOTHING_THERE : `a/${name}`}`,
      `+++ ${after === undefined ? NOTHING_THERE : `b/${name}`}`,
      ...lines,
    ],
  }[contents];
  return `${[`diff a/${name} b/${name}`, ...modeLines(change, strings), ...body].join("\n")}\n`;
}

/** Returns the diff without the lines that only name the file. */
export function diffLines(diff: PathDiff, strings: Strings): readonly string[] {
  const { path, contents, lines = [] } = diff;
  return [
    ...modeLines(diff, strings),
    ...(contents === "no-lines" ? [strings.files.noLines(pathText(path))] : lines),
  ];
}

function modeLines({ path, before, after }: PathChange, { files }: Strings): string[] {
  const [old, now] = [describe(path, before, files), describe(path, after, files)];
  return old === now ? [] : [`${old} -> ${now}`];
}

/** Describes the state of a path, such as `file 0644`, `folder 0755`, `link to x`, or `nothing`. */
function describe(path: PathBytes, state: FileState | undefined, files: Strings["files"]): string {
  switch (state?.kind) {
    case undefined:
      return files.nothing;
    case "link":
      return files.linkTo(pathText(state.target));
    case "left-out":
      return leftOutText(path, state.why, files);
    case "file":
    case "folder":
      return `${files.kinds[state.kind]} ${modeText(state.mode)}`;
    default:
      return state satisfies never;
  }
}
