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
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { isInside, joinLiterally } from "../places.ts";

/** The disk state that decisions about commands depend on. These functions do not change anything. */
export interface Sight {
  /** Returns the absolute path with all links resolved, even if nothing exists at the path yet. */
  readonly place: (path: string) => string;
  readonly kind: (path: string) => PathKind;
  /** Returns the program that a name resolves to, or undefined if there is none outside the workspace. */
  readonly program: (name: string) => string | undefined;
  /**
   * Returns the top folder of the repository that git would use, or undefined if git needs permission to read the
   * repository.
   */
  readonly repository: (folder: string) => string | undefined;
}

type PathKind = "file" | "folder" | "missing" | "special";

type Environment = Readonly<Record<string, string | undefined>>;

/** Maximum number of links to follow. Linux reports a loop after the same number of links. */
const MAX_LINKS = 40;

export function diskSight(workspace: string, environment: Environment): Sight {
  return {
    place: (path) => placeOf(path),
    kind: kindOf,
    program: (name) => programOf(name, workspace, environment),
    repository: (folder) => topOfRepository(folder, workspace),
  };
}

/** Returns the real, absolute path of an absolute path. `left` is the number of links that may still be followed. */
function placeOf(path: string, left = { links: MAX_LINKS }): string {
  const real = quietly(() => realpathSync.native(path));
  if (real !== undefined) return real;
  const place = join(placeOf(dirname(path), left), basename(path));
  const target = quietly(() => readlinkSync(place));
  if (target === undefined || left.links === 0) return place;
  left.links -= 1;
  return placeOf(joinLiterally(dirname(place), target), left);
}

function kindOf(path: string): PathKind {
  const stats = quietly(() => statSync(path));
  if (stats === undefined) return "missing";
  if (stats.isFile()) return "file";
  return stats.isDirectory() ? "folder" : "special";
}

/**
 * Finds a program on the PATH. Ignores folders and programs in the workspace, which may contain its own `ls`. (`npx`
 * adds the workspace's `node_modules/.bin` to PATH.)
 */
function programOf(name: string, workspace: string, environment: Environment): string | undefined {
  for (const folder of programFolders(workspace, environment)) {
    const path = join(folder, name);
    const real = quietly(() => realpathSync.native(path));
    if (real !== undefined && !isInside({ workspace }, real) && isProgram(path)) return path;
  }
  return undefined;
}

/** Returns the folders in PATH that are outside the workspace. */
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

/** Maximum size of a configuration file. Larger files are not read. */
const MAX_BYTES = 1_000_000;

/**
 * Returns the top folder of the repository that git finds from a folder in the workspace. Returns undefined if the
 * workspace contains no repository, or if git needs permission to read it. Permission is needed if the repository is
 * bare, because a bare repository can be committed like any other folder. It is also needed if parts of the repository
 * are outside the workspace, or if its configuration names filters (git would run their programs) or files that cannot
 * be overridden with an option.
 */
function topOfRepository(folder: string, workspace: string): string | undefined {
  for (let at = folder; isInside({ workspace }, at); at = dirname(at)) {
    if (isLikeGitFolder(at)) return undefined;
    const path = join(at, ".git");
    const stats = quietly(() => lstatSync(path));
    if (stats !== undefined) {
      const gitFolder = stats.isDirectory() ? path : folderInFile(path, workspace);
      return gitFolder !== undefined && isOrdinary(gitFolder, workspace) ? at : undefined;
    }
    if (at === dirname(at)) break;
  }
  return undefined;
}

/**
 * Checks whether git could take the folder for a bare repository. The objects may be in another folder, which the file
 * `commondir` names.
 */
function isLikeGitFolder(folder: string): boolean {
  return exists(join(folder, "HEAD")) && ["objects", "commondir"].some((name) => exists(join(folder, name)));
}

/**
 * Returns the folder that a `.git` file points to. The folder must be inside the workspace, or be part of a repository
 * elsewhere that lists this worktree as its own.
 */
