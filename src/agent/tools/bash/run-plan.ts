import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter } from "node:path";
import { PassThrough, type Readable, type Writable } from "node:stream";
import type { Redirect } from "../../permissions/shell/plain-line.ts";
import type { CommandPlan, PlannedCommand, PlannedStep } from "../../permissions/unasked/plan.ts";
import { programFolders } from "../../permissions/unasked/sight.ts";
import { type Environment, shellEnvironment } from "./shell-environment.ts";

/** These change what programs do that only look. `GIT_` and whatever follows it is one of them. */
const LEFT_OUT = /^(?:GIT_.*|GREP_.*|BASH_ENV|ENV|LESSOPEN|LESSCLOSE)$/u;

export interface RunningPlan {
  /** Both outputs, as they come. */
  readonly output: Readable;
  /** The exit code of the last command that ran. */
  readonly exited: Promise<number>;
  readonly kill: () => void;
}

export interface PlanStart {
  readonly workspace: string;
  readonly environment: Environment;
  readonly mark: string;
}

/** Runs commands that only look, each by its argument vector: no shell reads a word of them. */
export function runPlan(plan: CommandPlan, start: PlanStart): RunningPlan {
  return new PlanRun(plan, start);
}

class PlanRun implements RunningPlan {
  readonly output = new PassThrough();
  readonly exited: Promise<number>;
  readonly #folder: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #children = new Set<ChildProcess>();
  #state: "runs" | "killed" = "runs";

  constructor({ folder, steps }: CommandPlan, start: PlanStart) {
    this.#folder = folder;
    this.#environment = lookEnvironment(start);
    // All commands of a pipeline print their errors into it.
    this.output.setMaxListeners(0);
    this.exited = this.#run(steps).finally(() => this.output.end());
  }

  readonly kill = (): void => {
    this.#state = "killed";
    for (const child of this.#children) child.kill("SIGKILL");
  };

  async #run(steps: readonly PlannedStep[]): Promise<number> {
    let code = 0;
    for (const { join, pipeline } of steps) {
      if (this.#state === "killed") break;
      if ((join === "&&" && code !== 0) || (join === "||" && code === 0)) continue;
      code = await this.#pipeline(pipeline);
    }
    return code;
  }

  async #pipeline(commands: readonly PlannedCommand[]): Promise<number> {
    // From the last to the first, so that each has somewhere to write to.
    let into: Writable = this.output;
    const ends: Promise<number>[] = [];
    for (const [index, command] of [...commands.entries()].reverse()) {
      const child = this.#start(command, index === 0 ? "ignore" : "pipe");
      ends.unshift(this.#ended(child, command, into));
      connect(child, command.redirects, { next: into, output: this.output });
      if (child.stdin !== null) into = child.stdin;
      // Without input it does not read what the one before it prints.
      else into = new PassThrough().resume();
    }
    return (await Promise.all(ends)).at(-1) ?? 0;
  }

  #start({ run, words, redirects }: PlannedCommand, stdin: "ignore" | "pipe"): ChildProcess {
    const { program = words[0] ?? "", args = [], environment = {} } = run ?? {};
    const outputs = outputsOf(redirects);
    const child = spawn(program, args, {
      cwd: this.#folder,
      env: { ...this.#environment, ...environment },
      stdio: [
        redirects.some(({ fd }) => fd === 0) ? "ignore" : stdin,
        outputs[1] === "null" ? "ignore" : "pipe",
        outputs[2] === "null" ? "ignore" : "pipe",
      ],
    });
    this.#children.add(child);
    return child;
  }

  #ended(child: ChildProcess, { words }: PlannedCommand, into: Writable): Promise<number> {
    return new Promise((resolve) => {
      const end = (code: number): void => {
        this.#children.delete(child);
        if (into !== this.output) into.end();
        resolve(code);
      };
      child.once("error", (error) => {
        this.output.write(`${words[0]}: ${error.message}\n`);
        end(127);
      });
      child.once("close", (code, signal) =>
        end(code ?? (signal === null ? 1 : 128 + constants.signals[signal])),
      );
    });
  }
}

type Target = "next" | "output" | "null";

/** Where each output goes. A redirection speaks of where the other one goes at that moment. */
function outputsOf(redirects: readonly Redirect[]): Readonly<Record<1 | 2, Target>> {
  const targets: Record<1 | 2, Target> = { 1: "next", 2: "output" };
  for (const { fd, to } of redirects) if (fd !== 0) targets[fd] = to === "null" ? "null" : targets[to];
  return targets;
}

function connect(
  child: ChildProcess,
  redirects: readonly Redirect[],
  streams: Readonly<Record<"next" | "output", Writable>>,
): void {
  const targets = outputsOf(redirects);
  for (const [source, target] of [
    [child.stdout, targets[1]],
    [child.stderr, targets[2]],
  ] as const) {
    if (source === null || target === "null") continue;
    const stream = streams[target];
    source.pipe(stream, { end: false });
    // `yes | head`: when the reader has gone, the writer must hear of it.
    const close = (): void => void source.destroy();
    stream.once("close", close);
    source.once("close", () => stream.off("close", close));
  }
  child.stdin?.on("error", () => child.stdin?.destroy());
}

function lookEnvironment({ workspace, environment, mark }: PlanStart): Readonly<Record<string, string>> {
  const kept = Object.entries(shellEnvironment(environment, mark)).filter(([name]) => !LEFT_OUT.test(name));
  return { ...Object.fromEntries(kept), PATH: programFolders(workspace, environment).join(delimiter) };
}
