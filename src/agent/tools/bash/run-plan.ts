import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter } from "node:path";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { userHome } from "../../../disk/folders.ts";
import { type SeenCommand, seeCommand } from "../../permissions/commands.ts";
import {
  isInside,
  isUpward,
  joinLiterally,
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
import { placeOf, realPlaceOf } from "../files.ts";
import { type Environment, shellEnvironment } from "./process-tree.ts";

/** Variables that change what read-only programs do, including all variables whose names start with `GIT_`. */
const LEFT_OUT = /^(?:GIT_.*|GREP_.*|BASH_ENV|ENV|LESSOPEN|LESSCLOSE)$/u;

/** The exit code that shells use for a command that cannot be started. */
const NOT_STARTED = 126;

interface RunningPlan {
  /** Standard output and standard error, as they arrive. */
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

/** Runs read-only commands directly from their argument vectors, so that no shell interprets their words. */
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
    // All commands in a pipeline write their errors to the same output.
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
    // The commands are started from last to first, so that each has a stream to write to.
    let into: Writable = this.output;
    const ends: Promise<number>[] = [];
    for (const [index, command] of [...commands.entries()].reverse()) {
      const child = this.#start(command, index === 0 ? "ignore" : "pipe");
      if (child === undefined) {
        // The rest of the pipeline gets no input.
        if (into !== this.output) into.end();
        await Promise.all(ends);
        return NOT_STARTED;
      }
      ends.unshift(this.#ended(child, command, into));
      connect(child, command.redirects, { next: into, output: this.output });
      if (child.stdin !== null) into = child.stdin;
      // A command without input does not read the previous command's output.
      else into = new PassThrough().resume();
    }
    return (await Promise.all(ends)).at(-1) ?? 0;
  }

  #start({ run, words, redirects }: PlannedCommand, stdin: "ignore" | "pipe"): ChildProcess | undefined {
    const { program = words[0] ?? "", args = [], environment = {} } = run ?? {};
    const outputs = outputsOf(redirects);
    try {
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
    } catch (error) {
      // Node emits the most common errors, and throws the others, such as ENOTDIR.
      this.output.write(`${words[0]}: ${error instanceof Error ? error.message : String(error)}\n`);
      return undefined;
    }
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

/** Returns the target of each output. As in a shell, `2>&1` and `1>&2` use the current target of the other output. */
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
    // In a pipeline such as `yes | head`, the writer must notice when the reader exits.
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

/**
 * Maximum number of paths to resolve. Resolving a path takes several system calls, and no ordinary command names more
 * paths than this.
 */
const MAX_PATHS = 2_000;

interface CommandContext {
  /** The real path of the workspace. */
  readonly workspace: string;
  readonly environment: Environment;
  /** The folder where the command starts. The default is the workspace. */
  readonly folder?: string;
}

type PathSubject = Extract<Subject, { kind: "path" }>;

/**
 * Returns the subjects of a command: the command itself, with its plan if there is one, and the targets of the links
 * that it names.
 */
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

/** Returns exactly what the command runs, or undefined if only a shell can determine this. */
export async function planFor(
  { workspace, environment, folder }: CommandContext,
  command: string,
): Promise<CommandPlan | undefined> {
  await loadGrammar();
  const pathContext = { workspace, home: userHome(), ...(folder === undefined ? {} : { folder }) };
  return planCommand(command, pathContext, diskSight(workspace, environment));
}

/**
 * Returns the targets of links inside the workspace that a command names. Without these targets, `cat link` would look
 * as if it read a file in the workspace, regardless of which file it opens. The program itself is omitted, because a
 * project's interpreter is often a link to the system's interpreter.
 */
async function placesLedTo(pathContext: PathContext, command: SeenCommand): Promise<readonly PathSubject[]> {
  const subjects = new Map<string, PathSubject>();
  const add = (path: string, access: PathSubject["access"]): void => {
    subjects.set(`${access} ${path}`, { kind: "path", path, access });
  };
  const named = namedInside(pathContext, command);
  // The paths beyond the limit are not examined, so they could lead anywhere.
  if (named.length > MAX_PATHS) add("/", "read");
  for (const { piece, path, use } of named.slice(0, MAX_PATHS)) {
    const place = await realPlace(pathContext, { piece, path });
    if (place === path) continue;
    const isWritten = use === "redirected" || protectedPart(pathContext, place) !== undefined;
    add(place, "read");
    if (isWritten && use !== "looked-at") add(place, "write");
  }
  for (const place of placesElsewhere(pathContext, command)) add(place, "read");
  return [...subjects.values()];
}

/**
 * Returns the real paths that a command names if it does not run in the workspace folder. After `cd`, the words of a
 * command are no longer relative to the workspace.
 */
function placesElsewhere({ workspace }: PathContext, { plan }: SeenCommand): readonly string[] {
  if (plan === undefined || plan.folder === workspace) return [];
  return plan.steps.flatMap(({ pipeline }) => pipeline.flatMap(({ places }) => places));
}

interface InsidePath extends Pick<Required<NamedPath>, "piece" | "path"> {
  readonly use: "looked-at" | "named" | "redirected";
}

/** Returns the paths inside the workspace that a command names. Paths outside the workspace need permission anyway. */
function namedInside(pathContext: PathContext, { every, plan }: SeenCommand): readonly InsidePath[] {
  const use = onlyLooks(plan) ? "looked-at" : "named";
  const byKey = new Map<string, InsidePath>();
  const note = (words: readonly string[], as: InsidePath["use"]): void => {
    for (const { piece, path } of pathsNamed(pathContext, ["", ...words])) {
      if (path === undefined || !isInside(pathContext, path)) continue;
      if (path === pathContext.workspace && !isUpward(piece)) continue;
      byKey.set(`${as}\0${piece}\0${path}`, { piece, path, use: as });
    }
  };
  for (const { words, files } of every) {
    note(words.slice(1), use);
    note(files, "redirected");
    if (byKey.size > MAX_PATHS) break;
  }
  return [...byKey.values()];
}

async function realPlace(
  { workspace, home }: PathContext,
  { piece, path }: Pick<InsidePath, "piece" | "path">,
): Promise<string> {
  if (!isUpward(piece)) return placeOf(workspace, path);
  return realPlaceOf(piece.startsWith("~/") ? `${home}${piece.slice(1)}` : joinLiterally(workspace, piece));
}
