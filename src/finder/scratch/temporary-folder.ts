import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lifeOf, newOwner, readOwner, realProcesses } from "../../disk/lock-owner.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import { systemClock } from "../../disk/system-clock.ts";
import { errnoOf, isMissing, WorldlineError } from "../../record/error.ts";
import { pathOfText } from "../../record/files.ts";
import { MARK } from "../trials.ts";

const PREFIX = "worldline-find-";
const OWNER = "owner.json";

/** Creates a folder with this name prefix that only this user can read. */
export function newTemporaryFolder(prefix: string): string {
  try {
    return realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  } catch (cause) {
    const errno = isMissing(cause) ? {} : { errno: String(errnoOf(cause)) };
    throw new WorldlineError("temporary-folder-unusable", { folder: tmpdir(), ...errno }, { cause });
  }
}

/** Creates a folder for a scratch copy, with a file that names its owner. */
export function makeTemporaryFolder(): string {
  const folder = newTemporaryFolder(PREFIX);
  const owner = newOwner(realProcesses(), systemClock, "worldline find");
  writeFileSync(join(folder, OWNER), `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  return folder;
}

/**
 * Removes folders that killed programs left behind, and ends tests that are still running in them. Keeps folders that a
 * running program or another user may own.
 */
export async function removeLeftovers(): Promise<void> {
  const processes = realProcesses();
  for (const name of namesIn(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(tmpdir(), name);
    try {
      if (lstatSync(folder).uid !== process.getuid?.()) continue;
      if (lifeOf(readOwner(readFileSync(join(folder, OWNER))), processes) !== "dead") continue;
      await endRunningIn(realpathSync(folder));
      removeTree(pathOfText(realpathSync(folder)));
    } catch {
      // Either the folder no longer exists, or it does not name its owner and must not be removed.
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const GRACE_MS = 1_000;
const LOOK_EVERY_MS = 10;

/**
 * Ends the tests that run in a folder, with all their processes. Sends SIGTERM first, and SIGKILL after a second. On
 * systems without /proc, the tests keep running.
 */
async function endRunningIn(folder: string): Promise<void> {
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
    // The process has already ended.
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
    // The program's name is in parentheses and may contain any characters.
    const [state, , , , terminal] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return false;
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    if (environment.some((each) => each.startsWith(`${MARK}=${folder}/`))) return true;
    // A test has no terminal. A process that has one is probably the user's shell in that folder.
    return terminal === "0" && readlinkSync(`/proc/${pid}/cwd`).startsWith(`${folder}/`);
  } catch {
    // The process has ended, or belongs to another user.
    return false;
  }
}
