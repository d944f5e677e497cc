/** The result of one run of the test. "unjudged" means that there was no result, so the state is skipped. */
export type RunResult = "pass" | "fail" | "unjudged";

/** The result of one run on the state with this index. The present is the last state. */
export interface Run {
  readonly state: number;
  readonly result: RunResult;
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly unjudged: number;
}

const NO_RUNS: Tally = { passed: 0, failed: 0, unjudged: 0 };

/** What the results say about a state. "open" means that more runs are needed. */
type Judgement = "green" | "red" | "skipped" | "open";

/** Counts the results of all previous runs. */
class Tallies {
  readonly #byState = new Map<number, Tally>();

  constructor(history: readonly Run[]) {
    for (const { state, result } of history) {
      const { passed, failed, unjudged } = this.of(state);
      this.#byState.set(state, {
        passed: passed + (result === "pass" ? 1 : 0),
        failed: failed + (result === "fail" ? 1 : 0),
        unjudged: unjudged + (result === "unjudged" ? 1 : 0),
      });
    }
  }

  of(state: number): Tally {
    return this.#byState.get(state) ?? NO_RUNS;
  }

  /** Judges a state: red if any run failed, green only if all runs passed. */
  judge(state: number, runs: number): Judgement {
    const { passed, failed, unjudged } = this.of(state);
    if (unjudged > 0 && !(passed > 0 && failed > 0)) return "skipped";
    if (passed + failed < runs) return "open";
    return failed > 0 ? "red" : "green";
  }

  /** Returns the states that passed and failed, oldest first. */
  flaky(): readonly number[] {
    return [...this.#byState]
      .filter(([, { passed, failed }]) => passed > 0 && failed > 0)
      .map(([state]) => state)
      .sort((a, b) => a - b);
  }
}

export interface Question {
  /** The number of states. The states are sorted from the oldest to the newest, and the last one is the present. */
  readonly states: number;
  /** Number of runs on each state. */
  readonly runs: number;
}

/**
 * Two states between which the test broke. The test passes in `green` and fails in `red`. The states between them could
 * not be judged.
 */
export interface Border {
  readonly green: number;
  readonly red: number;
}

export type BisectVerdict =
  /** The two states are adjacent, so the change between them is the cause. */
  | ({ readonly verdict: "found" } & Border)
  | ({ readonly verdict: "range" } & Border)
  /**
   * The test both passed and failed in `state`. The border is valid if such a state counts as red. If there is no
   * border, the test did not pass in any state.
   */
  | { readonly verdict: "flaky"; readonly state: number; readonly border?: Border }
  | { readonly verdict: "green-now" }
  /**
   * "never-green": the test passes in none of the states that were tried. "present": the present itself cannot be
   * judged.
   */
  | { readonly verdict: "cannot-tell"; readonly why: "never-green" | "present"; readonly oldest: number };

export type Next =
  | {
      readonly do: "try";
      readonly state: number;
      readonly why: "present" | "back" | "between" | "again" | "newer";
      /** Number of further states that may have to be tried, if known. */
      readonly left?: number;
    }
  | ({ readonly do: "answer" } & BisectVerdict);

/**
 * The test runs at least this many times on each of the answer's two states (red and green), because a single run
 * cannot reveal a contradiction.
 */
const RUNS_AT_ENDS = 2;
/**
 * Number of runs for each state once the test has both passed and failed in the same state. From then on, a single run
 * no longer proves anything.
 */
const RUNS_WHEN_FLAKY = 5;

/** Decides which state to try next, or returns the answer. Pure: it depends only on the previous results. */
export function nextTry(question: Question, history: readonly Run[]): Next {
  const tallies = new Tallies(history);
  const [flaky] = tallies.flaky();
  const runs = flaky === undefined ? question.runs : Math.max(question.runs, RUNS_WHEN_FLAKY);
  const next = searched(searchOf({ ...question, runs }, tallies));
  if (next.do === "try" || flaky === undefined) return next;
  // If the test both passes and fails in a state, no change is named, because the answer may be a coincidence.
  const border = "green" in next ? { border: { green: next.green, red: next.red } } : {};
  return { do: "answer", verdict: "flaky", state: flaky, ...border };
}

