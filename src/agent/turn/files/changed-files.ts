import { diffLines } from "diff";
import type { ChangedFile } from "../../../ports/agent-events.ts";
import type { WorkspaceFiles } from "../../../ports/workspace-files.ts";
import { type FileContent, type PathChange, shownPath } from "../../../record/files.ts";
import type { SnapshotId } from "../../../record/ids.ts";

/** A turn that rewrote 10,000 files is not counted line by line. */
const MOST_FILES = 50;
const MOST_BYTES = 256 * 1024;

export interface ChangedFiles {
  readonly files: readonly ChangedFile[];
  /** How many more there are that are not listed. */
  readonly more: number;
}

/** Which files differ between two snapshots, with their lines counted where that is cheap. */
export async function changedFiles(
  workspace: WorkspaceFiles,
  before: SnapshotId,
  after: SnapshotId,
): Promise<ChangedFiles> {
  if (before === after) return { files: [], more: 0 };
  const changes = (await workspace.compare(before, after)).filter(isOfFiles);
  const files: ChangedFile[] = [];
  for (const change of changes.slice(0, MOST_FILES)) files.push(await describe(workspace, change));
  return { files, more: Math.max(0, changes.length - MOST_FILES) };
}

/** The paths alone, for who only has to name them. */
export async function changedPaths(
  workspace: WorkspaceFiles,
  before: SnapshotId,
  after: SnapshotId,
): Promise<readonly string[]> {
  const changes = before === after ? [] : await workspace.compare(before, after);
  return changes.filter(isOfFiles).map(({ path }) => shownPath(path));
}

/** Folders change with what they hold, which is listed itself. */
function isOfFiles({ before, after }: PathChange): boolean {
  return (after ?? before)?.kind !== "folder" || (before !== undefined && before.kind !== "folder");
}

async function describe(workspace: WorkspaceFiles, change: PathChange): Promise<ChangedFile> {
  const { path, before, after } = change;
  const known = {
    path: shownPath(path),
    change: before === undefined ? "created" : after === undefined ? "deleted" : "changed",
  } as const;
  const old = await textIn(workspace, before);
  const now = await textIn(workspace, after);
  if (old === undefined || now === undefined) return known;
  let added = 0;
  let removed = 0;
  for (const part of diffLines(old, now)) {
    if (part.added) added += part.count;
    if (part.removed) removed += part.count;
  }
  return { ...known, added, removed };
}

/** Undefined where it is no text, or too large to look through. */
async function textIn(workspace: WorkspaceFiles, state: PathChange["after"]): Promise<string | undefined> {
  if (state === undefined) return "";
  if (!isSmallFile(state)) return undefined;
  const bytes = await workspace.content(state.hash);
  return bytes.includes(0) ? undefined : Buffer.from(bytes).toString("utf8");
}

function isSmallFile(state: PathChange["after"]): state is FileContent {
  return state?.kind === "file" && state.size <= MOST_BYTES;
}
