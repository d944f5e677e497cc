import { setImmediate as letOthersRun } from "node:timers/promises";
import type { PathOutcome, RestoreStep } from "../../ports/workspace-files.ts";
import { errnoOf } from "../../record/error.ts";
import { folderOf, type PathBytes } from "../../record/files.ts";
import type { ObjectHash } from "../../record/ids.ts";
import { byPath } from "../comparing/by-path.ts";
import type { WorkspaceDisk } from "../workspace/workspace-disk.ts";
import { type ClosedPath, FolderModes, leftOpen, openMode } from "./changing/folder-modes.ts";
import { GitNames } from "./changing/git-names.ts";
import { NOT_EMPTY, PathChanger } from "./changing/path-changer.ts";
import { isOurs, type Obstacle, PathLooker, type Seen } from "./changing/path-looker.ts";
import { PreparedFiles } from "./changing/prepared-files.ts";
import { Temporaries } from "./changing/temporaries.ts";
import { finishRestore } from "./finish-restore.ts";
import { failed, failedBy, kept, type Outcome, RESTORED } from "./outcome.ts";
import { whyFailed } from "./why-failed.ts";

export interface Carrying {
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
