import { lstatSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lifeOf, newOwner, readOwner, realProcesses } from "../../disk/lock-owner.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import { systemClock } from "../../disk/system-clock.ts";
import { errnoOf, isMissing, WorldlineError } from "../../record/error.ts";
import { pathOfText } from "../../record/files.ts";
import { endRunningIn } from "./running.ts";

const PREFIX = "worldline-find-";
const OWNER = "owner.json";

/** A new folder, with a name that begins so, that only this user can look into. */
export function newTemporaryFolder(prefix: string): string {
  try {
    return realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  } catch (cause) {
    const errno = isMissing(cause) ? {} : { errno: String(errnoOf(cause)) };
    throw new WorldlineError("temporary-folder-unusable", { folder: tmpdir(), ...errno }, { cause });
  }
}

/** One for a scratch copy, with a note whose it is. */
export function makeTemporaryFolder(): string {
  const folder = newTemporaryFolder(PREFIX);
  const owner = newOwner(realProcesses(), systemClock, "worldline find");
  writeFileSync(join(folder, OWNER), `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  return folder;
}

/**
 * Removes what killed programs have left, and ends the tests that still run there. What may belong to a living one, or to somebody
 * else, stays.
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
      // It went meanwhile, or says nothing of whose it is: not ours to remove, and in nobody's way.
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
