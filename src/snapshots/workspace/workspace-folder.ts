import { constants, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, parse, resolve, sep } from "node:path";
import { writeError } from "../../disk/disk.ts";
import { replaceFile } from "../../disk/durable-files.ts";
import { userHome } from "../../disk/folders.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SnapshotContext, WorkspacePlaces } from "../context.ts";

/**
 * Throws for the home folder, the root of a disk, folders that contain either of them, and folders that are not on a
 * disk. In a folder that contains all of the user's files, a capture would copy everything, and a restore would
 * overwrite it.
 */
export function requireCapturable(folder: string, home: string = realHome()): void {
  if (isOfSystem(folder)) throw new WorldlineError("workspace-of-the-system", { folder });
  if (!holdsEverything(folder, home)) return;
  throw new WorldlineError("workspace-too-wide", { folder, is: home === folder ? "home" : "wider" });
}

/** Checks whether the folder is the home folder or the root of a disk, or contains either of them. */
export function holdsEverything(folder: string, home: string = realHome()): boolean {
  const holdsHome = home === folder || home.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
  return holdsHome || parse(folder).root === folder;
}

/**
 * Checks whether the folder belongs to the operating system. In such a folder, reading a file may never end, and
 * writing a file may change the machine.
 */
function isOfSystem(folder: string): boolean {
  return process.platform === "linux" && /^\/(?:proc|sys|dev(?!\/shm\/))(?:\/|$)/u.test(folder);
}

function realHome(): string {
  try {
    return realpathSync(userHome());
  } catch {
    return userHome();
  }
}

const SHORT = 10;
/** Maximum size of a file to read. A larger file is not one of git's files, or is not worth reading just for a name. */
const MAX_BYTES = 16 * 1024 * 1024;
// Node accepts a number here, although its types do not allow it.
const READ = (constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)) as unknown as string;

/**
 * Reads git's files to determine what is checked out in a folder: a branch with its commit, such as `main 1a2b3c4d5e`,
 * or only a commit. Does not run git, because git's configuration can make it run any program. Returns undefined
 * outside a repository, or if the files are not as expected.
 */
export function gitHeadOf(folder: string): string | undefined {
  try {
    const git = gitFolderOf(join(folder, ".git"));
    const head = textOf(join(git, "HEAD"));
    const reference = /^ref: (refs\/\S+)$/.exec(head)?.[1];
    if (reference === undefined) return isCommit(head) ? head.slice(0, SHORT) : undefined;
    const branch = reference.replace(/^refs\/heads\//, "");
    const commit = commitOf(git, reference);
    return commit === undefined ? branch : `${branch} ${commit.slice(0, SHORT)}`;
  } catch {
    return undefined;
  }
}

/**
 * Returns the folder with git's files. In a worktree or a submodule, `.git` is a file that contains the path of this
 * folder.
 */
function gitFolderOf(path: string): string {
  if (statSync(path).isDirectory()) return path;
  const pointed = /^gitdir: (.+)$/m.exec(textOf(path))?.[1] ?? "";
  return resolve(dirname(path), pointed);
}

function commitOf(git: string, reference: string): string | undefined {
  if (reference.split("/").includes("..")) return undefined;
  for (const folder of [git, commonFolderOf(git)]) {
    const loose = tryText(join(folder, reference));
    if (loose !== undefined && isCommit(loose)) return loose;
    const packed = tryText(join(folder, "packed-refs")) ?? "";
    const line = packed.split("\n").find((each) => each.endsWith(` ${reference}`));
    if (line !== undefined) return line.split(" ")[0];
  }
  return undefined;
}

/**
 * Returns the folder that contains the branches. For a worktree, this folder is in the repository that the worktree
 * belongs to.
 */
function commonFolderOf(git: string): string {
  const common = tryText(join(git, "commondir"));
  return common === undefined ? git : resolve(git, common);
}

function isCommit(text: string): boolean {
  return /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(text);
}

/** Reads only regular files, because opening a FIFO would wait forever. */
function textOf(path: string): string {
  const stat = statSync(path);
  if (!stat.isFile() || stat.size > MAX_BYTES) throw new Error("not a git file");
  return readFileSync(path, { encoding: "utf8", flag: READ }).trim();
}

function tryText(path: string): string | undefined {
  try {
    return textOf(path);
  } catch {
    return undefined;
  }
}

/**
 * Records which workspace a folder in the store belongs to, because the folder's name is only a hash. gc needs the
 * record to find leftovers.
 */
export function introduceWorkspace(context: SnapshotContext, places: WorkspacePlaces, folder: string): void {
  if (context.disk.stat(places.about) !== undefined) return;
  const bytes = Buffer.from(`${JSON.stringify({ folder })}\n`);
  try {
    context.durable.make(places.folder);
    replaceFile(context, { path: places.about, bytes, content: "synced" });
  } catch (error) {
    throw writeError(error, { what: "workspace-notes" });
  }
}
