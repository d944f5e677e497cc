import { spawn } from "node:child_process";

/**
 * Runs git and resolves with its exit code, standard output and standard error; the caller decides what a failure
 * means.
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, stdin?: string }} options
 * @returns {Promise<{ code: number, text: string, complaint: string }>}
 */
export function runGit(args, { cwd, env = process.env, stdin }) {
  return new Promise((resolve, reject) => {
    const child = spawn("git", args, {
      cwd,
      env,
      stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    const out = [];
    const complaints = [];
    child.stdout.on("data", (bytes) => out.push(bytes));
    child.stderr.on("data", (bytes) => complaints.push(bytes));
    child.on("error", reject);
    child.on("close", (code) =>
      resolve({ code, text: Buffer.concat(out).toString(), complaint: Buffer.concat(complaints).toString() }),
    );
    child.stdin?.end(stdin);
  });
}

/** Runs git commands that must succeed; resolves with their output, trimmed. */
export async function git(args, options) {
  const { code, text, complaint } = await runGit(args, options);
  if (code !== 0)
    throw new Error(`git ${args.slice(0, 6).join(" ")} ended with ${code}: ${complaint.trim()}`);
  return text.trim();
}

/** Splits git output in which each part ends with a zero byte. */
export const listed = (text) => text.split("\0").filter((part) => part !== "");
