import { setImmediate as letOthersRun } from "node:timers/promises";
import { isParentChanged } from "../../disk/held-folder.ts";
import type { PathOutcome, RestoreStep } from "../../ports/workspace-files.ts";
import { errnoOf, isMissing } from "../../record/error.ts";
import { folderOf, isWithin, type PathBytes, shownPath } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import { byBytes, byPath } from "../comparing/compare.ts";
import type { WorkspaceDisk } from "../workspace/workspace-disk.ts";
import { NOT_EMPTY, PathChanger, PreparedFiles } from "./change-paths.ts";
import {
  type ClosedPath,
  FolderModes,
  isOurs,
  leftOpen,
  type Obstacle,
  openMode,
  PathLooker,
  type Seen,
} from "./inspect-paths.ts";
import {
  failed,
  failedBy,
  kept,
  type Outcome,
  PARENT_REPLACED,
  RESTORED,
  saying,
  whyFailed,
} from "./outcome.ts";
import { GitNames, Temporaries } from "./temporaries.ts";

interface Carrying {
  readonly root: PathBytes;
  readonly disk: WorkspaceDisk;
  readonly bytesOf: (hash: ObjectHash) => Uint8Array;
  readonly token: string;
  readonly steps: readonly RestoreStep[];
  /** "again": a restore that was cut off may have made a half of this. */
  readonly when: "first" | "again";
  readonly closed: readonly ClosedPath[];
  /** Paths that are known to fail, and why. */
  readonly refused?: ReadonlyMap<PathBytes, string>;
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
}

/** So many are prepared together: enough to wait for the disk once, few enough to leave room on it. */
const STEPS_AT_ONCE = 256;

/** Carries out the steps of a restore, each on its own, and says what became of each, in their order. */
export async function carryOut(carrying: Carrying): Promise<PathOutcome[]> {
  const carrier = new Carrier(carrying);
  const ordered = inOrder(carrying.steps);
  let done = 0;
  for (const steps of together(ordered)) {
    await carrier.prepare(steps);
    for (const step of steps) {
      await carrier.carry(step);
      done += 1;
      carrying.onProgress?.(done, ordered.length);
    }
    carrier.clearPrepared();
    await letOthersRun();
  }
  const outcomes = await carrier.finish();
  return carrying.steps.map(({ path }) => ({ path, ...(outcomes.get(path) ?? failed("not carried out")) }));
}

/** Steps of one kind, some at a time: what is prepared for one must not depend on another of them. */
function* together(ordered: readonly RestoreStep[]): Generator<readonly RestoreStep[]> {
  let steps: RestoreStep[] = [];
  for (const step of ordered) {
    const [first] = steps;
    if (steps.length === STEPS_AT_ONCE || (first !== undefined && rank(first) !== rank(step))) {
      yield steps;
      steps = [];
    }
    steps.push(step);
  }
  if (steps.length > 0) yield steps;
}

function rank({ before, after }: RestoreStep): number {
  if (after === undefined) return before?.kind === "folder" ? 1 : 0;
  if (after.kind !== "folder") return 3;
  return before?.kind === "folder" ? 4 : 2;
}

/**
 * What goes, the deepest first; then folders, the highest first; then what stands in them; then folders that
 * only get another mode, which may close them.
 */
function inOrder(steps: readonly RestoreStep[]): RestoreStep[] {
  return [...steps].sort((a, b) => {
    const [first, second] = [rank(a), rank(b)];
    if (first !== second) return first - second;
    return first <= 1 ? byPath(b, a) : byPath(a, b);
  });
}

class Carrier {
  readonly #carrying: Carrying;
  readonly #changed: string;
  readonly #stepsByPath: ReadonlyMap<PathBytes, RestoreStep>;
  readonly #outcomes = new Map<PathBytes, Outcome>();
  /** The folders in which, at any depth, something was not restored. */
  readonly #holdsKept = new Set<PathBytes>();
  readonly #modes: FolderModes;
  readonly #looker: PathLooker;
  readonly #temporaries: Temporaries;
  readonly #prepared: PreparedFiles;
  readonly #changer: PathChanger;
  readonly #gitNames: GitNames;

