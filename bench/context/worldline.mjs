import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { binary } from "./built.mjs";

/**
 * An environment without the user's keys, settings and sessions.
 * @param {string} root
 * @param {Readonly<Record<string, string>>} more
 */
export function environmentIn(root, more) {
  const home = join(root, "home");
  mkdirSync(home, { recursive: true });
  return { PATH: process.env["PATH"], HOME: home, WORLDLINE_HOME: join(home, ".worldline"), ...more };
}

/**
 * Starts the built command line.
 * @param {readonly string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} where
 */
export function start(args, { cwd, env }) {
  // The child gets its own process group, so that stopping the benchmark also stops the commands of its
  // tools.
  const child = spawn(process.execPath, [binary, ...args], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const kill = (signal = "SIGKILL") => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // The process has already ended.
    }
  };
  process.prependListener("exit", kill);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      process.off("exit", kill);
      resolve({ code, signal, stdout, stderr });
    });
  });
  return { child, kill, ended, said: () => stdout };
}

/** Runs the command line to its end and returns the JSON document that it printed. */
export async function runJson(args, where) {
  const { code, stdout, stderr } = await start([...args, "--output-format", "json"], where).ended;
  try {
    return { code, stderr, document: JSON.parse(stdout) };
  } catch (cause) {
    throw new Error(`worldline ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`, { cause });
  }
}
