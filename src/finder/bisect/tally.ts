/** What one run of the test said of a state. "unjudged": nothing, so the state is passed over. */
export type RunResult = "pass" | "fail" | "unjudged";

/** One run, by the index of its state; the present is the last state. */
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

/** "open": there are not enough runs yet to say. */
export type Judgement = "green" | "red" | "skipped" | "open";

/** All that the runs so far have said. */
export class Tallies {
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

  /** Red if any run failed, green only if all passed. */
  judge(state: number, runs: number): Judgement {
    const { passed, failed, unjudged } = this.of(state);
    if (unjudged > 0 && !(passed > 0 && failed > 0)) return "skipped";
    if (passed + failed < runs) return "open";
    return failed > 0 ? "red" : "green";
  }

  /** The states that passed and failed, oldest first. */
  flaky(): readonly number[] {
    return [...this.#byState]
      .filter(([, { passed, failed }]) => passed > 0 && failed > 0)
      .map(([state]) => state)
      .sort((a, b) => a - b);
  }
}
