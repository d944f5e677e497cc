import { accessSync, constants, readdirSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errnoOf } from "../../../record/error.ts";

/** All processes that a command started. */
export interface ProcessTree {
  /** The command's process group; absent to find only processes that have left it. */
  readonly group?: number;
  /** A string that is in the environment of all of them. */
  readonly mark: string;
}

const GRACE_MS = 2_000;
const LOOK_EVERY_MS = 25;

/**
 * Ends all processes: first politely, then by force after two seconds. Resolves when no process is left, or when the
 * remaining ones cannot be ended.
 */
export async function endTree(tree: ProcessTree): Promise<void> {
  if (!send(livingOf(tree), "SIGTERM")) return;
  if (await isGone(tree, () => undefined)) return;
  await isGone(tree, (living) => void send(living, "SIGKILL"));
}

/** Whether any of the processes is alive. */
export function isAlive(tree: ProcessTree): boolean {
  return livingOf(tree).length > 0;
}

/** The top-level processes, one line each, without their children. */
export function commandLines(tree: ProcessTree): readonly string[] {
  const pids = (pidsInProc() ?? []).filter((pid) => targetOf(pid, tree).length > 0);
  const known = new Set(pids);
  return pids
    .filter((pid) => !known.has(parentOf(pid)))
    .flatMap((pid) => readProc(pid, "cmdline").split("\0").join(" ").trim() || []);
}

/** Whether the process group exists, even if only of zombies. A cheap check, because usually there is none. */
export function isGroup(group: number): boolean {
  return isSignalled(-group);
}

/** Whether this program or a command of the session started the process, directly or indirectly. */
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

/** The name of a process, or its number if it has none. */
export function programOf(pid: number): string {
  return readProc(pid, "comm").trim() || String(pid);
}

/** Polls until no process is left, or until the time is up. */
async function isGone(tree: ProcessTree, onLook: (living: readonly number[]) => void): Promise<boolean> {
  for (const until = Date.now() + GRACE_MS; Date.now() < until; await sleep(LOOK_EVERY_MS)) {
    const living = livingOf(tree);
    if (living.length === 0) return true;
    onLook(living);
  }
  return false;
}

/** Signals the processes; returns whether there were any. */
function send(targets: readonly number[], signal: NodeJS.Signals): boolean {
  for (const target of targets) {
    try {
      process.kill(target, signal);
    } catch (error) {
      // The process has ended, or belongs to another user now.
      if (errnoOf(error) !== "ESRCH" && errnoOf(error) !== "EPERM") throw error;
    }
  }
  return targets.length > 0;
}

/** The living processes as arguments of `kill`: the group, negative, and each process that has left it. */
function livingOf(tree: ProcessTree): number[] {
  const { group } = tree;
  const pids = pidsInProc();
  if (pids === undefined) return group !== undefined && isSignalled(-group) ? [-group] : [];
  return [...new Set(pids.flatMap((pid) => targetOf(pid, tree)))];
}

/** Undefined on systems without /proc, where only the group can be ended. */
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

/** The process group of a living process. A zombie counts as dead, because its parent may never reap it. */
function groupOf(pid: number): number | undefined {
  const [state = "", , group] = statOf(pid);
  return state === "" || state === "Z" || state === "X" ? undefined : Number(group);
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1] ?? 0);
}

/** The state, parent, group and further fields of a process; a single empty field if the process no longer exists. */
function statOf(pid: number): readonly string[] {
  const stat = readProc(pid, "stat");
  // The program's name, in parentheses, may contain anything.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function isMarked(pid: number, mark: string): boolean {
  return readProc(pid, "environ").includes(mark);
}

function readProc(pid: number, file: "stat" | "environ" | "cmdline" | "comm"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    // The process has ended, or belongs to another user.
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

/** Set for every command, to find its processes even if they have left their process group. */
const MARK_VARIABLE = "WORLDLINE_COMMAND";

/** API keys for models: commands do not need them, and their output would put them into the log. */
const providerKey =
  /^(ANTHROPIC|CLAUDE|OPENAI|AZURE_OPENAI|MOONSHOT|KIMI|DEEPSEEK|OPENROUTER|LMSTUDIO|LM_STUDIO|OLLAMA|GEMINI|GOOGLE_GENERATIVE_AI|GROQ|MISTRAL|XAI|TOGETHER|FIREWORKS|COHERE|CEREBRAS|PERPLEXITY|DASHSCOPE|ZHIPU|WORLDLINE)(_[A-Z]+)*_(API_KEY|AUTH_TOKEN|OAUTH_TOKEN)$/i;
/** These request colors in spite of NO_COLOR. */
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

/** The environment of a command. */
export function shellEnvironment(environment: Environment, mark: string): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || providerKey.test(name) || COLORS.has(name) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(kept), ...ADDED, ...markVariable(environment, mark) };
}

/** Marks a program and everything it starts, so that they can be found even after a crash. */
export function markVariable(environment: Environment, mark: string): { readonly [MARK_VARIABLE]: string } {
  // Worldline inside Worldline: the outer one must find what the inner one left.
  const marks = [environment[MARK_VARIABLE], mark].filter((each) => each !== undefined).join(" ");
  return { [MARK_VARIABLE]: marks };
}

/** bash if it exists, otherwise sh. */
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
