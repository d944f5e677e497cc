import type { SessionView } from "../machine/view.ts";
import type { Captured, WorkspaceFiles } from "../ports/workspace-files.ts";
import { WorldlineError } from "../record/error.ts";
import {
  type BisectVerdict,
  type Border,
  type Next,
  nextNewer,
  nextTry,
  type Question,
  type Run,
  type RunResult,
} from "./bisect.ts";
import type { Change, ConfirmedChange, Finding, Unjudged } from "./finding.ts";
import { type Narrowed, narrow } from "./narrow/narrow.ts";
import { lastWithout } from "./narrow/take-back.ts";
import { Scratch } from "./scratch/scratch.ts";
import { statesOf, type WorkspaceState } from "./states.ts";
import { type TestCommand, Trials } from "./trials.ts";

export interface FindRequest {
  readonly files: WorkspaceFiles;
  /** All sessions of the workspace. */
  readonly views: readonly SessionView[];
  /** The workspace's present files, captured just before the search. */
  readonly present: Captured;
  readonly now: number;
  /** The earliest checkpoint to consider. Older states are ignored. */
  readonly since?: { readonly session: string; readonly checkpoint: number };
  readonly command: TestCommand;
  /** The folder within the workspace where the command runs, or "" for the workspace itself. */
  readonly within: string;
  /** Number of runs on each state. */
  readonly runs: number;
  readonly onProgress?: (progress: FindProgress) => void;
}

export type FindProgress =
  | {
      readonly doing: "state";
      readonly state: WorkspaceState;
      readonly why: Extract<Next, { do: "try" }>["why"];
      readonly left?: number;
    }
  | {
      readonly doing: "judged";
      readonly state: WorkspaceState;
      readonly result: RunResult;
      readonly why?: Unjudged;
    }
  /** The finder is trying a part of the difference that has this many pieces. */
  | { readonly doing: "change"; readonly pieces: number };

/** Finds the change that made the test fail. Leaves the workspace untouched, and removes its scratch copy. */
export async function find(request: FindRequest): Promise<Finding> {
  const states = await statesIn(request);
  const { files, present } = request;
  const scratch = await Scratch.open(files, present.snapshot);
  try {
    return await findIn(request, { states, scratch });
  } finally {
    scratch.remove();
  }
}

interface Stage {
  readonly states: readonly WorkspaceState[];
  readonly scratch: Scratch;
}

async function findIn(request: FindRequest, { states, scratch }: Stage): Promise<Finding> {
  const { files, present, runs, onProgress } = request;
  const trials = new Trials({ ...request, scratch });
  const verdict = await search({
    states: states.length,
    runs,
    run: async (next) => tried(request, { states, trials, next }),
    changeAt: async ({ green, red }) =>
      narrow({
        files,
        trials,
        green: stateAt(states, green).snapshot,
        red: stateAt(states, red).snapshot,
        present: present.snapshot,
        onTry: (pieces) => onProgress?.({ doing: "change", pieces }),
      }),
    lastWithout: async ({ units }, { red }) =>
      lastWithout(units, { files, snapshots: states.map(({ snapshot }) => snapshot), after: red }),
  });
  const known = { states, tried: trials.tried, linked: scratch.linked };
  if (verdict.verdict === "cannot-tell" && verdict.why === "never-green" && states.length === 1) {
    return { ...verdict, why: "no-past", ...known };
  }
  return { ...verdict, ...known };
}

interface StateTrial extends Pick<Stage, "states"> {
  readonly trials: Trials;
  readonly next: Extract<Next, { do: "try" }>;
}

async function tried({ onProgress }: FindRequest, { states, trials, next }: StateTrial): Promise<RunResult> {
  const { state: index, why, left } = next;
  const state = stateAt(states, index);
  onProgress?.({ doing: "state", state, why, ...(left === undefined ? {} : { left }) });
  const result = await trials.state(index, state);
  const reason = trials.tried.find((each) => each.state === index)?.why;
  onProgress?.({ doing: "judged", state, result, ...(reason === undefined ? {} : { why: reason }) });
  return result;
}

