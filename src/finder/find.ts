import type { SessionView } from "../machine/view.ts";
import type { Captured, WorkspaceFiles } from "../ports/workspace-files.ts";
import { WorldlineError } from "../record/error.ts";
import { type BisectVerdict, type Next, nextTry } from "./bisect/bisect.ts";
import type { Run, RunResult } from "./bisect/tally.ts";
import type { Finding } from "./finding.ts";
import { narrow } from "./narrow/narrow.ts";
import type { TestCommand } from "./scratch/run-test.ts";
import { Scratch } from "./scratch/scratch.ts";
import { statesOf, type WorkspaceState } from "./states.ts";
import { Trials } from "./trials.ts";

export interface FindRequest {
  readonly files: WorkspaceFiles;
  /** All sessions of the workspace. */
  readonly views: readonly SessionView[];
  /** The workspace as it is, captured a moment ago. */
  readonly present: Captured;
  readonly now: number;
  /** Nothing before this checkpoint is looked at. */
  readonly since?: { readonly session: string; readonly checkpoint: number };
  readonly command: TestCommand;
  /** The folder within the workspace that the command runs in; "" for the workspace itself. */
  readonly within: string;
  /** How often each state is run. */
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
      readonly why?: string;
    }
  /** Some of the difference is tried: so many pieces of it. */
  | { readonly doing: "change"; readonly pieces: number };

/** Which change made the test fail. Nothing in the workspace is touched, and no scratch copy is left. */
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
  const { files, present } = request;
  const trials = new Trials({ ...request, scratch });
  const verdict = await bisect(request, { states, trials });
  const known = () => ({ states, tried: trials.tried, linked: scratch.linked });
  if (verdict.verdict === "cannot-tell" && verdict.why === "never-green" && states.length === 1) {
    return { ...verdict, why: "no-past", ...known() };
  }
  if (verdict.verdict !== "found" && verdict.verdict !== "range") return { ...verdict, ...known() };
  const { green, red } = verdict;
  const [from, to] = [states[green], states[red]];
  if (from === undefined || to === undefined) throw new Error("The border lies outside of the states.");
  const change = await narrow({
    files,
    trials,
    green: from.snapshot,
    red: to.snapshot,
    present: present.snapshot,
    onTry: (pieces) => request.onProgress?.({ doing: "change", pieces }),
  });
  const border = { green, red };
  if (change === "flaky") return { verdict: "flaky", state: red, border, ...known() };
  return { verdict: verdict.verdict, border, ...(change === undefined ? {} : { change }), ...known() };
}

async function bisect(
  { runs, onProgress }: FindRequest,
  { states, trials }: { readonly states: readonly WorkspaceState[]; readonly trials: Trials },
): Promise<BisectVerdict> {
  const history: Run[] = [];
  for (;;) {
    const next = nextTry({ states: states.length, runs }, history);
    if (next.do === "answer") return next;
    const { state: index, why, left } = next;
    const state = states[index];
    if (state === undefined) throw new Error("There is no such state.");
    onProgress?.({ doing: "state", state, why, ...(left === undefined ? {} : { left }) });
    const result = await trials.state(index, state);
    history.push({ state: index, result });
    const reason = trials.tried.find((each) => each.state === index)?.why;
    onProgress?.({ doing: "judged", state, result, ...(reason === undefined ? {} : { why: reason }) });
  }
}

async function statesIn({ since, ...request }: FindRequest): Promise<readonly WorkspaceState[]> {
  const states = await statesOf(request);
  if (since === undefined) return states;
  const first = states.findIndex(({ places }) =>
    places.some(({ session, checkpoint }) => session === since.session && checkpoint === since.checkpoint),
  );
  if (first === -1) {
    throw new WorldlineError("INPUT_INVALID", `The files of checkpoint ${since.checkpoint} are not kept.`, {
      hint: "Choose another one: worldline checkpoints",
    });
  }
  return states.slice(first);
}
