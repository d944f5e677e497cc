import { join } from "node:path";
import type { Captured, WorkspaceFiles } from "../ports/workspace-files.ts";
import { isWorldlineError } from "../record/error.ts";
import { shownPath } from "../record/files.ts";
import type { SnapshotId } from "../record/ids.ts";
import type { RunResult } from "./bisect/tally.ts";
import type { TriedState } from "./finding.ts";
import type { Outcome } from "./narrow/ddmin.ts";
import { runTest, type TestCommand, type TestRun } from "./scratch/run-test.ts";
import type { Scratch } from "./scratch/scratch.ts";
import type { Overlay } from "./scratch/wanted.ts";
import type { WorkspaceState } from "./states.ts";

export interface TrialGround {
  readonly files: WorkspaceFiles;
  readonly scratch: Scratch;
  readonly command: TestCommand;
  /** The folder within the workspace that the command runs in; "" for the workspace itself. */
  readonly within: string;
  readonly present: Captured;
  readonly runs: number;
}

/** Runs the test in states and in states that never were, and remembers what it said. */
export class Trials {
  readonly #ground: TrialGround;
  readonly #tried = new Map<number, TriedState>();

  constructor(ground: TrialGround) {
    this.#ground = ground;
  }

  get tried(): readonly TriedState[] {
    return [...this.#tried.values()];
  }

  /** One run of a state. */
  async state(index: number, state: WorkspaceState): Promise<RunResult> {
    const gap = await this.#gapOf(state);
    const run: TestRun =
      gap === undefined ? await this.#run(state.snapshot) : { result: "unjudged", why: gap };
    this.note(index, run);
    return run.result;
  }

  note(index: number, { result, why, start }: TestRun): void {
    const { passed, failed, unjudged } = this.#tried.get(index) ?? { passed: 0, failed: 0, unjudged: 0 };
    this.#tried.set(index, {
      state: index,
      passed: passed + (result === "pass" ? 1 : 0),
      failed: failed + (result === "fail" ? 1 : 0),
      unjudged: unjudged + (result === "unjudged" ? 1 : 0),
      ...(why === undefined ? {} : { why }),
      ...(start === undefined ? {} : { start }),
    });
  }

  /** As many runs as are asked for of a state with something else in it; "flaky": they do not agree. */
  async changed(
    snapshot: SnapshotId,
    overlay: Overlay,
  ): Promise<{ readonly outcome: Outcome | "flaky"; readonly why?: string }> {
    const results = new Set<RunResult>();
    for (let run = 0; run < this.#ground.runs; run += 1) {
      const { result, why = "" } = await this.#run(snapshot, overlay);
      if (result === "unjudged") return { outcome: "unjudged", why };
      results.add(result);
    }
    if (results.size > 1) return { outcome: "flaky" };
    return { outcome: results.has("fail") ? "red" : "green" };
  }

  async #run(snapshot: SnapshotId, overlay?: Overlay): Promise<TestRun> {
    const { scratch, command, within } = this.#ground;
    try {
      await scratch.goTo(snapshot, overlay, command.signal);
    } catch (error) {
      if (isWorldlineError(error, "CANCELLED")) throw error;
      const why = error instanceof Error ? error.message : String(error);
      return { result: "unjudged", why: `its files could not be written out: ${why}` };
    }
    await scratch.settled();
    return runTest(command, join(scratch.folder, within));
  }

  /** What is missing now too was missing when the test was green, as far as anybody knows. */
  async #gapOf({ captured, snapshot, kind }: WorkspaceState): Promise<string | undefined> {
    if (captured === "complete" || kind === "present") return undefined;
    const { files, present } = this.#ground;
    const missingNow = new Set(present.gaps.map(({ path }) => path));
    const gap = (await files.gaps(snapshot)).find(({ path }) => !missingNow.has(path));
    return gap === undefined
      ? undefined
      : `not all of its files were captured, such as ${shownPath(gap.path)}`;
  }
}