function stateAt(states: readonly WorkspaceState[], index: number): WorkspaceState {
  const state = states[index];
  if (state === undefined) throw new Error(`There is no state ${index}.`);
  return state;
}

async function statesIn({ since, ...request }: FindRequest): Promise<readonly WorkspaceState[]> {
  const states = await statesOf(request);
  if (since === undefined) return states;
  const first = states.findIndex(({ places }) =>
    places.some(({ session, checkpoint }) => session === since.session && checkpoint === since.checkpoint),
  );
  if (first === -1) {
    throw new WorldlineError("files-not-kept", { checkpoint: since.checkpoint });
  }
  return states.slice(first);
}

interface SearchOptions extends Question {
  /** Runs the test once. */
  readonly run: (next: Extract<Next, { do: "try" }>) => Promise<RunResult>;
  /** Finds the part of the difference that is the cause, and checks whether it still affects the present. */
  readonly changeAt: (border: Border) => Promise<Narrowed>;
  /**
   * Returns the newest state between a border and the present that lacks the change, or undefined if all of these
   * states contain it.
   */
  readonly lastWithout: (change: Change, border: Border) => Promise<number | undefined>;
}

export type SearchVerdict =
  | Exclude<BisectVerdict, { verdict: "found" | "range" }>
  | { readonly verdict: "found" | "range"; readonly border: Border; readonly change: ConfirmedChange }
  | {
      readonly verdict: "cannot-tell";
      readonly why: "unconfirmed";
      readonly border: Border;
      readonly change?: Change;
    };

/** Maximum number of states to check for a later green state. A workspace may have many more states. */
const MAX_PROBES = 50;

/**
 * Finds the change that makes the test fail now. The test may have been broken, repaired and broken again, so a border
 * counts only if its change is confirmed and has been present ever since. Otherwise, the states after the border are
 * tried.
 */
export async function search(options: SearchOptions): Promise<SearchVerdict> {
  const history: Run[] = [];
  let at = await runUntilAnswer(options, history, () => nextTry(options, history));
  for (;;) {
    if (at.verdict !== "found" && at.verdict !== "range") return at;
    const border: Border = { green: at.green, red: at.red };
    const change = await options.changeAt(border);
    if (change === "flaky") return { verdict: "flaky", state: border.red, border };
    const newer = { after: border.red, probes: await probesAfter(options, border, change) };
    const next = await runUntilAnswer(options, history, () => nextNewer(options, history, newer));
    if (next.verdict === "flaky") return { border, ...next };
    if (next.verdict !== "found" && next.verdict !== "range") return settled(at.verdict, border, change);
    at = next;
  }
}

async function runUntilAnswer(
  options: SearchOptions,
  history: Run[],
  ask: () => Next,
): Promise<BisectVerdict> {
  for (;;) {
    const next = ask();
    if (next.do === "answer") return next;
    history.push({ state: next.state, result: await options.run(next) });
  }
}

function settled(verdict: "found" | "range", border: Border, change: Change | undefined): SearchVerdict {
  if (isConfirmed(change)) return { verdict, border, change };
  return { verdict: "cannot-tell", why: "unconfirmed", border, ...(change === undefined ? {} : { change }) };
}

function isConfirmed(change: Change | undefined): change is ConfirmedChange {
  return change?.effect.state === "confirmed";
}

/**
 * Returns the states to probe after a border, newest first. If there are too many, returns an evenly spaced selection.
 */
async function probesAfter(
  { states, lastWithout }: SearchOptions,
  border: Border,
  change: Change | undefined,
): Promise<readonly number[]> {
  // States that contain a change that makes the test fail do not have to be tried.
  const newest = isConfirmed(change) ? await lastWithout(change, border) : states - 2;
  if (newest === undefined) return [];
  const stride = Math.ceil((newest - border.red) / MAX_PROBES);
  const probes: number[] = [];
  for (let state = newest; state > border.red; state -= stride) probes.push(state);
  return probes;
}
