import { realpath } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { userHome } from "../../../disk/folders.ts";
import { type SeenCommand, seeCommand } from "../../permissions/commands.ts";
import {
  type Ground,
  isInside,
  type NamedPath,
  pathsNamed,
  protectedPart,
} from "../../permissions/places.ts";
import { loadGrammar } from "../../permissions/shell/grammar.ts";
import { type CommandPlan, onlyLooks, planCommand } from "../../permissions/unasked/plan.ts";
import { diskSight } from "../../permissions/unasked/sight.ts";
import { placeOf } from "../files/places.ts";
import type { Subject } from "../tool.ts";
import type { Environment } from "./shell-environment.ts";

/** Each one costs some calls of the system, and no honest command names more. */
const MAX_PATHS = 2_000;

export interface CommandContext {
  /** Its real path. */
  readonly workspace: string;
  readonly environment: Environment;
  /** Where the command begins; by default the workspace. */
  readonly folder?: string;
}

type PathSubject = Extract<Subject, { kind: "path" }>;

/** What a command is about: itself, with what it runs word for word where that can be said, and where the links lead that it names. */
export async function commandSubjects(ground: CommandContext, command: string): Promise<readonly Subject[]> {
  const plan = await planFor(ground, command);
  const ledTo = await placesLedTo(
    { workspace: ground.workspace, home: userHome() },
    seeCommand(command, plan),
  );
  return [...ledTo, { kind: "command", command, ...(plan === undefined ? {} : { plan }) }];
}

/** What the command runs, word for word; undefined where only a shell can say. */
export async function planFor(
  { workspace, environment, folder }: CommandContext,
  command: string,
): Promise<CommandPlan | undefined> {
  await loadGrammar();
  const ground = { workspace, home: userHome(), ...(folder === undefined ? {} : { folder }) };
  return planCommand(command, ground, diskSight(workspace, environment));
}

/**
 * Where the links lead that a command names inside the workspace: to whoever only reads the command, `cat link` names a file
 * of the workspace, whatever it will really open. What stands in the place of the program is left out: the interpreter of a
 * project is often a link to one of the system's.
 */
async function placesLedTo(ground: Ground, command: SeenCommand): Promise<readonly PathSubject[]> {
  const subjects = new Map<string, PathSubject>();
  const add = (path: string, access: PathSubject["access"]): void => {
    subjects.set(`${access} ${path}`, { kind: "path", path, access });
  };
  const named = namedInside(ground, command);
  // What was not followed may lead anywhere.
  if (named.length > MAX_PATHS) add("/", "read");
  for (const { word, path, use } of named.slice(0, MAX_PATHS)) {
    const place = await realPlace(ground.workspace, word, path);
    if (place === path) continue;
    const isWritten = use === "redirected" || protectedPart(ground, place) !== undefined;
    add(place, "read");
    if (isWritten && use !== "looked at") add(place, "write");
  }
  for (const place of placesElsewhere(ground, command)) add(place, "read");
  return [...subjects.values()];
}

/** After `cd`, what the words of a command name is not what they name from the workspace on. */
function placesElsewhere({ workspace }: Ground, { plan }: SeenCommand): readonly string[] {
  if (plan === undefined || plan.folder === workspace) return [];
  return plan.steps.flatMap(({ pipeline }) => pipeline.flatMap(({ places }) => places));
}

interface InsidePath extends Pick<Required<NamedPath>, "word" | "path"> {
  readonly use: "looked at" | "named" | "redirected";
}

/** The paths outside are asked about anyway. */
function namedInside(ground: Ground, { every, plan }: SeenCommand): readonly InsidePath[] {
  const use = onlyLooks(plan) ? "looked at" : "named";
  const byKey = new Map<string, InsidePath>();
  const note = (words: readonly string[], as: InsidePath["use"]): void => {
    for (const { word, path } of pathsNamed(ground, ["", ...words])) {
      if (path === undefined || path === ground.workspace || !isInside(ground, path)) continue;
      byKey.set(`${as}\0${word}\0${path}`, { word, path, use: as });
    }
  };
  for (const { words, files } of every) {
    note(words.slice(1), use);
    note(files, "redirected");
    if (byKey.size > MAX_PATHS) break;
  }
  return [...byKey.values()];
}

async function realPlace(workspace: string, word: string, path: string): Promise<string> {
  const place = await placeOf(workspace, path);
  if (place !== path || !word.split("/").includes("..")) return place;
  try {
    // To the system, `link/..` is above where the link leads, and not where it stands.
    return await realpath(isAbsolute(word) ? word : `${workspace}/${word}`);
  } catch {
    return place;
  }
}
