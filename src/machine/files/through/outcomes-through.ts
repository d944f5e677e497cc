import type { PathOutcome, WorkspaceFiles } from "../../../ports/workspace-files.ts";
import type { WorldlineError } from "../../../record/error.ts";
import type { PathBytes, PathChange } from "../../../record/files.ts";
import { folderOf, pathOfText } from "../../../record/files.ts";
import type { SessionId, SnapshotId } from "../../../record/ids.ts";
import { isSameOutside, type OutsideState } from "../../../record/outside.ts";
import { keptText } from "../../../travel/files/kept.ts";
import { detailOf } from "../../../travel/files/outcome-lines.ts";
import { lookAtPath, stateOf } from "../outside/look-at-path.ts";
import { captureReached } from "../perform.ts";
import { differing, type ThroughLook } from "./look-through.ts";

const LINK = "it is a link now, which is passed over";
const UNDONE = "its backup is missing, or it could not be written";
const OTHERWISE = "not as it was at the checkpoint: the agent's own checkpoints know it from later on";
const UNCHECKED = "what became of it could not be looked at";

/** What the other agent made of the files: found by looking, because it does not say. */
export interface Reached {
  readonly snapshot: SnapshotId | undefined;
  readonly outcomes: readonly PathOutcome[];
}

export interface Performed {
  readonly session: SessionId;
  readonly files: WorkspaceFiles | undefined;
  readonly look: ThroughLook;
  /** How the paths beside were, in their order. */
  readonly besideBefore: readonly (OutsideState | undefined)[];
  /** Why it failed, where it says so; what it had done by then is found all the same. */
  readonly trouble: WorldlineError | undefined;
}

export async function reachedThrough(performed: Performed): Promise<Reached> {
  const { files, look, session } = performed;
  const beside = await besideOutcomes(performed);
  const left = look.present?.snapshot;
  if (files === undefined || left === undefined) return { snapshot: undefined, outcomes: beside };
  const snapshot = await captureReached(session, await placesToLook(files, left, look.inside), (request) =>
    files.capture(request),
  );
  if (snapshot === undefined) {
    const unchecked = look.inside.map(
      (path): PathOutcome => ({ path, outcome: "failed", why: performed.trouble?.message ?? UNCHECKED }),
    );
    return { snapshot, outcomes: [...unchecked, ...beside] };
  }
  const changed = await differing(files, left, snapshot);
  const differ = await differing(files, snapshot, look.target?.snapshot);
  return { snapshot, outcomes: [...insideOutcomes(performed, { changed, differ }), ...beside] };
}

interface Compared {
  /** From what was left to what was reached. */
  readonly changed: readonly PathChange[];
  /** From what was reached to the checkpoint. */
  readonly differ: readonly PathChange[];
}

function insideOutcomes({ look, trouble }: Performed, { changed, differ }: Compared): readonly PathOutcome[] {
  const changedPaths = new Map(changed.map((change) => [change.path, detailOf(change.before, change.after)]));
  const differing_ = new Map(differ.map((change) => [change.path, change]));
  const taken = [...new Set([...look.inside, ...changedPaths.keys()])].map((path): PathOutcome => {
    const rest = differing_.get(path);
    const detail = changedPaths.get(path);
    if (detail !== undefined)
      return { path, outcome: "restored", ...detail, ...(rest && { why: OTHERWISE }) };
    if (look.target !== undefined && rest === undefined) return { path, outcome: "restored" };
    const why = rest?.before?.kind === "link" ? LINK : (trouble?.message ?? UNDONE);
    return { path, outcome: "failed", why };
  });
  const known = new Set(taken.map(({ path }) => path));
  const stayed = differ
    .filter(({ path }) => !known.has(path))
    .map(({ path }): PathOutcome => ({ path, outcome: "kept", why: keptText.untracked }));
  return [...taken, ...stayed];
}

async function besideOutcomes({ look, besideBefore, trouble }: Performed): Promise<readonly PathOutcome[]> {
  const outcomes: PathOutcome[] = [];
  for (const [index, path] of look.beside.entries()) {
    const [before, after] = [besideBefore[index], stateOf(await lookAtPath(path))];
    const isChanged = !isSameOutside(after, before);
    outcomes.push({
      path: pathOfText(path),
      ...(isChanged
        ? ({ outcome: "restored", ...detailOf(before, after) } as const)
        : ({ outcome: "failed", why: trouble?.message ?? UNDONE } as const)),
    });
  }
  return outcomes;
}

/** A file that comes back into a folder that was gone brings the folder. */
async function placesToLook(
  files: WorkspaceFiles,
  left: SnapshotId,
  paths: readonly PathBytes[],
): Promise<readonly { readonly path: PathBytes; readonly before: undefined; readonly after: undefined }[]> {
  const places = new Set<PathBytes>(paths);
  for (const path of paths) {
    for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder)) {
      if ((await files.stateAt(left, folder)) !== undefined) break;
      places.add(folder);
    }
  }
  return [...places].map((path) => ({ path, before: undefined, after: undefined }));
}
