import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { usualHome } from "../../disk/folders.ts";
import { WorldlineError } from "../../record/error.ts";
import { makeFolder } from "./make-folder.ts";
import { withHome } from "./named-folder.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of everything that Worldline keeps: WORLDLINE_HOME, or `~/.worldline`. Does not make it. */
export function homeFolder(environment: Environment): string {
  const given = environment["WORLDLINE_HOME"];
  if (given === undefined || given === "") return usualHome();
  // A shell expands `~`; a .env file or a service's configuration does not, and would get a folder named "~".
  return resolve(withHome(given));
}

/** Makes the home folder, for its owner only, where it is missing. */
export async function provideHome(folder: string): Promise<void> {
  try {
    await makeFolder(folder, 0o700);
  } catch (cause) {
    throw await homeUnusable(folder, cause);
  }
}

async function homeUnusable(folder: string, cause: unknown): Promise<WorldlineError> {
  const there = await stat(folder).catch(() => undefined);
  if (there !== undefined) return new WorldlineError("home-not-a-folder", { folder }, { cause });
  const why = cause instanceof Error ? { why: cause.message } : {};
  return new WorldlineError("home-not-made", { folder, ...why }, { cause });
}
