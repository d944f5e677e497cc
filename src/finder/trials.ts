import { type ChildProcess, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Captured, WorkspaceFiles } from "../ports/workspace-files.ts";
import { isWorldlineError, problemOf, WorldlineError } from "../record/error.ts";
import type { SnapshotId } from "../record/ids.ts";
import type { RunResult } from "./bisect.ts";
import type { TriedState, Unjudged } from "./finding.ts";
import type { Outcome } from "./narrow/ddmin.ts";
import type { Overlay, Scratch } from "./scratch/scratch.ts";
import type { WorkspaceState } from "./states.ts";

/** The test command, split into words. No shell is involved. */
export interface TestCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type TestRun =
  | { readonly result: Exclude<RunResult, "unjudged"> }
  | { readonly result: "unjudged"; readonly why: Unjudged };

/**
 * The environment variable that contains the folder that a test runs in. The test and all its child processes receive
 * it.
 */
export const MARK = "WORLDLINE_FIND";

/** The exit code for a state that cannot be tested. `git bisect run` uses the same code. */
const SKIP = 125;
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
/** How long a process may take to end after SIGTERM, before SIGKILL. */
const GRACE_MS = 1_000;

/** Runs the test in a folder, in a separate process group that is killed afterward. */
export async function runTest(command: TestCommand, cwd: string): Promise<TestRun> {
  if (command.signal.aborted) throw cancelled();
  const there = await stat(cwd).catch(() => undefined);
  if (there?.isDirectory() !== true) return unjudged({ code: "folder-missing" });
  const child = start(command, cwd);
  return child instanceof Error ? runOf({ error: child }, command.program) : waitFor(child, command);
}

/** Starts the test. Node emits the most common errors, and throws the others, such as ENOTDIR. */
function start({ program, arguments: words, environment }: TestCommand, cwd: string): ChildProcess | Error {
  try {
    return spawn(program, words, {
      cwd,
      env: { ...environment, PWD: cwd, [MARK]: cwd },
      stdio: "ignore",
      detached: true,
    });
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

async function waitFor(child: ChildProcess, { program, timeoutMs, signal }: TestCommand): Promise<TestRun> {
  const stopped: ("timeout" | "cancelled")[] = [];
  const stop = (why: "timeout" | "cancelled"): void => {
    stopped.push(why);
    endGroup(child, "SIGTERM");
    grace = setTimeout(() => endGroup(child, "SIGKILL"), GRACE_MS);
  };
  let grace: NodeJS.Timeout | undefined;
  const timer = setTimeout(() => stop("timeout"), timeoutMs);
  const cancel = (): void => stop("cancelled");
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const exit = await new Promise<Exit>((resolve) => {
      child.on("error", (error) => resolve({ error }));
      child.on("exit", (code, by) => resolve({ code, by }));
    });
    if (stopped.includes("cancelled")) throw cancelled();
    if (stopped.includes("timeout")) return unjudged({ code: "timeout", seconds: timeoutMs / 1_000 });
    return runOf(exit, program);
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    signal.removeEventListener("abort", cancel);
    // Processes that the command left running could write to the next state's files.
    endGroup(child, "SIGKILL");
  }
}

type Exit =
  | { readonly error: Error }
  | { readonly error?: undefined; readonly code: number | null; readonly by: NodeJS.Signals | null };

function runOf(exit: Exit, program: string): TestRun {
  if (exit.error !== undefined)
    return unjudged({ code: "not-started", program, problem: exit.error.message });
  switch (exit.code) {
    case 0:
      return { result: "pass" };
    case SKIP:
      return unjudged({ code: "skipped" });
    case NOT_EXECUTABLE:
    case NOT_FOUND:
      return unjudged({ code: "not-runnable", exit: exit.code });
    default:
      return { result: "fail" };
  }
}

function unjudged(why: Unjudged): TestRun {
  return { result: "unjudged", why };
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group has ended.
  }
}

export function cancelled(): WorldlineError {
  return new WorldlineError("find-cancelled", {});
}

interface TrialOptions {
  readonly files: WorkspaceFiles;
  readonly scratch: Scratch;
  readonly command: TestCommand;
  /** The folder within the workspace where the command runs, or "" for the workspace itself. */
  readonly within: string;
  readonly present: Captured;
  readonly runs: number;
}

/** Runs the test in real and hypothetical states, and stores the results. */
export class Trials {
  readonly #options: TrialOptions;
  readonly #tried = new Map<number, TriedState>();

  constructor(options: TrialOptions) {
    this.#options = options;
  }

  get tried(): readonly TriedState[] {
    return [...this.#tried.values()];
  }

  /** Runs the test once in a state. */
  async state(index: number, state: WorkspaceState): Promise<RunResult> {
    const gap = await this.#gapOf(state);
    const run = gap === undefined ? await this.#run(state.snapshot) : unjudged(gap);
    this.note(index, run);
    return run.result;
  }

  note(index: number, run: TestRun): void {
    const { result } = run;
    const { passed, failed, unjudged } = this.#tried.get(index) ?? { passed: 0, failed: 0, unjudged: 0 };
    this.#tried.set(index, {
      state: index,
      passed: passed + (result === "pass" ? 1 : 0),
      failed: failed + (result === "fail" ? 1 : 0),
      unjudged: unjudged + (result === "unjudged" ? 1 : 0),
      ...(run.result === "unjudged" ? { why: run.why } : {}),
    });
  }

  /**
   * Runs the test in a hypothetical state as many times as configured. The outcome is "flaky" if the results differ.
   */
  async changed(
    snapshot: SnapshotId,
    overlay: Overlay,
  ): Promise<
    | { readonly outcome: Exclude<Outcome, "unjudged"> | "flaky" }
    | { readonly outcome: "unjudged"; readonly why: Unjudged }
  > {
    const results = new Set<RunResult>();
    for (let run = 0; run < this.#options.runs; run += 1) {
      const tried = await this.#run(snapshot, overlay);
      if (tried.result === "unjudged") return { outcome: "unjudged", why: tried.why };
      results.add(tried.result);
    }
    if (results.size > 1) return { outcome: "flaky" };
    return { outcome: results.has("fail") ? "red" : "green" };
  }

  async #run(snapshot: SnapshotId, overlay?: Overlay): Promise<TestRun> {
    const { scratch, command, within } = this.#options;
    try {
      await scratch.goTo(snapshot, overlay, command.signal);
    } catch (error) {
      if (isWorldlineError(error, "CANCELLED")) throw error;
      return unjudged({ code: "files-unwritten", problem: problemOf(error) });
    }
    await scratch.settled();
    return runTest(command, join(scratch.folder, within));
  }

  /**
   * Returns why a state's captured files are not enough to judge the state, or undefined if they are enough. A file
   * that is also missing now was probably missing when the test was green.
   */
  async #gapOf({ captured, snapshot, kind }: WorkspaceState): Promise<Unjudged | undefined> {
    if (captured === "complete" || kind === "present") return undefined;
    const { files, present } = this.#options;
    const missingNow = new Set(present.gaps.map(({ path }) => path));
    const gap = (await files.gaps(snapshot)).find(({ path }) => !missingNow.has(path));
    return gap === undefined ? undefined : { code: "files-uncaptured", path: gap.path };
  }
}
