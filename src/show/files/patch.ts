import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { linesTextOf, MOST_EDITS } from "../../app/files/changes.ts";
import { pathText } from "../../app/files/paths.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { FileState, PathBytes, PathChange } from "../../record/files.ts";
import type { Strings } from "../../strings/strings.ts";
import { leftOutText, modeText } from "./change-text.ts";

const CONTEXT_LINES = 3;
const NOTHING_THERE = "/dev/null";
const emptyText = new Uint8Array(0);

/** The changes as a unified diff, one piece for each path; what is no text is said in a line. */
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
  const head = [`diff a/${name} b/${name}`, ...modeLines(change, strings)];
  if (!hasContent(before) && !hasContent(after)) return `${head.join("\n")}\n`;
  if (isEqual(before, after)) return `${head.join("\n")}\n`;
  const [old, now] = [await textOf(before, files), await textOf(after, files)];
  const patch =
    old === undefined || now === undefined
      ? undefined
      : createTwoFilesPatch(
          before === undefined ? NOTHING_THERE : `a/${name}`,
          after === undefined ? NOTHING_THERE : `b/${name}`,
          old,
          now,
          undefined,
          undefined,
          { context: CONTEXT_LINES, headerOptions: FILE_HEADERS_ONLY, maxEditLength: MOST_EDITS },
        );
  const body = patch ?? `${strings.files.noLines(name)}\n`;
  return `${head.join("\n")}\n${body}`;
}

function modeLines({ path, before, after }: PathChange, { files }: Strings): string[] {
  const [old, now] = [describe(path, before, files), describe(path, after, files)];
  return old === now ? [] : [`${old} -> ${now}`];
}

/** `file 0644`, `folder 0755`, `link to x`, `nothing`. */
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

function hasContent(state: FileState | undefined): boolean {
  return state?.kind === "file";
}

function isEqual(before: FileState | undefined, after: FileState | undefined): boolean {
  return before?.kind === "file" && after?.kind === "file" && before.hash === after.hash;
}

async function textOf(
  state: FileState | undefined,
  files: Pick<WorkspaceFiles, "content">,
): Promise<string | undefined> {
  return linesTextOf(state?.kind === "file" ? await files.content(state.hash) : emptyText);
}
