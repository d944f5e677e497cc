import { isParentChanged } from "../../disk/held-folder.ts";
import type { RestoreStep } from "../../ports/workspace-files.ts";
import { errnoOf, isMissing } from "../../record/error.ts";
import { folderOf, isWithin, type PathBytes, shownPath } from "../../record/files.ts";
import { byBytes } from "../comparing/by-path.ts";
import type { WorkspaceDisk } from "../workspace/workspace-disk.ts";
import type { FolderModes } from "./changing/folder-modes.ts";
import type { PathLooker } from "./changing/path-looker.ts";
import type { Temporaries } from "./changing/temporaries.ts";
import { failed, type Outcome, PARENT_REPLACED, saying } from "./outcome.ts";
import { whyFailed } from "./why-failed.ts";

export interface Finishing {
  readonly disk: WorkspaceDisk;
  readonly steps: readonly RestoreStep[];
  readonly outcomes: Map<PathBytes, Outcome>;
  readonly touched: Set<PathBytes>;
  readonly modes: FolderModes;
  readonly looker: PathLooker;
  readonly temporaries: Temporaries;
}

const WRONG = "not as it should be after writing";
const OWNER_READS = 0o400;
const OWNER_ENTERS = 0o100;

/**
 * Looks at everything that is said to be restored, gives folders their modes, and makes it durable. Changes the
 * outcomes where that is not so. What is in a closed folder is looked at before the folder is closed.
 */
export async function finishRestore(finishing: Finishing): Promise<void> {
  const { steps, modes, outcomes, touched } = finishing;
  const left = finishing.temporaries.removeLeft();
  for (const step of steps) verify(finishing, step);
  const places = new Set([...touched, ...modes.wanted.keys(), ...modes.opened.keys()]);
  // What is in a folder comes before it: once that is closed, nothing in it can be reached.
  const later: PathBytes[] = [];
  for (const path of [...places].sort(byBytes).reverse()) {
    if (isClosedBy(modes.final(path))) await sync(finishing, later.splice(0));
    if ((await settlePlace(finishing, path)) === "to-be-synced") later.push(path);
  }
  await sync(finishing, later);
  if (left.length > 0) {
    const folders = new Set(left.map(folderOf));
    tell(
      outcomes,
      (path) => folders.has(folderOf(path)),
      "a temporary file could not be removed from its folder",
    );
  }
  for (const [old, path] of finishing.temporaries.aside) {
    const more = `what was there was changed meanwhile, and is kept as ${shownPath(old)}`;
    tell(outcomes, (other) => other === path, more);
  }
}

function verify(finishing: Finishing, { path, after }: RestoreStep): void {
  const { looker, outcomes, modes } = finishing;
  if (outcomes.get(path)?.outcome !== "restored") return;
  const waits = modes.wanted.has(path);
  // A folder that waits for its mode is looked at when it has it.
  if (waits && after?.kind === "folder") return;
  try {
    if (looker.obstacle(path) !== undefined) {
      if (after !== undefined) outcomes.set(path, PARENT_REPLACED);
      return;
    }
    const seen = looker.see(path);
    // A file that waits for its mode has the bytes already, and cannot be read when it has both.
    if (waits ? seen.bytesIf(after) === undefined : !seen.is(after)) outcomes.set(path, failed(WRONG));
  } catch (error) {
    const why = `could not be read again: ${whyFailed(error)}`;
    outcomes.set(path, isParentChanged(error) ? PARENT_REPLACED : failed(why));
  }
}

/** Whether nothing in it can be reached any more. */
function isClosedBy(mode: number | undefined): boolean {
  return mode !== undefined && (mode & OWNER_ENTERS) === 0;
}

/** The mode of one place; and its durability, if it cannot be opened for that when it has its mode. */
async function settlePlace(finishing: Finishing, path: PathBytes): Promise<"to-be-synced" | "done"> {
  const { modes, touched } = finishing;
  const mode = modes.final(path);
  if (mode === undefined) return "to-be-synced";
  const canBeSyncedLater = (mode & OWNER_READS) !== 0;
  if (touched.has(path) && !canBeSyncedLater) await sync(finishing, [path]);
  close(finishing, path);
  return touched.has(path) && canBeSyncedLater ? "to-be-synced" : "done";
}

function close({ modes, looker, outcomes }: Finishing, path: PathBytes): void {
  let why: string | undefined;
  try {
    if (modes.close(path, looker) === "not-as-it-should-be") why = WRONG;
  } catch (error) {
    why = whyFailed(error);
  }
  if (why === undefined) return;
  if (modes.wanted.has(path)) outcomes.set(path, failed(`its mode could not be set: ${why}`));
  else {
    tell(outcomes, (other) => other === path, `it did not get its mode back: ${why}`);
    const isBelow = (other: PathBytes): boolean => other !== path && isWithin(other, path);
    tell(outcomes, isBelow, `its folder did not get its mode back: ${why}`);
  }
}

/** Of files too: a mode alone is made durable by nothing else. */
async function sync({ disk, looker, outcomes }: Finishing, paths: readonly PathBytes[]): Promise<void> {
  const pathByPlace = new Map<PathBytes, PathBytes>();
  for (const path of paths) {
    if (isReachable(looker, path)) pathByPlace.set(looker.absolute(path), path);
  }
  const whyByPath = new Map<PathBytes, string>();
  for (const [place, error] of await disk.sync([...pathByPlace.keys()])) {
    const path = pathByPlace.get(place) ?? "";
    // Gone is gone; some file systems know no sync of a folder; what may not be read cannot be opened to be synced.
    if (isMissing(error) || errnoOf(error) === "EINVAL" || isUnreadable({ looker, path, error })) continue;
    whyByPath.set(path, `could not be made durable: ${whyFailed(error)}`);
  }
  if (whyByPath.size > 0) failAt(outcomes, whyByPath);
}

/** What stands at these paths, and what stands in them. */
function failAt(outcomes: Map<PathBytes, Outcome>, whyByPath: ReadonlyMap<PathBytes, string>): void {
  for (const [path, { outcome }] of outcomes) {
    const why = whyByPath.get(path) ?? whyByPath.get(folderOf(path));
    if (outcome === "restored" && why !== undefined) outcomes.set(path, failed(why));
  }
}

/** What stands behind a link is not ours, and what cannot be looked at is told of by its own step. */
function isReachable(looker: PathLooker, path: PathBytes): boolean {
  try {
    return looker.obstacle(path) === undefined;
  } catch (error) {
    whyFailed(error);
    return false;
  }
}

function isUnreadable(at: {
  readonly looker: PathLooker;
  readonly path: PathBytes;
  readonly error: unknown;
}): boolean {
  if (errnoOf(at.error) !== "EACCES") return false;
  try {
    return ((at.looker.see(at.path).stat?.mode ?? 0) & OWNER_READS) === 0;
  } catch (error) {
    whyFailed(error);
    return false;
  }
}

function tell(outcomes: Map<PathBytes, Outcome>, about: (path: PathBytes) => boolean, more: string): void {
  for (const [path, outcome] of outcomes) if (about(path)) outcomes.set(path, saying(outcome, more));
}
