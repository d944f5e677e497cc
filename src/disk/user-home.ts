import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";

/** Where nothing is, for a user without a home folder: as systems write it for such users. */
const NOWHERE = "/nonexistent";

/** What is asked for the home folder, one after the other. */
export type HomeSources = readonly (() => string)[];
const SYSTEM: HomeSources = [homedir, () => userInfo().homedir];

/**
 * The user's home folder: HOME, or what the system knows of the user where HOME is missing, empty or relative. (Node
 * would take an empty one as it is, and everything would be kept in the folder where a command was started.) Undefined
 * where neither names one, as for the unknown user of a container.
 */
export function knownUserHome(sources: HomeSources = SYSTEM): string | undefined {
  for (const ask of sources) {
    const home = tryTo(ask);
    if (home !== undefined && isAbsolute(home)) return home;
  }
  return undefined;
}

/** For what begins with `~`, and for what must not be captured: without a home folder, a path that is not there. */
export function userHome(sources: HomeSources = SYSTEM): string {
  return knownUserHome(sources) ?? NOWHERE;
}

/** Both throw where the system knows no such user. */
function tryTo(ask: () => string): string | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
