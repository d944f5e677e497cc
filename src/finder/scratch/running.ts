import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { MARK } from "./run-test.ts";

const GRACE_MS = 1_000;
const LOOK_EVERY_MS = 10;

/**
 * Ends the tests that run in a folder, with all that they started: asked first, killed after a second. Where the system does not list
 * processes in /proc, they go on.
 */
export async function endRunningIn(folder: string): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const asked = new Set<number>();
    for (const until = Date.now() + GRACE_MS; Date.now() < until; await sleep(LOOK_EVERY_MS)) {
      const running = runningIn(folder);
      if (running.length === 0) return;
      for (const pid of running.filter((each) => !asked.has(each))) {
        asked.add(pid);
        send(pid, signal);
      }
    }
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

function runningIn(folder: string): readonly number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && isTestIn(pid, folder));
}

function isTestIn(pid: number, folder: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program's name, in parentheses, may hold anything.
    const [state, , , , terminal] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return false;
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    if (environment.some((each) => each.startsWith(`${MARK}=${folder}/`))) return true;
    // A test has no terminal; who has one is a person that looks around there.
    return terminal === "0" && readlinkSync(`/proc/${pid}/cwd`).startsWith(`${folder}/`);
  } catch {
    // It has ended, or is another user's.
    return false;
  }
}
