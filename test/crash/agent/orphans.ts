import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const PAUSE_MS = 10;
/**
 * During an exec, a process briefly shows neither its old arguments nor its new ones, so one clean look is
 * not enough.
 */
const CLEAN_LOOKS = 5;

/**
 * Resolves when no process with `mark` in its environment is left: a command outlives a killed agent, and
 * what it still does must not be blamed on the next agent.
 */
export async function orphansEnded(mark: string): Promise<void> {
  if (process.platform !== "linux") {
    await sleep(1_000);
    return;
  }
  for (let clean = 0; clean < CLEAN_LOOKS; clean += 1) {
    if (readdirSync("/proc").some((name) => /^\d+$/u.test(name) && isMarked(name, mark))) clean = 0;
    await sleep(PAUSE_MS);
  }
}

function isMarked(pid: string, mark: string): boolean {
  try {
    // A process killed between fork and exec still has the arguments of its parent.
    return ["environ", "cmdline"].some((file) =>
      readFileSync(`/proc/${pid}/${file}`, "latin1").includes(mark),
    );
  } catch {
    // The process has ended, or it belongs to another user.
    return false;
  }
}
