import { constants, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, parse, resolve, sep } from "node:path";
import { writeError } from "../../disk/disk.ts";
import { replaceFile } from "../../disk/durable-files.ts";
import { userHome } from "../../disk/folders.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SnapshotContext, WorkspacePlaces } from "../context.ts";

/**
 * Refuses the home folder, the root of a disk, what holds either, and what is on no disk at all: capturing them would take everything that a person
 * has, and restoring them would write over it.
 */
export function requireCapturable(folder: string, home: string = realHome()): void {
  if (isOfSystem(folder)) throw new WorldlineError("workspace-of-the-system", { folder });
  if (!holdsEverything(folder, home)) return;
  throw new WorldlineError("workspace-too-wide", { folder, is: home === folder ? "home" : "wider" });
}

/** Whether it is the home folder, the root of a disk, or what holds either. */
export function holdsEverything(folder: string, home: string = realHome()): boolean {
  const holdsHome = home === folder || home.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
  return holdsHome || parse(folder).root === folder;
}

/** Where reading a file may never end, and writing one changes the machine. */
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
/** A file of git's that is larger than this is none, or not worth reading for a name. */
const MAX_BYTES = 16 * 1024 * 1024;
// Node takes a number too, which its types do not say.
const READ = (constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)) as unknown as string;

/**
 * What git has checked out in a folder, read from its files: `main 1a2b3c4d5e`, or a commit alone. Git is not run, because
 * its configuration can make it run anything. Undefined outside a repository, or where its files are not as expected.
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

/** In a worktree or a submodule `.git` is a file that says where the folder is. */
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

/** The branches of a worktree are in the repository that it belongs to. */
function commonFolderOf(git: string): string {
  const common = tryText(join(git, "commondir"));
  return common === undefined ? git : resolve(git, common);
}

function isCommit(text: string): boolean {
  return /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(text);
}

/** Only of a file: a FIFO in its place would be waited for, for ever. */
function textOf(path: string): string {
  const stat = statSync(path);
  if (!stat.isFile() || stat.size > MAX_BYTES) throw new Error("no file of git's");
  return readFileSync(path, { encoding: "utf8", flag: READ }).trim();
}

function tryText(path: string): string | undefined {
  try {
    return textOf(path);
  } catch {
    return undefined;
  }
}

/** Says which workspace a folder of the store belongs to: its name is a hash. Gc needs it to know what is left over. */
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
