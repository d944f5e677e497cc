import {
  accessSync,
  constants,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { isInside } from "../places.ts";

/** The state of the disk that decisions about commands depend on. Reading it changes nothing. */
export interface Sight {
  /** The path with all links resolved, even if nothing exists there yet. */
  readonly place: (path: string) => string;
  readonly kind: (path: string) => PathKind;
  /** The program that a name resolves to; undefined if there is none, or if it is inside the workspace. */
  readonly program: (name: string) => string | undefined;
  /** The top folder of the repository that git would use; undefined if git may not read it without permission. */
  readonly repository: (folder: string) => string | undefined;
}

type PathKind = "file" | "folder" | "missing" | "special";

type Environment = Readonly<Record<string, string | undefined>>;

/** Linux reports a loop after the same number of links. */
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

/** A workspace can contain its own `ls`, and `npx` adds the workspace's `node_modules/.bin` to PATH. */
function programOf(name: string, workspace: string, environment: Environment): string | undefined {
  for (const folder of programFolders(workspace, environment)) {
    const path = join(folder, name);
    const real = quietly(() => realpathSync.native(path));
    if (real === undefined || isInside({ workspace }, real) || !isProgram(path)) continue;
    return path;
  }
  return undefined;
}

/** The folders of PATH outside the workspace. */
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

/** Larger configuration files are not read. */
const MAX_BYTES = 1_000_000;

/**
 * The top folder of the repository that git finds from a folder of the workspace. Undefined if git may not read the
 * repository without permission: the workspace contains none; it is a bare repository, which can be committed like any
 * folder; parts of it are elsewhere; or its configuration names filters, whose programs git would run, or other files
 * that no option can override.
 */
function topOfRepository(folder: string, workspace: string): string | undefined {
  for (let at = folder; isInside({ workspace }, at); at = dirname(at)) {
    if (isLikeGitFolder(at)) return undefined;
    const stats = quietly(() => lstatSync(join(at, ".git")));
    if (stats !== undefined) {
      const gitFolder = stats.isDirectory() ? join(at, ".git") : folderInFile(join(at, ".git"), workspace);
      return gitFolder !== undefined && isOrdinary(gitFolder, workspace) ? at : undefined;
    }
    if (at === dirname(at)) break;
  }
  return undefined;
}

function isLikeGitFolder(folder: string): boolean {
  return ["HEAD", "objects", "refs"].every(
    (name) => quietly(() => lstatSync(join(folder, name))) !== undefined,
  );
}

/**
 * The folder that a `.git` file points to, if it is inside the workspace, or if it belongs to a repository elsewhere
 * that lists this worktree as its own.
 */
function folderInFile(file: string, workspace: string): string | undefined {
  const named = /^gitdir: (?<path>[^\n]+)\n*$/u.exec(textOf(file) ?? "")?.groups?.["path"];
  if (named === undefined) return undefined;
  const folder = quietly(() => realpathSync.native(resolve(dirname(file), named)));
  if (folder === undefined) return undefined;
  if (isInside({ workspace }, folder)) return folder;
  const back = textOf(join(folder, "gitdir"))?.trim();
  return back !== undefined && quietly(() => realpathSync.native(back)) === file ? folder : undefined;
}

/** Folders that must not lead elsewhere: git prints lines of some files in them when it cannot parse the files. */
const FOLDERS = [
  "",
  "info",
  "logs",
  "objects",
  "objects/info",
  "objects/pack",
  "refs",
  "refs/heads",
  "refs/tags",
];

/** The real paths of the folder and of the links in it. Broken links are ignored. */
function linksIn(folder: string): readonly string[] {
  const names = quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  const links = names.filter((each) => each.isSymbolicLink()).map(({ name }) => join(folder, name));
  return [folder, ...links].flatMap((path) => quietly(() => realpathSync.native(path)) ?? []);
}

/**
 * Whether the git folder is entirely inside the workspace and its configuration has no sections that cannot be
 * overridden.
 */
function isOrdinary(gitFolder: string, workspace: string): boolean {
  const common = textOf(join(gitFolder, "commondir"))?.trim();
  const shared = common === undefined ? gitFolder : resolve(gitFolder, common);
  // A worktree's git folder may be elsewhere; everything must then be inside the main repository's git folder.
  const isHere = isInside({ workspace }, gitFolder);
  const root = isHere ? workspace : dirname(dirname(gitFolder));
  const areHere = [gitFolder, shared].every((folder) =>
    FOLDERS.every((each) =>
      linksIn(join(folder, each)).every((place) => isInside({ workspace: root }, place)),
    ),
  );
  const hasAlternates = quietly(() => lstatSync(join(shared, "objects/info/alternates"))) !== undefined;
  return areHere && !hasAlternates && [gitFolder, shared].every(hasPlainConfig);
}

function hasPlainConfig(folder: string): boolean {
  return ["config", "config.worktree"].every((name) => {
    const path = join(folder, name);
    if (quietly(() => lstatSync(path)) === undefined) return true;
    const text = textOf(path);
    // Section names cannot contain escapes, and several sections can begin on one line.
    return text !== undefined && !/\[\s*(?:filter|include|blame)/iu.test(text);
  });
}

function textOf(path: string): string | undefined {
  return quietly(() => {
    const stats = lstatSync(path);
    return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(path, "utf8") : undefined;
  });
}

/** Undefined if the system reports any error. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    // The path is missing, forbidden or part of a loop of links. Where it leads is unknown, so it must not make a call
    // run without permission.
    return undefined;
  }
}