function folderInFile(file: string, workspace: string): string | undefined {
  // U+FFFD stands for bytes that are not UTF-8. Those could name another folder.
  const named = /^gitdir: (?<path>[^\n\uFFFD]+)\n*$/u.exec(textOf(file) ?? "")?.groups?.["path"];
  if (named === undefined) return undefined;
  const folder = quietly(() => realpathSync.native(joinLiterally(dirname(file), named)));
  if (folder === undefined) return undefined;
  if (isInside({ workspace }, folder)) return folder;
  const back = textOf(join(folder, "gitdir"))?.trim();
  return back !== undefined && quietly(() => realpathSync.native(back)) === file ? folder : undefined;
}

/**
 * Folders that must not lead out of the repository. Git prints lines from some files in these folders, for example if
 * it cannot parse the files.
 */
const FOLDERS = [
  "",
  "info",
  "logs",
  "objects",
  "objects/info",
  "objects/info/commit-graphs",
  "objects/pack",
  "rebase-apply",
  "rebase-merge",
  "refs",
  "refs/heads",
  "refs/tags",
  "reftable",
  "sequencer",
  "worktrees",
];

/** Returns the folders of a git folder that must not lead out of the repository. */
function foldersIn(gitFolder: string): readonly string[] {
  const worktrees = quietly(() => readdirSync(join(gitFolder, "worktrees"))) ?? [];
  return [...FOLDERS, ...worktrees.map((name) => `worktrees/${name}`)].map((name) => join(gitFolder, name));
}

/** Returns the real paths of the folder and of the links in it. Ignores broken links. */
function linksIn(folder: string): readonly string[] {
  const names = quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  const links = names.filter((each) => each.isSymbolicLink()).map(({ name }) => join(folder, name));
  return [folder, ...links].flatMap((path) => quietly(() => realpathSync.native(path)) ?? []);
}

/**
 * Checks whether the git folder is entirely inside the workspace and whether its configuration has no sections that
 * cannot be overridden.
 */
function isOrdinary(gitFolder: string, workspace: string): boolean {
  const shared = sharedFolder(gitFolder);
  if (shared === undefined || exists(join(shared, "objects/info/alternates"))) return false;
  // A worktree's git folder may be outside the workspace. Everything must then be inside the main repository's git
  // folder.
  const root = isInside({ workspace }, gitFolder) ? workspace : mainFolder(gitFolder);
  return [gitFolder, shared].every(
    (folder) =>
      hasPlainConfig(folder) &&
      foldersIn(folder)
        .flatMap(linksIn)
        .every((place) => isInside({ workspace: root }, place)),
  );
}

/** Returns the git folder that a worktree's git folder belongs to. */
function mainFolder(gitFolder: string): string {
  return dirname(dirname(gitFolder));
}

/**
 * Returns the folder that contains the objects and the configuration: the git folder itself, or the main one for a
 * worktree. Returns undefined if it is a folder that git would not have chosen.
 */
function sharedFolder(gitFolder: string): string | undefined {
  const file = join(gitFolder, "commondir");
  if (!exists(file)) return gitFolder;
  return /^\.\.\/\.\.\n*$/u.test(textOf(file) ?? "") ? mainFolder(gitFolder) : undefined;
}

function hasPlainConfig(folder: string): boolean {
  return ["config", "config.worktree"].every((name) => {
    const path = join(folder, name);
    if (!exists(path)) return true;
    const text = textOf(path);
    // Section names cannot contain escapes, and several sections can begin on one line.
    return text !== undefined && !/\[\s*(?:filter|include|blame)/iu.test(text);
  });
}

/** Checks whether anything is at the path, even a broken link. */
function exists(path: string): boolean {
  return quietly(() => lstatSync(path)) !== undefined;
}

function textOf(path: string): string | undefined {
  return quietly(() => {
    const stats = lstatSync(path);
    return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(path, "utf8") : undefined;
  });
}

/** Runs `look`. Returns undefined if the system reports any error. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    // The path is missing, forbidden or part of a link loop. Because its target is unknown, the path must never allow a
    // call to run without permission.
  }
  return undefined;
}
