import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const PAUSE_MS = 10;
/** In the middle of an exec a process shows neither the old words nor the new ones. */
const CLEAN_LOOKS = 5;

/**
 * Resolves when no process is left that was given `mark` in its environment: a command outlives an agent that is killed, and
 * what it still does is not done by whoever opens the session next.
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
    // One that was killed between fork and exec still has the words of the process that it was forked from.
    return ["environ", "cmdline"].some((file) =>
      readFileSync(`/proc/${pid}/${file}`, "latin1").includes(mark),
    );
  } catch {
    // Gone meanwhile, or not ours.
    return false;
  }
}