  constructor(carrying: Carrying) {
    const { root, disk, token, steps, bytesOf } = carrying;
    this.#carrying = carrying;
    this.#changed = carrying.when === "first" ? "changed meanwhile" : "changed since";
    this.#stepsByPath = new Map(steps.map((step) => [step.path, step]));
    const opened = new Map<PathBytes, number>();
    const looker = new PathLooker({ root, disk, ownModes: opened });
    const modes = new FolderModes(disk, opened);
    const temporaries = new Temporaries({ token, disk, looker, modes });
    this.#looker = looker;
    this.#modes = modes;
    this.#temporaries = temporaries;
    this.#gitNames = new GitNames({ disk, looker, temporaries });
    this.#prepared = new PreparedFiles({ disk, looker, modes, temporaries, bytesOf });
    this.#changer = new PathChanger({
      disk,
      looker,
      modes,
      temporaries,
      prepared: this.#prepared,
      bytesOf,
      changed: this.#changed,
    });
    if (carrying.when === "first") return;
    // First, because a file that goes back to its place may be one that was left open.
    temporaries.clear(steps.filter(({ path }) => isOurs(path)));
    for (const [path, mode] of leftOpen(carrying.closed, looker, disk)) opened.set(path, mode);
  }

  async prepare(steps: readonly RestoreStep[]): Promise<void> {
    await this.#prepared.prepare(steps.filter((step) => this.#canBePrepared(step)));
  }

  #canBePrepared({ path }: RestoreStep): boolean {
    if (this.#carrying.refused?.has(path)) return false;
    try {
      return !this.#gitNames.leadToGit(path);
    } catch (error) {
      // Its step will meet the same, and say it.
      whyFailed(error);
      return false;
    }
  }

  clearPrepared(): void {
    this.#prepared.clear();
  }

  async carry(step: RestoreStep): Promise<void> {
    const why = this.#carrying.refused?.get(step.path);
    const outcome = why === undefined ? await this.#tryStep(step) : failed(why);
    this.#outcomes.set(step.path, outcome);
    if (outcome.outcome === "restored") return;
    for (let at = step.path; at !== "" && !this.#holdsKept.has(folderOf(at)); at = folderOf(at))
      this.#holdsKept.add(folderOf(at));
  }

  async finish(): Promise<ReadonlyMap<PathBytes, Outcome>> {
    await finishRestore({
      disk: this.#carrying.disk,
      steps: this.#carrying.steps,
      outcomes: this.#outcomes,
      touched: this.#changer.touched,
      modes: this.#modes,
      looker: this.#looker,
      temporaries: this.#temporaries,
    });
    return this.#outcomes;
  }

  async #tryStep(step: RestoreStep): Promise<Outcome> {
    if (step.before?.kind === "left-out" || step.after?.kind === "left-out") return kept("not captured");
    if (!isOurs(step.path)) return failed("not a path that a restore may change");
    try {
      return await this.#attempt(step);
    } catch (error) {
      if (errnoOf(error) !== "EACCES") return failedBy(error);
    }
    try {
      this.#modes.open(step.path, this.#looker);
      return await this.#attempt(step);
    } catch (error) {
      return failedBy(error);
    }
  }

  async #attempt(step: RestoreStep): Promise<Outcome> {
    const obstacle = this.#looker.obstacle(step.path);
    if (obstacle !== undefined) return this.#obstructed(step, obstacle);
    if (this.#gitNames.leadToGit(step.path)) return failed("this file system takes its name for .git");
    const seen = this.#looker.see(step.path);
    if (seen.is(step.after)) return this.#alreadyDone(step);
    if (!seen.is(step.before) && !this.#isHalfDone(step, seen)) return kept(this.#changed);
    const outcome = await this.#changer.change(step, seen);
    if (outcome !== NOT_EMPTY) return outcome;
    // A folder that stays because of what is in it: did we keep that, or has nobody ever known it?
    return this.#holdsKept.has(step.path) ? kept("something in it was kept") : NOT_EMPTY;
  }

  /** The restore that was cut off may have done it a moment before, and nobody has made that durable. */
  #alreadyDone({ path, after }: RestoreStep): Outcome {
    if (this.#carrying.when === "first") return RESTORED;
    const { touched } = this.#changer;
    touched.add(folderOf(path));
    if (after?.kind === "file" || after?.kind === "folder") touched.add(path);
    return RESTORED;
  }

  /** Whether a restore that was cut off may have left the path like this: between two kinds, or still open. */
  #isHalfDone({ before, after }: RestoreStep, seen: Seen): boolean {
    if (this.#carrying.when === "first" || after === undefined) return false;
    const { stat } = seen;
    if (stat === undefined) return (before?.kind === "folder") !== (after.kind === "folder");
    if (after.kind !== "folder" && after.kind !== "file") return false;
    if (stat.kind !== after.kind || stat.mode !== openMode(after.kind, after.mode)) return false;
    return after.kind === "folder" || seen.bytesIf(after) !== undefined;
  }

  #obstructed(step: RestoreStep, obstacle: Obstacle): Outcome {
    if (obstacle.kind === "missing") {
      if (step.after === undefined) return RESTORED;
      return step.before === undefined ? failed("its folder is not there") : kept(this.#changed);
    }
    if (step.after === undefined && this.#isOurDoing(obstacle)) return RESTORED;
    return kept(
      obstacle.kind === "link" ? "a link stands in its way" : "something that is no folder stands in its way",
    );
  }

  /** Whether what stands there now is what this same restore has put in the place of a folder. */
  #isOurDoing({ path }: Obstacle): boolean {
    const step = this.#stepsByPath.get(path);
    if (step?.after === undefined) return false;
    const seen = this.#looker.see(path);
    return seen.is(step.after) || this.#isHalfDone(step, seen);
  }
}

interface Finishing {
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
async function finishRestore(finishing: Finishing): Promise<void> {
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
