import { realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { WorldlineError } from "../record/error.ts";

/** Where nothing is, for a user without a home folder: as systems write it for such users. */
const NOWHERE = "/nonexistent";

/** What is asked for the home folder, one after the other. */
type HomeSources = readonly (() => string)[];
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

/** Where everything is stored by default. */
export function defaultHome(): string {
  // A variable that is set to nothing is not set.
  return process.env["WORLDLINE_HOME"] || usualHome();
}

/** `~/.worldline`. */
export function usualHome(sources?: HomeSources): string {
  const home = knownUserHome(sources);
  if (home !== undefined) return join(home, ".worldline");
  throw new WorldlineError("home-unknown", {});
}

/** The real path of a folder that a program names as its workspace, in a `call` of the library. */
export function realFolder(folder: string, call: "openSession" | "openExecution"): string {
  try {
    return realpathSync(folder);
  } catch (cause) {
    throw new WorldlineError("folder-unusable", { folder, call }, { cause });
  }
}
