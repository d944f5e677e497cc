import { setImmediate as letOthersRun } from "node:timers/promises";
import { isParentChanged } from "../../disk/held-folder.ts";
import type { PathOutcome, RestoreStep } from "../../ports/workspace-files.ts";
import { errnoOf, isMissing, problemIn, type Remark, remark } from "../../record/error.ts";
import { folderOf, isWithin, type PathBytes, shownPath } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import { byBytes, byPath } from "../comparing/compare.ts";
import type { WorkspaceDisk } from "../workspace/workspace-disk.ts";
import { PathChanger, PreparedFiles } from "./change-paths.ts";
import {
  type ClosedPath,
  FolderModes,
  isOurs,
  leftOpen,
  type Obstacle,
  openMode,
  PathInspector,
  type Seen,
} from "./inspect-paths.ts";
import {
  failed,
  failedBy,
  folderReplaced,
  kept,
  type Outcome,
  passOver,
  RESTORED,
  saying,
  whyFailed,
} from "./outcome.ts";
import { GitNames, Temporaries } from "./temporaries.ts";

interface CarryOutOptions {
  readonly root: PathBytes;
  readonly disk: WorkspaceDisk;
  readonly bytesOf: (hash: ObjectHash) => Uint8Array;
  readonly token: string;
  readonly steps: readonly RestoreStep[];
  /** "again" means that an interrupted restore may already have performed some of the steps. */
  readonly when: "first" | "again";
  readonly closed: readonly ClosedPath[];
  /** Paths that are already certain to fail, each with the reason. */
  readonly refused?: ReadonlyMap<PathBytes, Remark>;
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
}

/**
 * Number of steps that are prepared together. The number is large enough that the restore rarely waits for the disk,
 * but small enough that the temporary files do not fill it.
 */
const STEPS_AT_ONCE = 256;

/**
 * Performs the steps of a restore, each independently of the other steps. Returns the outcomes in the order of the
 * steps.
 */
export async function carryOut(carrying: CarryOutOptions): Promise<PathOutcome[]> {
  const carrier = new StepRunner(carrying);
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
  return carrying.steps.map(({ path }) =>
    pathOutcome(path, outcomes.get(path) ?? failed(remark("restore-not-carried-out"))),
  );
}

/** Returns the outcome for a path. Several remarks are joined into one. */
function pathOutcome(path: PathBytes, { remarks, ...outcome }: Outcome): PathOutcome {
  const [only, ...others] = remarks;
  if (only === undefined) return { path, ...outcome };
  const all = others.length === 0 ? only : remark("several", { problems: remarks.map(problemIn) });
  return { path, ...outcome, ...all };
}

/** Groups consecutive steps of the same kind, because preparing a step must not depend on another step in its group. */
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
 * Sorts the steps. Removals come first, starting with the deepest path. They are followed by new folders, starting with
 * the highest, and then by their contents. Folders whose only change is a new mode come last, because the new mode may
 * make them inaccessible.
 */
function inOrder(steps: readonly RestoreStep[]): RestoreStep[] {
  return [...steps].sort((a, b) => {
    const [first, second] = [rank(a), rank(b)];
    if (first !== second) return first - second;
    return first <= 1 ? byPath(b, a) : byPath(a, b);
  });
}

class StepRunner {
  readonly #carrying: CarryOutOptions;
  readonly #changed: Remark;
  readonly #stepsByPath: ReadonlyMap<PathBytes, RestoreStep>;
  readonly #outcomes = new Map<PathBytes, Outcome>();
  /** The folders that contain, at any depth, at least one path that was not restored. */
  readonly #holdsKept = new Set<PathBytes>();
  readonly #modes: FolderModes;
  readonly #inspector: PathInspector;
  readonly #temporaries: Temporaries;
  readonly #prepared: PreparedFiles;
  readonly #changer: PathChanger;
  readonly #gitNames: GitNames;

