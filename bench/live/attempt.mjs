import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { start } from "../context/worldline.mjs";
import { withFolder } from "./folder.mjs";
import { judge, writeProject } from "./project.mjs";
import { promptOf } from "./tasks.mjs";

export const maxSteps = 30;
const PATIENCE_MS = 5000;

/**
 * Runs one turn of the agent on a fresh copy of a task's project, and reports whether it solved the task.
 * @param {import("./tasks.mjs").Task} task
 * @param {{ model: string, backtrack: "on" | "off", signal: AbortSignal }} how
 */
export async function attempt(task, { model, backtrack, signal }) {
  return withFolder(async (root) => {
    const workspace = join(root, "workspace");
    mkdirSync(workspace);
    writeProject(workspace, task);
    const started = performance.now();
    const { code, stdout, stderr } = await turn(argumentsFor({ task, model, backtrack, workspace }), {
      cwd: workspace,
      env: environmentFor(root),
      signal,
    });
    signal.throwIfAborted();
    const seconds = (performance.now() - started) / 1000;
    const end = documentIn(stdout);
    if (end?.session === undefined) throw new Error(`worldline ended with ${code}:\n${stdout}${stderr}`);
    const { outcome, steps, backtracks, usage, cost, error } = end;
    const failed = error === null ? {} : { error: { code: error.code, message: error.message } };
    return {
      task: task.name,
      backtrack,
      solved: await judge(workspace, task),
      outcome,
      steps,
      backtracks,
      usage,
      cost,
      seconds,
      ...failed,
    };
  });
}

function argumentsFor({ task, model, backtrack, workspace }) {
  return [
    ...["-p", promptOf(task), "--workspace", workspace, "--model", model, "--output-format", "json"],
    // A real model on a user's machine may only edit the project and run its test.
    ...[
      "--permission-mode",
      "accept-edits",
      "--allow",
      "Bash(node test.mjs)",
      "--max-steps",
      String(maxSteps),
    ],
    ...["--setting", `backtrack.enabled=${backtrack}`],
  ];
}

/**
 * The user's environment, because it holds the API keys. Sessions and settings are stored in a temporary home,
 * which is removed with the folder.
 */
export function environmentFor(root) {
  const home = join(root, "home");
  mkdirSync(home, { recursive: true });
  return { ...process.env, HOME: home, WORLDLINE_HOME: join(home, ".worldline") };
}

/** Runs one turn. An interrupt is first passed on to the agent, so that it can stop its tools. */
async function turn(args, { cwd, env, signal }) {
  const { child, kill, ended } = start(args, { cwd, env });
  const interrupt = () => {
    child.kill("SIGINT");
    wait(PATIENCE_MS, undefined, { ref: false }).then(() => kill(), kill);
  };
  signal.addEventListener("abort", interrupt, { once: true });
  if (signal.aborted) interrupt();
  try {
    return await ended;
  } finally {
    signal.removeEventListener("abort", interrupt);
  }
}

function documentIn(stdout) {
  try {
    return JSON.parse(stdout);
  } catch {
    // The program ended before it could print a document; the caller shows what it printed.
    return undefined;
  }
}
