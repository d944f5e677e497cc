import { accessSync, constants, readdirSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errnoOf } from "../../../record/error.ts";

/** All processes that a command started. */
export interface ProcessTree {
  /** The command's process group. If absent, only processes that have left the group are found. */
  readonly group?: number;
  /** A string that each process has in its environment. */
  readonly mark: string;
}

const GRACE_MS = 2_000;
const LOOK_EVERY_MS = 25;

/**
 * Terminates all processes, first with SIGTERM, and after two seconds with SIGKILL. Resolves when no process is left,
 * or when the remaining ones cannot be terminated.
 */
export async function endTree(tree: ProcessTree): Promise<void> {
  if (!send(livingOf(tree), "SIGTERM")) return;
  if (await isGone(tree, () => undefined)) return;
  await isGone(tree, (living) => void send(living, "SIGKILL"));
}

/** Checks whether any of the processes is alive. */
export function isAlive(tree: ProcessTree): boolean {
  return livingOf(tree).length > 0;
}

/** Returns the top-level processes, one line each, without their children. */
export function commandLines(tree: ProcessTree): readonly string[] {
  const pids = (pidsInProc() ?? []).filter((pid) => targetOf(pid, tree).length > 0);
  const known = new Set(pids);
  return pids
    .filter((pid) => !known.has(parentOf(pid)))
    .flatMap((pid) => readProc(pid, "cmdline").split("\0").join(" ").trim() || []);
}

/**
 * Checks whether the process group exists, even if it contains only zombies. The check is cheap, because there is
 * usually no such group.
 */
export function isGroup(group: number): boolean {
  return isSignalled(-group);
}

/** Checks whether this program or a command of the session started the process, directly or indirectly. */
export function isOurs(pid: number, session: string): boolean {
  if (
    readProc(pid, "environ")
      .split("\0")
      .some((each) => each.startsWith("WORLDLINE_COMMAND=") && each.includes(session))
  )
    return true;
  for (let at = pid; at > 1; at = parentOf(at)) if (at === process.pid) return true;
  return false;
}

/** Returns the name of a process, or its process id if it has no name. */
export function programOf(pid: number): string {
  return readProc(pid, "comm").trim() || String(pid);
}

/** Polls until no process is left or the time is up. Returns whether all processes are gone. */
async function isGone(tree: ProcessTree, onLook: (living: readonly number[]) => void): Promise<boolean> {
  for (const until = Date.now() + GRACE_MS; Date.now() < until; await sleep(LOOK_EVERY_MS)) {
    const living = livingOf(tree);
    if (living.length === 0) return true;
    onLook(living);
  }
  return false;
}

/** Sends a signal to the processes. Returns whether there were any processes. */
function send(targets: readonly number[], signal: NodeJS.Signals): boolean {
  for (const target of targets) {
    try {
      process.kill(target, signal);
    } catch (error) {
      // The process has exited, or its id now belongs to another user's process.
      if (errnoOf(error) !== "ESRCH" && errnoOf(error) !== "EPERM") throw error;
    }
  }
  return targets.length > 0;
}

/**
 * Returns the living processes as arguments for `kill`: the group as a negative number, and each process that has left
 * it.
 */
function livingOf(tree: ProcessTree): number[] {
  const { group } = tree;
  const pids = pidsInProc();
  if (pids === undefined) return group !== undefined && isSignalled(-group) ? [-group] : [];
  return [...new Set(pids.flatMap((pid) => targetOf(pid, tree)))];
}

/** Returns the ids of all processes, or undefined on systems without /proc, where only the group can be ended. */
export function pidsInProc(): number[] | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return undefined;
  }
}

function targetOf(pid: number, { group, mark }: ProcessTree): number[] {
  const found = groupOf(pid);
  if (found === undefined || pid === process.pid) return [];
  if (found === group) return [-group];
  return isMarked(pid, mark) ? [pid] : [];
}

/** Returns the process group of a living process. A zombie counts as dead, because its parent may never reap it. */
function groupOf(pid: number): number | undefined {
  const [state = "", , group] = statOf(pid);
  return state === "" || state === "Z" || state === "X" ? undefined : Number(group);
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1] ?? 0);
}

/**
 * Returns the state, parent, group and other fields of a process, or a single empty field if the process no longer
 * exists.
 */
function statOf(pid: number): readonly string[] {
  const stat = readProc(pid, "stat");
  // The program's name is in parentheses and may contain any characters.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function isMarked(pid: number, mark: string): boolean {
  return readProc(pid, "environ").includes(mark);
}

function readProc(pid: number, file: "stat" | "environ" | "cmdline" | "comm"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    // The process has exited, or belongs to another user.
    return "";
  }
}

function isSignalled(target: number): boolean {
  try {
    process.kill(target, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variable set for every command, so that its processes can be found even if they have left their process group. */
const MARK_VARIABLE = "WORLDLINE_COMMAND";

/**
 * Names of variables with API keys for models. Commands do not need these keys, and could print them, which would put
 * them into the log.
 */
const providerKey =
  /^(ANTHROPIC|CLAUDE|OPENAI|AZURE_OPENAI|MOONSHOT|KIMI|DEEPSEEK|OPENROUTER|LMSTUDIO|LM_STUDIO|OLLAMA|GEMINI|GOOGLE_GENERATIVE_AI|GROQ|MISTRAL|XAI|TOGETHER|FIREWORKS|COHERE|CEREBRAS|PERPLEXITY|DASHSCOPE|ZHIPU|WORLDLINE)(_[A-Z]+)*_(API_KEY|AUTH_TOKEN|OAUTH_TOKEN)$/i;
/** Variables that request colors despite NO_COLOR. */
const COLORS = new Set(["FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM"]);

const ADDED: Readonly<Record<string, string>> = {
  WORLDLINE: "1",
  NO_COLOR: "1",
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
};

export function withoutVariables(environment: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.includes(name)));
}

/** Returns the environment for a command. */
export function shellEnvironment(environment: Environment, mark: string): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || providerKey.test(name) || COLORS.has(name) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(kept), ...ADDED, ...markVariable(environment, mark) };
}

/** Returns the variable that marks a program and everything it starts, so that they can be found even after a crash. */
export function markVariable(environment: Environment, mark: string): { readonly [MARK_VARIABLE]: string } {
  // Worldline may run inside Worldline. The outer instance must find processes that the inner one left running.
  const marks = [environment[MARK_VARIABLE], mark].filter((each) => each !== undefined).join(" ");
  return { [MARK_VARIABLE]: marks };
}

/** Returns the path of bash if it exists, otherwise the path of sh. */
export function shellIn(environment: Environment): string {
  const folders = ["/bin", "/usr/bin", ...(environment["PATH"] ?? "").split(delimiter)];
  const bash = folders.filter((folder) => folder.startsWith("/")).map((folder) => join(folder, "bash"));
  return bash.find(isProgram) ?? "/bin/sh";
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
