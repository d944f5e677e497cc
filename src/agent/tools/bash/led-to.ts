import { realpath } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { userHome } from "../../../disk/user-home.ts";
import { seeCommand } from "../../permissions/commands.ts";
import { type Ground, isInside, type NamedPath, pathsNamed } from "../../permissions/places.ts";
import { placeOf } from "../files/places.ts";
import type { Subject } from "../tool.ts";

/** Each one costs some calls of the system, and no honest command names more. */
const MOST_PATHS = 200;

/**
 * Where the links lead that a command names inside the workspace: to whoever only reads the command, `cat link` names a file
 * of the workspace, whatever it will really open. What stands in the place of the program is left out: the interpreter of a
 * project is often a link to one of the system's.
 */
export async function ledTo(workspace: string, command: string): Promise<readonly Subject[]> {
  const ground = { workspace, home: userHome() };
  const places = new Set<string>();
  for (const { word, path } of namedInside(ground, command)) {
    const place = await realPlace(workspace, word, path);
    if (place !== path) places.add(place);
  }
  return [...places].map((path) => ({ kind: "path", path, access: "read" }));
}

/** The paths outside are asked about anyway. */
function namedInside(ground: Ground, command: string): readonly Required<NamedPath>[] {
  const byKey = new Map<string, Required<NamedPath>>();
  for (const { words, files } of seeCommand(command).every) {
    for (const { word, path } of pathsNamed(ground, ["", ...words.slice(1), ...files])) {
      if (path === undefined || path === ground.workspace || !isInside(ground, path)) continue;
      byKey.set(`${word}\0${path}`, { word, path });
      if (byKey.size >= MOST_PATHS) return [...byKey.values()];
    }
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
