import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { WorldlineError } from "../../record/error.ts";
import type { PathBytes } from "../../record/files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import type { AppContext } from "../context.ts";
import { pathsMeant } from "../files/workspace-path.ts";

/** A path of `--only`, as it was written and as it may be meant. */
export interface MeantPath {
  readonly given: string;
  readonly paths: readonly PathBytes[];
}

export async function meantPaths(
  context: AppContext,
  workspace: string,
  given: readonly string[],
): Promise<readonly MeantPath[]> {
  const meant: MeantPath[] = [];
  for (const each of given) meant.push({ given: each, paths: await pathsMeant(context, workspace, each) });
  return meant;
}

interface Known {
  readonly files: Pick<WorkspaceFiles, "stateAt">;
  /** Where a path has to be in at least one of. */
  readonly snapshots: readonly SnapshotId[];
}

/** A path that is there neither now nor then is a slip, and must not pass for "nothing to do". */
export async function requireKnown(meant: readonly MeantPath[], known: Known): Promise<void> {
  for (const { given, paths } of meant) {
    if (await isKnown(paths, known)) continue;
    throw new WorldlineError("path-in-neither", { path: given });
  }
}

async function isKnown(paths: readonly PathBytes[], { files, snapshots }: Known): Promise<boolean> {
  for (const path of paths) {
    for (const snapshot of snapshots) {
      if (path === "" || (await files.stateAt(snapshot, path)) !== undefined) return true;
    }
  }
  return false;
}
