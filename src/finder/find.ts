import type { SessionView } from "../machine/view.ts";
import type { Captured, WorkspaceFiles } from "../ports/workspace-files.ts";
import { WorldlineError } from "../record/error.ts";
import type { Next } from "./bisect/bisect.ts";
import type { RunResult } from "./bisect/tally.ts";
import type { Finding } from "./finding.ts";
import { lastWithout } from "./narrow/last-without.ts";
import { narrow } from "./narrow/narrow.ts";
import type { TestCommand } from "./scratch/run-test.ts";
import { Scratch } from "./scratch/scratch.ts";
import { search } from "./search.ts";
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

interface Trying extends Pick<Stage, "states"> {
  readonly trials: Trials;
  readonly next: Extract<Next, { do: "try" }>;
}

async function tried({ onProgress }: FindRequest, { states, trials, next }: Trying): Promise<RunResult> {
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
  if (state === undefined) throw new Error("There is no such state.");
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
