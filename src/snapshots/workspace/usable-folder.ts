import { realpathSync } from "node:fs";
import { parse, sep } from "node:path";
import { userHome } from "../../disk/folders.ts";
import { WorldlineError } from "../../record/error.ts";

/**
 * Refuses the home folder, the root of a disk, what holds either, and what is on no disk at all: capturing them would take everything that a person
 * has, and restoring them would write over it.
 */
export function requireCapturable(folder: string, home: string = realHome()): void {
  if (isOfSystem(folder)) throw new WorldlineError("workspace-of-the-system", { folder });
  if (!holdsEverything(folder, home)) return;
  throw new WorldlineError("workspace-too-wide", { folder, is: home === folder ? "home" : "wider" });
}

/** Whether it is the home folder, the root of a disk, or what holds either. */
export function holdsEverything(folder: string, home: string = realHome()): boolean {
  const holdsHome = home === folder || home.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
  return holdsHome || parse(folder).root === folder;
}

/** Where reading a file may never end, and writing one changes the machine. */
function isOfSystem(folder: string): boolean {
  return process.platform === "linux" && /^\/(?:proc|sys|dev(?!\/shm\/))(?:\/|$)/u.test(folder);
}

function realHome(): string {
  try {
    return realpathSync(userHome());
  } catch {
    return userHome();
  }
}
