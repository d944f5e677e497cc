import { realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { WorldlineError } from "../record/error.ts";

/**
 * The home folder of a user who does not have one: a path that does not exist. Operating systems use the same path for
 * such users.
 */
const NOWHERE = "/nonexistent";

/** The sources of the home folder, in the order in which they are tried. */
type HomeSources = readonly (() => string)[];
const SYSTEM: HomeSources = [homedir, () => userInfo().homedir];

/**
 * The user's home folder: HOME or, if HOME is missing, empty, or relative, the home folder from the operating system.
 * Node would accept an empty HOME, and everything would be stored in the folder where a command was started. Undefined
 * if neither source provides a folder, as for a user in a container whom the operating system does not know.
 */
export function knownUserHome(sources: HomeSources = SYSTEM): string | undefined {
  for (const ask of sources) {
    const home = tryTo(ask);
    if (home !== undefined && isAbsolute(home)) return home;
  }
  return undefined;
}

/**
 * The home folder, for resolving `~` and for deciding what must not be captured. For a user who does not have one, a
 * path that does not exist.
 */
export function userHome(sources: HomeSources = SYSTEM): string {
  return knownUserHome(sources) ?? NOWHERE;
}

/** Tries one source. Both sources throw if the operating system does not know the user. */
function tryTo(ask: () => string): string | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

/** The folder where Worldline stores everything by default. */
export function defaultHome(): string {
  // An empty variable counts as unset.
  return process.env["WORLDLINE_HOME"] || usualHome();
}

/** `~/.worldline`. */
export function usualHome(sources?: HomeSources): string {
  const home = knownUserHome(sources);
  if (home !== undefined) return join(home, ".worldline");
  throw new WorldlineError("home-unknown", {});
}

/** The real path of the folder that a program passed as its workspace. `call` is the library call that it used. */
export function realFolder(folder: string, call: "openSession" | "openExecution"): string {
  try {
    return realpathSync(folder);
  } catch (cause) {
    throw new WorldlineError("folder-unusable", { folder, call }, { cause });
  }
}