  constructor(carrying: CarryOutOptions) {
    const { root, disk, token, steps, bytesOf } = carrying;
    this.#carrying = carrying;
    this.#changed = remark(carrying.when === "first" ? "restore-changed-meanwhile" : "restore-changed-since");
    this.#stepsByPath = new Map(steps.map((step) => [step.path, step]));
    const opened = new Map<PathBytes, number>();
    const inspector = new PathInspector({ root, disk, ownModes: opened });
    const modes = new FolderModes(disk, opened);
    const temporaries = new Temporaries({ token, disk, inspector, modes });
    this.#inspector = inspector;
    this.#modes = modes;
    this.#temporaries = temporaries;
    this.#gitNames = new GitNames({ disk, inspector, temporaries });
    this.#prepared = new PreparedFiles({ disk, inspector, modes, temporaries, bytesOf });
    this.#changer = new PathChanger({
      disk,
      inspector,
      modes,
      temporaries,
      prepared: this.#prepared,
      bytesOf,
      changed: this.#changed,
    });
    if (carrying.when === "first") return;
    // Temporary files are cleared first, because a file that is moved back into place may be one of the files that were
    // left accessible.
    temporaries.clear(steps.filter(({ path }) => isOurs(path)));
    for (const [path, mode] of leftOpen(carrying.closed, inspector, disk)) opened.set(path, mode);
  }

  async prepare(steps: readonly RestoreStep[]): Promise<void> {
    await this.#prepared.prepare(steps.filter((step) => this.#canBePrepared(step)));
  }

  #canBePrepared({ path }: RestoreStep): boolean {
    if (this.#carrying.refused?.has(path)) return false;
    try {
      return !this.#gitNames.leadToGit(path);
    } catch (error) {
      // The step for this path will encounter the same error and report it.
      passOver(error);
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
      inspector: this.#inspector,
      temporaries: this.#temporaries,
    });
    return this.#outcomes;
  }

  async #tryStep(step: RestoreStep): Promise<Outcome> {
    if (step.before?.kind === "left-out" || step.after?.kind === "left-out")
      return kept(remark("restore-left-out"));
    if (!isOurs(step.path)) return failed(remark("restore-not-allowed"));
    try {
      return await this.#attempt(step);
    } catch (error) {
      if (errnoOf(error) !== "EACCES") return failedBy(error);
    }
    try {
      this.#modes.open(step.path, this.#inspector);
      return await this.#attempt(step);
    } catch (error) {
      return failedBy(error);
    }
  }

  async #attempt(step: RestoreStep): Promise<Outcome> {
    const obstacle = this.#inspector.obstacle(step.path);
    if (obstacle !== undefined) return this.#obstructed(step, obstacle);
    if (this.#gitNames.leadToGit(step.path)) return failed(remark("restore-git-name"));
    const seen = this.#inspector.see(step.path);
    if (seen.is(step.after)) return this.#alreadyDone(step);
    if (!seen.is(step.before) && !this.#isHalfDone(step, seen)) return kept(this.#changed);
    const outcome = await this.#changer.change(step, seen);
    if (outcome !== "not-empty") return outcome;
    // A folder that is not empty is kept. Its remaining contents were either kept by this restore or never captured.
    const holdsKept = this.#holdsKept.has(step.path);
    return kept(remark(holdsKept ? "restore-holds-kept" : "restore-holds-uncaptured"));
  }

  /**
   * Returns the outcome for a path that already has its target state. The interrupted restore may have reached this
   * state in its last step, without making the state durable.
   */
  #alreadyDone({ path, after }: RestoreStep): Outcome {
    if (this.#carrying.when === "first") return RESTORED;
    const { touched } = this.#changer;
    touched.add(folderOf(path));
    if (after?.kind === "file" || after?.kind === "folder") touched.add(path);
    return RESTORED;
  }

  /**
   * Checks whether an interrupted restore may have left the path in this state. The path may be missing because its
   * kind was being changed, or may have a temporary mode.
   */
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
      return step.before === undefined ? failed(remark("restore-folder-missing")) : kept(this.#changed);
    }
    if (step.after === undefined && this.#isOurDoing(obstacle)) return RESTORED;
    return kept(remark(obstacle.kind === "link" ? "restore-link-in-the-way" : "restore-file-in-the-way"));
  }

  /** Checks whether this restore itself created the obstacle, by replacing a folder with something else. */
  #isOurDoing({ path }: Obstacle): boolean {
    const step = this.#stepsByPath.get(path);
    if (step?.after === undefined) return false;
    const seen = this.#inspector.see(path);
    return seen.is(step.after) || this.#isHalfDone(step, seen);
  }
}

