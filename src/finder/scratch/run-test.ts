import { type ChildProcess, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { WorldlineError } from "../../record/error.ts";
import type { RunResult } from "../bisect/tally.ts";

/** The command that is to pass, as words: no shell is between. */
export interface TestCommand {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface TestRun {
  readonly result: RunResult;
  /** Why it says nothing of the state. */
  readonly why?: string;
  /** "failed": there is no such command, or it cannot be run. */
  readonly start?: "failed";
}

/** In the environment of a test and of all that it starts: the folder that it runs in. */
export const MARK = "WORLDLINE_FIND";

/** As `git bisect run` has it: this state cannot be tested. */
const SKIP = 125;
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
/** How long what was told to end may take, before it is ended. */
const GRACE_MS = 1_000;

/** Runs the test in a folder, with a process group of its own, of which nothing is left afterwards. */
export async function runTest(command: TestCommand, cwd: string): Promise<TestRun> {
  if (command.signal.aborted) throw cancelled();
  const there = await stat(cwd).catch(() => undefined);
  if (there?.isDirectory() !== true) return unjudged("the folder that the command runs in was not there");
  const child = spawn(command.program, command.arguments, {
    cwd,
    env: { ...command.environment, PWD: cwd, [MARK]: cwd },
    stdio: "ignore",
    detached: true,
  });
  return waitFor(child, command);
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
      child.on("error", (error: NodeJS.ErrnoException) => resolve({ error }));
      child.on("exit", (code, by) => resolve({ code, by }));
    });
    if (stopped.includes("cancelled")) throw cancelled();
    if (stopped.includes("timeout")) return unjudged(`it took longer than ${timeoutMs / 1_000} s`);
    return runOf(exit, program);
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    signal.removeEventListener("abort", cancel);
    // What the command started and left behind would go on writing to the next state.
    endGroup(child, "SIGKILL");
  }
}

type Exit =
  | { readonly error: NodeJS.ErrnoException }
  | { readonly error?: undefined; readonly code: number | null; readonly by: NodeJS.Signals | null };

function runOf(exit: Exit, program: string): TestRun {
  if (exit.error !== undefined) return notStarted(`"${program}" could not be started: ${exit.error.message}`);
  switch (exit.code) {
    case 0:
      return { result: "pass" };
    case SKIP:
      return unjudged("the command said so (exit code 125)");
    case NOT_EXECUTABLE:
    case NOT_FOUND:
      return notStarted(`the command was not found, or could not be started (exit code ${exit.code})`);
    default:
      return { result: "fail" };
  }
}

function unjudged(why: string): TestRun {
  return { result: "unjudged", why };
}

function notStarted(why: string): TestRun {
  return { ...unjudged(why), start: "failed" };
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
