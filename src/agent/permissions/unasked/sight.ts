import { accessSync, constants, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { isInside } from "../places.ts";
import { quietly, topOfRepository } from "./repository.ts";

/** What is looked up on the disk before a command is decided on. Looks, and changes nothing. */
export interface Sight {
  /** Where a path really leads, also where nothing is there yet. */
  readonly place: (path: string) => string;
  readonly kind: (path: string) => PathKind;
  /** The program that a name means; undefined where there is none, or the workspace itself holds it. */
  readonly program: (name: string) => string | undefined;
  /** The top folder of the repository that git would find; undefined where there is none that git may look at unasked. */
  readonly repository: (folder: string) => string | undefined;
}

export type PathKind = "file" | "folder" | "missing" | "special";

type Environment = Readonly<Record<string, string | undefined>>;

/** As many links as Linux follows before it says that they lead in a circle. */
const MAX_LINKS = 40;

export function diskSight(workspace: string, environment: Environment): Sight {
  return {
    place: (path) => placeOf(path, MAX_LINKS),
    kind: kindOf,
    program: (name) => programOf(name, workspace, environment),
    repository: (folder) => topOfRepository(folder, workspace),
  };
}

function placeOf(path: string, links: number): string {
  const real = quietly(() => realpathSync.native(path));
  if (real !== undefined) return real;
  const above = dirname(path);
  if (above === path || links === 0) return path;
  const place = join(placeOf(above, links), basename(path));
  const target = quietly(() => readlinkSync(place));
  return target === undefined ? place : placeOf(resolve(dirname(place), target), links - 1);
}

function kindOf(path: string): PathKind {
  const stats = quietly(() => statSync(path));
  if (stats === undefined) return "missing";
  if (stats.isFile()) return "file";
  return stats.isDirectory() ? "folder" : "special";
}

/** A workspace can hold an `ls` of its own, and `npx` puts its `node_modules/.bin` into PATH. */
function programOf(name: string, workspace: string, environment: Environment): string | undefined {
  for (const folder of programFolders(workspace, environment)) {
    const path = join(folder, name);
    const real = quietly(() => realpathSync.native(path));
    if (real === undefined || isInside({ workspace }, real) || !isProgram(path)) continue;
    return path;
  }
  return undefined;
}

/** The folders of PATH that are not the workspace's. */
export function programFolders(workspace: string, environment: Environment): readonly string[] {
  return (environment["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .filter((folder) => !isInside({ workspace }, quietly(() => realpathSync.native(folder)) ?? folder));
}

function isProgram(path: string): boolean {
  return (
    quietly(() => {
      accessSync(path, constants.X_OK);
      return statSync(path).isFile();
    }) ?? false
  );
}
