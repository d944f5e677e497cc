import type { FileRewinder, HostPlace } from "../../../ports/file-rewinder.ts";
import type { WorkspaceFiles } from "../../../ports/workspace-files.ts";
import { WorldlineError } from "../../../record/error.ts";
import { folderOf, isSameState, type PathBytes, type PathChange } from "../../../record/files.ts";
import type { SnapshotId } from "../../../record/ids.ts";
import type { SessionView } from "../../view.ts";
import { isCovered } from "../covered.ts";
import { filesAt } from "../files-at.ts";
import { capturePresent, type FilesPresent, type FilesTarget, type PreviewGround } from "../look.ts";
import { pathWithin } from "../outside/plan-outside.ts";
import type { JourneyWish } from "../requests.ts";
import { hostPlaceOf } from "./host-place.ts";
import { withOwnSnapshots } from "./own-snapshots.ts";

export interface ThroughWish extends JourneyWish {
  readonly to: number;
  readonly through: FileRewinder;
}

/** What the other agent says that it would change, and what we know of that. Nothing has happened yet. */
export interface ThroughLook {
  readonly place: HostPlace;
  /** What it names in the workspace, where that is captured. */
  readonly inside: readonly PathBytes[];
  /** What it names where no snapshot reaches; absolute. */
  readonly beside: readonly string[];
  readonly present?: FilesPresent;
  /** Absent where we have no snapshot of the checkpoint to compare with. */
  readonly target?: FilesTarget;
  /** From the present to the checkpoint, and not named: it stays. */
  readonly untracked: readonly PathChange[];
}

export async function lookThrough(ground: PreviewGround, wish: ThroughWish): Promise<ThroughLook> {
  const { view, files } = ground;
  const { to, through } = wish;
  refuseChoice(wish);
  const { place, paths } = await withOwnSnapshots(ground, to, async () => {
    const found = await hostPlaceOf(view, to, through);
    return { place: found, paths: (await through.preview(found)).paths };
  });
  if (files === undefined) return { place, inside: [], beside: [...paths].sort(), untracked: [] };
  const present = await capturePresent({ view, files }, wish);
  const { inside, beside } = await placed(files, present.snapshot, paths);
  const target = await knownTarget(view, files, to);
  const untracked = await differing(files, present.snapshot, target?.snapshot);
  const named = new Set(inside);
  return {
    place,
    inside,
    beside,
    present,
    ...(target === undefined ? {} : { target }),
    untracked: untracked.filter(({ path }) => !named.has(path)),
  };
}

/** It takes back all that it knows, or nothing: what cannot be had must not be thought to have been. */
function refuseChoice({ only, choice, choices, through }: ThroughWish): void {
  if (only === undefined && choice === undefined && (choices?.size ?? 0) === 0) return;
  throw new WorldlineError("host-files-choice", { host: through.name });
}

/** What the snapshot leaves out, as it does large ignored folders, is beside it wherever it stands. */
async function placed(
  files: WorkspaceFiles,
  present: SnapshotId,
  paths: readonly string[],
): Promise<{ readonly inside: readonly PathBytes[]; readonly beside: readonly string[] }> {
  const inside: PathBytes[] = [];
  const beside: string[] = [];
  for (const path of paths) {
    const within = pathWithin(files.folder, path);
    if (within === undefined || (await isLeftOut(files, present, within))) beside.push(path);
    else inside.push(within);
  }
  return { inside: inside.sort(), beside: beside.sort() };
}

async function isLeftOut(files: WorkspaceFiles, present: SnapshotId, path: PathBytes): Promise<boolean> {
  for (let at = path; at !== ""; at = folderOf(at)) {
    const state = await files.stateAt(present, at);
    if (state !== undefined) return state.kind === "left-out";
  }
  return false;
}

async function knownTarget(
  view: SessionView,
  files: WorkspaceFiles,
  to: number,
): Promise<FilesTarget | undefined> {
  const at = await filesAt(view, files, to);
  return at.state === "complete" || at.state === "partial" ? at : undefined;
}

/** What differs to a person; nothing where one of the two is not known. */
export async function differing(
  files: WorkspaceFiles,
  before: SnapshotId | undefined,
  after: SnapshotId | undefined,
): Promise<readonly PathChange[]> {
  if (before === undefined || after === undefined || before === after) return [];
  const changes = await files.compare(before, after);
  const differ = changes.filter((change) => !isSameState(change.before, change.after));
  return differ.filter(isCovered(differ));
}