interface FinishContext {
  readonly disk: WorkspaceDisk;
  readonly steps: readonly RestoreStep[];
  readonly outcomes: Map<PathBytes, Outcome>;
  readonly touched: Set<PathBytes>;
  readonly modes: FolderModes;
  readonly inspector: PathInspector;
  readonly temporaries: Temporaries;
}

const WRONG: Remark = remark("restore-wrong-after-writing");
const OWNER_READS = 0o400;
const OWNER_ENTERS = 0o100;

/**
 * Checks everything that was reported as restored, sets the modes of folders, and makes everything durable. Corrects
 * outcomes that turn out to be wrong. If a folder's new mode will make it inaccessible to its owner, checks the
 * folder's contents before setting the mode.
 */
async function finishRestore(finishing: FinishContext): Promise<void> {
  const { steps, modes, outcomes, touched } = finishing;
  const left = finishing.temporaries.removeLeft();
  for (const step of steps) verify(finishing, step);
  const places = new Set([...touched, ...modes.wanted.keys(), ...modes.opened.keys()]);
  // Contents come before their folder, because nothing in a folder can be reached once the folder's mode is set.
  const later: PathBytes[] = [];
  for (const path of [...places].sort(byBytes).reverse()) {
    if (isClosedBy(modes.final(path))) await sync(finishing, later.splice(0));
    if ((await settlePlace(finishing, path)) === "to-be-synced") later.push(path);
  }
  await sync(finishing, later);
  if (left.length > 0) {
    const folders = new Set(left.map(folderOf));
    addReason(outcomes, (path) => folders.has(folderOf(path)), remark("restore-temporary-left"));
  }
  for (const [old, path] of finishing.temporaries.aside) {
    addReason(outcomes, (other) => other === path, remark("restore-kept-aside", { path: shownPath(old) }));
  }
}

function verify(finishing: FinishContext, { path, after }: RestoreStep): void {
  const { inspector, outcomes, modes } = finishing;
  if (outcomes.get(path)?.outcome !== "restored") return;
  const waits = modes.wanted.has(path);
  // A folder whose mode has yet to be set is checked afterward.
  if (waits && after?.kind === "folder") return;
  try {
    if (inspector.obstacle(path) !== undefined) {
      if (after !== undefined) outcomes.set(path, folderReplaced());
      return;
    }
    const seen = inspector.see(path);
    // A file whose mode has yet to be set already has its bytes. The bytes are compared now, because the file may no
    // longer be readable once the mode is set.
    if (waits ? seen.bytesIf(after) === undefined : !seen.is(after)) outcomes.set(path, failed(WRONG));
  } catch (error) {
    const reason: Remark = remark("restore-not-read-again", { problem: problemIn(whyFailed(error)) });
    outcomes.set(path, isParentChanged(error) ? folderReplaced() : failed(reason));
  }
}

/** Checks whether a folder with this mode is inaccessible even to its owner. */
function isClosedBy(mode: number | undefined): boolean {
  return mode !== undefined && (mode & OWNER_ENTERS) === 0;
}

