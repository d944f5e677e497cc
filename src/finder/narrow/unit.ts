import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { type FileContent, type FileState, isSameState, type PathChange } from "../../record/files.ts";
import { type Hunk, hunksBetween, linesOf } from "./lines.ts";

/** The smallest pieces that a difference is taken apart into: each can be applied, or taken back, without the others. */
export type Unit =
  | {
      readonly what: "lines";
      readonly change: TextChange;
      readonly hunk: Hunk;
    }
  | { readonly what: "mode"; readonly change: PathChange }
  /** Created, deleted, another kind of thing, another link, or a file that is no text: all or nothing. */
  | { readonly what: "whole"; readonly change: PathChange };

/** A file whose lines differ. */
export interface TextChange extends PathChange {
  readonly before: FileContent;
  readonly after: FileContent;
  readonly old: readonly string[];
  readonly now: readonly string[];
}

/** Takes a difference apart. What a snapshot leaves out cannot be applied, and is no unit. */
export async function unitsOf(
  changes: readonly PathChange[],
  files: Pick<WorkspaceFiles, "content">,
): Promise<readonly Unit[]> {
  const units: Unit[] = [];
  for (const change of changes) {
    const { before, after } = change;
    if (before?.kind === "left-out" || after?.kind === "left-out" || isSameState(before, after)) continue;
    units.push(...(await unitsIn(change, files)));
  }
  return units;
}

async function unitsIn(change: PathChange, files: Pick<WorkspaceFiles, "content">): Promise<readonly Unit[]> {
  const { before, after } = change;
  if (before?.kind === "folder" && after?.kind === "folder") return [{ what: "mode", change }];
  if (!isFile(before) || !isFile(after)) return [{ what: "whole", change }];
  const mode: readonly Unit[] = before.mode === after.mode ? [] : [{ what: "mode", change }];
  if (before.hash === after.hash) return mode;
  const [old, now] = [linesOf(await files.content(before.hash)), linesOf(await files.content(after.hash))];
  const hunks = old === undefined || now === undefined ? undefined : hunksBetween(old, now);
  if (old === undefined || now === undefined || hunks === undefined)
    return [...mode, { what: "whole", change }];
  const text: TextChange = { path: change.path, before, after, old, now };
  return [...mode, ...hunks.map((hunk): Unit => ({ what: "lines", change: text, hunk }))];
}

function isFile(state: FileState | undefined): state is FileContent {
  return state?.kind === "file";
}
