import { realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { WorldlineError } from "../record/error.ts";

/**
 * A path that does not exist, used for a user who does not have a home folder. Operating systems use the same path for
 * such users.
 */
const NOWHERE = "/nonexistent";

/** Sources for the home folder, in the order in which they are tried. */
type HomeSources = readonly (() => string)[];
const SYSTEM: HomeSources = [homedir, () => userInfo().homedir];

/**
 * Returns the user's home folder: HOME or, if HOME is missing, empty, or relative, the home folder from the operating
 * system. Node would accept an empty HOME, and everything would then be stored in the folder where a command was
 * started. Returns undefined if neither source provides a folder, for example, in a container in which the user has no
 * account.
 */
export function knownUserHome(sources: HomeSources = SYSTEM): string | undefined {
  for (const ask of sources) {
    const home = tryTo(ask);
    if (home !== undefined && isAbsolute(home)) return home;
  }
  return undefined;
}

/**
 * Returns the home folder, for resolving `~` and for deciding what must not be captured. Returns a path that does not
 * exist if the user does not have a home folder.
 */
export function userHome(sources: HomeSources = SYSTEM): string {
  return knownUserHome(sources) ?? NOWHERE;
}

/** Tries one source. Both sources throw if the user is unknown to the operating system. */
function tryTo(ask: () => string): string | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

/** Returns the folder where Worldline stores everything by default. */
export function defaultHome(): string {
  // An empty variable is treated as unset.
  return process.env["WORLDLINE_HOME"] || usualHome();
}

/** Returns `~/.worldline` as an absolute path. */
export function usualHome(sources?: HomeSources): string {
  const home = knownUserHome(sources);
  if (home !== undefined) return join(home, ".worldline");
  throw new WorldlineError("home-unknown", {});
}

/**
 * Returns the real path of the folder that a program passed as its workspace. `call` is the library call that the
 * program used.
 */
export function realFolder(folder: string, call: "openSession" | "openExecution"): string {
  try {
    return realpathSync(folder);
  } catch (cause) {
    throw new WorldlineError("folder-unusable", { folder, call }, { cause });
  }
}