/** Sets the mode of one path. Also syncs the path now if its mode does not allow a sync later. */
async function settlePlace(finishing: FinishContext, path: PathBytes): Promise<"to-be-synced" | "done"> {
  const { modes, touched } = finishing;
  const mode = modes.final(path);
  if (mode === undefined) return "to-be-synced";
  const canBeSyncedLater = (mode & OWNER_READS) !== 0;
  if (touched.has(path) && !canBeSyncedLater) await sync(finishing, [path]);
  close(finishing, path);
  return touched.has(path) && canBeSyncedLater ? "to-be-synced" : "done";
}

function close({ modes, inspector, outcomes }: FinishContext, path: PathBytes): void {
  let by: Remark | undefined;
  try {
    if (modes.close(path, inspector) === "not-as-it-should-be") by = WRONG;
  } catch (error) {
    by = whyFailed(error);
  }
  if (by === undefined) return;
  const problem = problemIn(by);
  if (modes.wanted.has(path)) outcomes.set(path, failed(remark("restore-mode-not-set", { problem })));
  else {
    addReason(outcomes, (other) => other === path, remark("restore-mode-not-returned", { problem }));
    const isBelow = (other: PathBytes): boolean => other !== path && isWithin(other, path);
    addReason(outcomes, isBelow, remark("restore-folder-mode-not-returned", { problem }));
  }
}

/** Syncs files as well as folders, because a change to a file's mode does not become durable in any other way. */
async function sync(
  { disk, inspector, outcomes }: FinishContext,
  paths: readonly PathBytes[],
): Promise<void> {
  const pathByPlace = new Map<PathBytes, PathBytes>();
  for (const path of paths) {
    if (isReachable(inspector, path)) pathByPlace.set(inspector.absolute(path), path);
  }
  const reasonByPath = new Map<PathBytes, Remark>();
  for (const [place, error] of await disk.sync([...pathByPlace.keys()])) {
    const path = pathByPlace.get(place) ?? "";
    // Some failures are not reported. A removed file does not need a sync, some file systems cannot sync a folder, and
    // a file that must not be read cannot be opened for a sync.
    if (isMissing(error) || errnoOf(error) === "EINVAL" || isUnreadable({ inspector, path, error })) continue;
    reasonByPath.set(path, remark("restore-not-durable", { problem: problemIn(whyFailed(error)) }));
  }
  if (reasonByPath.size > 0) failAt(outcomes, reasonByPath);
}

/** Marks these paths as failed. If a path is a folder, marks the folder's entries as well. */
function failAt(outcomes: Map<PathBytes, Outcome>, reasonByPath: ReadonlyMap<PathBytes, Remark>): void {
  for (const [path, { outcome }] of outcomes) {
    const reason = reasonByPath.get(path) ?? reasonByPath.get(folderOf(path));
    if (outcome === "restored" && reason !== undefined) outcomes.set(path, failed(reason));
  }
}

/**
 * Checks whether the path can be reached without following a link, because the target of a link must not be changed. If
 * a path cannot be examined, its own step reports the problem.
 */
function isReachable(inspector: PathInspector, path: PathBytes): boolean {
  try {
    return inspector.obstacle(path) === undefined;
  } catch (error) {
    passOver(error);
    return false;
  }
}

function isUnreadable(at: {
  readonly inspector: PathInspector;
  readonly path: PathBytes;
  readonly error: unknown;
}): boolean {
  if (errnoOf(at.error) !== "EACCES") return false;
  try {
    return ((at.inspector.see(at.path).stat?.mode ?? 0) & OWNER_READS) === 0;
  } catch (error) {
    passOver(error);
    return false;
  }
}

function addReason(
  outcomes: Map<PathBytes, Outcome>,
  about: (path: PathBytes) => boolean,
  more: Remark,
): void {
  for (const [path, outcome] of outcomes) if (about(path)) outcomes.set(path, saying(outcome, more));
}
