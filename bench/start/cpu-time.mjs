import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * The CPU milliseconds, user and system, of a program from start to end.
 * @param {readonly string[]} command
 * @param {{ cwd: string, env: Record<string, string> }} place
 */
export async function cpuOfRun(command, place) {
  // The shell asks the system for its child's CPU time, in milliseconds; Node does not report it.
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null';
  const { stderr } = await run("bash", ["-c", script, "bash", ...command], place);
  const [user, system] = stderr.trim().split("\n").at(-1).split(" ").map(Number);
  return Math.round((user + system) * 1000);
}

/**
 * The CPU milliseconds that a running process and all its running children have used until now. They are read as
 * nanoseconds of every thread, because a clock tick of /proc/<pid>/stat is as long as a quarter of a bare start.
 * @param {number} pid
 */
export function cpuSoFar(pid) {
  return ownAndBelow(pid).reduce((sum, each) => sum + threadsOf(each), 0) / 1e6;
}

/** @param {number} pid @returns {number[]} */
function ownAndBelow(pid) {
  const below = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return [pid, ...below.flatMap(ownAndBelow)];
}

/** @param {number} pid */
function threadsOf(pid) {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const [onCpu] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
    return sum + Number(onCpu);
  }, 0);
}