/** Where to search for a later green state. */
interface Newer {
  /** Only states after this one are considered. */
  readonly after: number;
  /** The states to try, in order. */
  readonly probes: readonly number[];
}

/**
 * Decides which state to try next, or returns the newest border after a given state. This is necessary because
 * `nextTry` goes back in increasingly large steps, which may skip places where the test was repaired and broken again.
 * "cannot-tell" means that none of the probes is green. Pure, like `nextTry`.
 */
export function nextNewer(question: Question, history: readonly Run[], { after, probes }: Newer): Next {
  const tallies = new Tallies(history);
  const [flaky] = tallies.flaky();
  if (flaky !== undefined) return { do: "answer", verdict: "flaky", state: flaky };
  const search = searchOf(question, tallies);
  let red = search.present;
  for (let at = red - 1; at > after; at -= 1) {
    const judgement = search.judge(at);
    if (judgement === "green") return between(search, { green: at, red });
    if (judgement === "red") red = at;
  }
  const open = probes.filter((state) => search.judge(state) === "open");
  const [state] = open;
  if (state !== undefined) return { do: "try", state, why: "newer", left: open.length };
  return { do: "answer", verdict: "cannot-tell", why: "never-green", oldest: after };
}

interface Search {
  readonly present: number;
  readonly judge: (state: number) => Judgement;
  readonly judgeEnd: (state: number) => Judgement;
}

function searchOf({ states, runs }: Question, tallies: Tallies): Search {
  return {
    present: states - 1,
    judge: (state) => tallies.judge(state, runs),
    judgeEnd: (state) => tallies.judge(state, Math.max(runs, RUNS_AT_ENDS)),
  };
}

function searched(search: Search): Next {
  const { present } = search;
  switch (search.judgeEnd(present)) {
    case "open":
      return { do: "try", state: present, why: "present" };
    case "skipped":
      return { do: "answer", verdict: "cannot-tell", why: "present", oldest: present };
    case "green":
      return { do: "answer", verdict: "green-now" };
    default:
      return goBack(search);
  }
}

/** Goes back from the present in steps that double in size, until the test passes in a state. */
function goBack(search: Search): Next {
  let red = search.present;
  let step = 1;
  let at = red - 1;
  while (at >= 0) {
    const judgement = search.judge(at);
    if (judgement === "open") return { do: "try", state: at, why: "back" };
    if (judgement === "green") return between(search, { green: at, red });
    if (judgement === "skipped") {
      at -= 1;
      continue;
    }
    red = at;
    step *= 2;
    at = at === 0 ? -1 : Math.max(0, at - step);
  }
  return fromTheOldest(search, red);
}

/** Tries the oldest states one after another until one of them can be judged. */
function fromTheOldest(search: Search, red: number): Next {
  for (let at = 0; at < red; at += 1) {
    const judgement = search.judge(at);
    if (judgement === "open") return { do: "try", state: at, why: "back" };
    if (judgement === "green") return between(search, { green: at, red });
    if (judgement === "red") break;
  }
  return { do: "answer", verdict: "cannot-tell", why: "never-green", oldest: red };
}

function between(search: Search, outer: Border): Next {
  const { green, red } = narrowed(search, outer);
  const open: number[] = [];
  for (let state = green + 1; state < red; state += 1) if (search.judge(state) === "open") open.push(state);
  const middle = open[Math.floor((open.length - 1) / 2)];
  if (middle !== undefined) {
    return { do: "try", state: middle, why: "between", left: Math.ceil(Math.log2(open.length + 1)) };
  }
  for (const end of [green, red]) {
    if (search.judgeEnd(end) === "open") return { do: "try", state: end, why: "again", left: 1 };
  }
  return { do: "answer", verdict: red === green + 1 ? "found" : "range", green, red };
}

/** Returns the first red state within the border and the last green state before it. */
function narrowed({ judge }: Search, { green, red }: Border): Border {
  let inner = green;
  for (let state = green + 1; state <= red; state += 1) {
    const judgement = judge(state);
    if (judgement === "green") inner = state;
    if (judgement === "red") return { green: inner, red: state };
  }
  return { green: inner, red };
}
