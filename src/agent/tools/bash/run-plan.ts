import { type ChildProcess, spawn } from "node:child_process";
import { realpath } from "node:fs/promises";
import { constants } from "node:os";
import { delimiter, isAbsolute } from "node:path";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { userHome } from "../../../disk/folders.ts";
import { type SeenCommand, seeCommand } from "../../permissions/commands.ts";
import {
  isInside,
  type NamedPath,
  type PathContext,
  pathsNamed,
  protectedPart,
} from "../../permissions/places.ts";
import type { Subject } from "../../permissions/rules.ts";
import { loadGrammar, type Redirect } from "../../permissions/shell/plain-line.ts";
import {
  type CommandPlan,
  onlyLooks,
  type PlannedCommand,
  type PlannedStep,
  planCommand,
} from "../../permissions/unasked/plan.ts";
import { diskSight, programFolders } from "../../permissions/unasked/sight.ts";
import { placeOf } from "../files.ts";
import { type Environment, shellEnvironment } from "./process-tree.ts";

/** These change what programs do that only look. `GIT_` and whatever follows it is one of them. */
const LEFT_OUT = /^(?:GIT_.*|GREP_.*|BASH_ENV|ENV|LESSOPEN|LESSCLOSE)$/u;

interface RunningPlan {
  /** Both outputs, as they come. */
  readonly output: Readable;
  /** The exit code of the last command that ran. */
  readonly exited: Promise<number>;
  readonly kill: () => void;
}

interface PlanStart {
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

/** Each one costs some calls of the system, and no honest command names more. */
const MAX_PATHS = 2_000;

interface CommandContext {
  /** Its real path. */
  readonly workspace: string;
  readonly environment: Environment;
  /** Where the command begins; by default the workspace. */
  readonly folder?: string;
}

type PathSubject = Extract<Subject, { kind: "path" }>;

/** What a command is about: itself, with what it runs word for word where that can be said, and where the links lead that it names. */
export async function commandSubjects(
  pathContext: CommandContext,
  command: string,
): Promise<readonly Subject[]> {
  const plan = await planFor(pathContext, command);
  const ledTo = await placesLedTo(
    { workspace: pathContext.workspace, home: userHome() },
    seeCommand(command, plan),
  );
  return [...ledTo, { kind: "command", command, ...(plan === undefined ? {} : { plan }) }];
}

/** What the command runs, word for word; undefined where only a shell can say. */
export async function planFor(
  { workspace, environment, folder }: CommandContext,
  command: string,
): Promise<CommandPlan | undefined> {
  await loadGrammar();
  const pathContext = { workspace, home: userHome(), ...(folder === undefined ? {} : { folder }) };
  return planCommand(command, pathContext, diskSight(workspace, environment));
}

/**
 * Where the links lead that a command names inside the workspace: to whoever only reads the command, `cat link` names a file
 * of the workspace, whatever it will really open. What stands in the place of the program is left out: the interpreter of a
 * project is often a link to one of the system's.
 */
async function placesLedTo(pathContext: PathContext, command: SeenCommand): Promise<readonly PathSubject[]> {
  const subjects = new Map<string, PathSubject>();
  const add = (path: string, access: PathSubject["access"]): void => {
    subjects.set(`${access} ${path}`, { kind: "path", path, access });
  };
  const named = namedInside(pathContext, command);
  // What was not followed may lead anywhere.
  if (named.length > MAX_PATHS) add("/", "read");
  for (const { word, path, use } of named.slice(0, MAX_PATHS)) {
    const place = await realPlace(pathContext.workspace, word, path);
    if (place === path) continue;
    const isWritten = use === "redirected" || protectedPart(pathContext, place) !== undefined;
    add(place, "read");
    if (isWritten && use !== "looked at") add(place, "write");
  }
  for (const place of placesElsewhere(pathContext, command)) add(place, "read");
  return [...subjects.values()];
}

/** After `cd`, what the words of a command name is not what they name from the workspace on. */
function placesElsewhere({ workspace }: PathContext, { plan }: SeenCommand): readonly string[] {
  if (plan === undefined || plan.folder === workspace) return [];
  return plan.steps.flatMap(({ pipeline }) => pipeline.flatMap(({ places }) => places));
}

interface InsidePath extends Pick<Required<NamedPath>, "word" | "path"> {
  readonly use: "looked at" | "named" | "redirected";
}

/** The paths outside are asked about anyway. */
function namedInside(pathContext: PathContext, { every, plan }: SeenCommand): readonly InsidePath[] {
  const use = onlyLooks(plan) ? "looked at" : "named";
  const byKey = new Map<string, InsidePath>();
  const note = (words: readonly string[], as: InsidePath["use"]): void => {
    for (const { word, path } of pathsNamed(pathContext, ["", ...words])) {
      if (path === undefined || path === pathContext.workspace || !isInside(pathContext, path)) continue;
      byKey.set(`${as}\0${word}\0${path}`, { word, path, use: as });
    }
  };
  for (const { words, files } of every) {
    note(words.slice(1), use);
    note(files, "redirected");
    if (byKey.size > MAX_PATHS) break;
  }
  return [...byKey.values()];
}

async function realPlace(workspace: string, word: string, path: string): Promise<string> {
  const place = await placeOf(workspace, path);
  if (place !== path || !word.split("/").includes("..")) return place;
  try {
    // To the system, `link/..` is above where the link leads, and not where it stands.
    return await realpath(isAbsolute(word) ? word : `${workspace}/${word}`);
  } catch {
    return place;
  }
}
