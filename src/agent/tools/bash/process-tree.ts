import { accessSync, constants, readdirSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errnoOf } from "../../../record/error.ts";

/** Everything that a command started. */
export interface ProcessTree {
  /** Its process group; absent where only those count that have left theirs. */
  readonly group?: number;
  /** Stands in the environment of all of them. */
  readonly mark: string;
}

const GRACE_MS = 2_000;
const LOOK_EVERY_MS = 25;

/** Ends all of it: asked first, killed after two seconds. Resolves when nothing of it is left, or nothing will end it. */
export async function endTree(tree: ProcessTree): Promise<void> {
  if (!send(livingOf(tree), "SIGTERM")) return;
  if (await isGone(tree, () => undefined)) return;
  await isGone(tree, (living) => void send(living, "SIGKILL"));
}

/** Whether something of it lives. */
export function isAlive(tree: ProcessTree): boolean {
  return livingOf(tree).length > 0;
}

/** What was started, in a line each; what those started themselves is not named again. */
export function commandLines(tree: ProcessTree): readonly string[] {
  const pids = (pidsInProc() ?? []).filter((pid) => targetOf(pid, tree).length > 0);
  const known = new Set(pids);
  return pids
    .filter((pid) => !known.has(parentOf(pid)))
    .flatMap((pid) => readProc(pid, "cmdline").split("\0").join(" ").trim() || []);
}

/** Whether there is such a process group at all; one of zombies counts. Cheap, where usually there is none. */
export function isGroup(group: number): boolean {
  return isSignalled(-group);
}

/** Whether this program started it, or a command of the session did, however far it has gone from there. */
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

/** What a process calls itself; its number where it says nothing. */
export function programOf(pid: number): string {
  return readProc(pid, "comm").trim() || String(pid);
}

/** Looks until nothing is left, or the time is over. */
async function isGone(tree: ProcessTree, onLook: (living: readonly number[]) => void): Promise<boolean> {
  for (const until = Date.now() + GRACE_MS; Date.now() < until; await sleep(LOOK_EVERY_MS)) {
    const living = livingOf(tree);
    if (living.length === 0) return true;
    onLook(living);
  }
  return false;
}

/** Whether there was anybody to send it to. */
function send(targets: readonly number[], signal: NodeJS.Signals): boolean {
  for (const target of targets) {
    try {
      process.kill(target, signal);
    } catch (error) {
      // It has ended meanwhile, or has become another user's, whom only they can end.
      if (errnoOf(error) !== "ESRCH" && errnoOf(error) !== "EPERM") throw error;
    }
  }
  return targets.length > 0;
}

/** As `kill` takes them: the group, negative, and each process that has left it. */
function livingOf(tree: ProcessTree): number[] {
  const { group } = tree;
  const pids = pidsInProc();
  if (pids === undefined) return group !== undefined && isSignalled(-group) ? [-group] : [];
  return [...new Set(pids.flatMap((pid) => targetOf(pid, tree)))];
}

/** Undefined where the system does not list them there: then only the group can be ended. */
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

/** The process group of a living process. A zombie is dead: whoever should have reaped it may never do so. */
function groupOf(pid: number): number | undefined {
  const [state = "", , group] = statOf(pid);
  return state === "" || state === "Z" || state === "X" ? undefined : Number(group);
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1] ?? 0);
}

/** Its state, its parent, its group and more; one empty field where it is gone. */
function statOf(pid: number): readonly string[] {
  const stat = readProc(pid, "stat");
  // The program's name, in parentheses, may hold anything.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function isMarked(pid: number, mark: string): boolean {
  return readProc(pid, "environ").includes(mark);
}

function readProc(pid: number, file: "stat" | "environ" | "cmdline" | "comm"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    // It has ended, or is another user's.
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

/** In the environment of every command: by it those are found that have left their process group. */
const MARK_VARIABLE = "WORLDLINE_COMMAND";

/** Keys that pay for models: a command has no business with them, and its output would put them into the log. */
const providerKey =
  /^(ANTHROPIC|CLAUDE|OPENAI|AZURE_OPENAI|MOONSHOT|KIMI|DEEPSEEK|OPENROUTER|LMSTUDIO|LM_STUDIO|OLLAMA|GEMINI|GOOGLE_GENERATIVE_AI|GROQ|MISTRAL|XAI|TOGETHER|FIREWORKS|COHERE|CEREBRAS|PERPLEXITY|DASHSCOPE|ZHIPU|WORLDLINE)(_[A-Z]+)*_(API_KEY|AUTH_TOKEN|OAUTH_TOKEN)$/i;
/** They would ask for colours in spite of NO_COLOR. */
const COLOURS = new Set(["FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM"]);

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

/** What a command finds in its environment. */
export function shellEnvironment(environment: Environment, mark: string): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || providerKey.test(name) || COLOURS.has(name) ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(kept), ...ADDED, ...markVariable(environment, mark) };
}

/** By which a program, and all that it starts, is found when nobody else knows of it any more. */
export function markVariable(environment: Environment, mark: string): { readonly [MARK_VARIABLE]: string } {
  // Worldline inside of Worldline: the outer one must find what the inner one left.
  const marks = [environment[MARK_VARIABLE], mark].filter((each) => each !== undefined).join(" ");
  return { [MARK_VARIABLE]: marks };
}

/** bash where there is one, else sh. */
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
