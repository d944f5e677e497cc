import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Returns the path of a command that npm installed for this project. Running it with `npx` would take half a second
 * longer each time.
 * @param {string} name
 */
export function installed(name) {
  return join(root, "node_modules", ".bin", name);
}

/**
 * Runs a command in the project's folder. Never throws: for a command that cannot start, the exit code is 127.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, show?: "live" | "collect", as?: { uid: number, gid: number } }}
 * [how]   `live` lets the command write to our terminal, `collect` returns its output.
 * @returns {Promise<{ code: number, stdout: string, output: string }>} `output` is stdout and stderr in order.
 */
export function run(command, args, { env = process.env, cwd = root, show = "live", as } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env,
      ...as,
      stdio: show === "live" ? "inherit" : ["ignore", "pipe", "pipe"],
      // On Windows, npm installs .cmd files, which only a shell can start.
      shell: process.platform === "win32",
    });
    let stdout = "";
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (text) => {
      stdout += text;
      output += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
    child.on("error", (error) => resolve({ code: 127, stdout, output: `${output}${error.message}\n` }));
    child.on("close", (code) => resolve({ code: code ?? 1, stdout, output }));
  });
}

/**
 * Whether this module was started as a script, and not imported by another module.
 * @param {string} moduleUrl
 */
export function isStarted(moduleUrl) {
  return process.argv[1] !== undefined && fileURLToPath(moduleUrl) === process.argv[1];
}
