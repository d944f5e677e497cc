import { join } from "node:path";
import { WorldlineError } from "../record/error.ts";
import { type HomeSources, knownUserHome } from "./user-home.ts";

/** Where everything is kept, unless somebody says otherwise. */
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
