import { constants, lstatSync, type Stats, statSync } from "node:fs";
import { type FileHandle, open, readdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, join, relative, resolve } from "node:path";
import { heldFolders, inHeldFolder } from "../../disk/held-folder.ts";
import {
  errnoOf,
  isMissing,
  isWorldlineError,
  type Remark,
  type RemarkParams,
  remark,
  remarkOf,
} from "../../record/error.ts";
import { pathOfText } from "../../record/files.ts";
import { joinLiterally } from "../permissions/places.ts";
import type { Subject } from "../permissions/rules.ts";
import type { ToolCall } from "./tool.ts";

/**
 * The kind of file at a real path. Only regular files are ever opened, because opening a FIFO or a device could block
 * forever or have side effects.
 */
type Look =
  | { readonly kind: "file"; readonly stats: Stats }
  | { readonly kind: "folder" }
  | { readonly kind: "missing" }
  | { readonly kind: "unusable"; readonly fault: Remark };

const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

export async function lookAt(place: string): Promise<Look> {
  try {
    return heldFolders.look(pathOfText(place), (at) => {
      const stats = lstatSync(at);
      return stats.isSymbolicLink() ? { kind: "unusable", fault: linkFault(at) } : kindOf(stats);
    });
  } catch (error) {
    return isMissing(error) ? { kind: "missing" } : { kind: "unusable", fault: faultOf(error) };
  }
}

/**
 * Returns what is wrong with a link at a real path. A real path contains links only if they form a loop or were created
 * later.
 */
function linkFault(at: string | Buffer): Remark {
  try {
    statSync(at);
  } catch (error) {
    if (errnoOf(error) === "ELOOP") return remark("file-links-circle");
  }
  return remark("file-link-now");
}

function kindOf(stats: Stats): Look {
  if (stats.isFile()) return { kind: "file", stats };
  if (stats.isDirectory()) return { kind: "folder" };
  if (stats.isFIFO()) return { kind: "unusable", fault: remark("file-is-fifo") };
  if (stats.isSocket()) return { kind: "unusable", fault: remark("file-is-socket") };
  return { kind: "unusable", fault: remark("file-is-device") };
}

/**
 * Runs `work` in a folder. Throws if the folder was replaced while `work` was running, because the result may apply to
 * another folder.
 */
export async function whileInPlace<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  return inHeldFolder(pathOfText(folder), async (held) => {
    const result = await work();
    held.requireStill();
    return result;
  });
}

/**
 * Opens a file for reading. Never blocks and never follows a link, even if the file has been replaced since it was
 * checked.
 */
export async function openFile(place: string): Promise<FileHandle> {
  const name = pathOfText(basename(place));
  const file = await inHeldFolder(pathOfText(dirname(place)), async (held) => open(held.at(name), READ));
  try {
    if ((await file.stat()).isFile()) return file;
    throw Object.assign(new Error("not a file"), { code: "NOT_A_FILE" });
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Describes an error as a clause without a period. */
export function faultOf(error: unknown): Remark {
  const errno = isWorldlineError(error) ? undefined : errnoOf(error);
  const known = remarkOf(error);
  return errno === undefined ? known : remark("file-system-error", { errno, said: known.why });
}

/** Maximum number of links to follow. Linux reports a loop after the same number of links. */
const MAX_LINKS = 40;

/**
 * Resolves a path that the model wrote to its real path, even if nothing exists there yet. Follows links, even broken
 * ones.
 */
export async function placeOf(workspace: string, path: string): Promise<string> {
  return realPlaceOf(resolve(workspace, path));
}

/**
 * Resolves an absolute path as the system does, even if nothing exists there yet. `left` is the number of links that may
 * still be followed.
 */
export async function realPlaceOf(path: string, left = { links: MAX_LINKS }): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // The path is missing, forbidden, or part of a link loop. The real path then depends on the parent folder. Opening
    // the path will report the reason.
  }
  const place = join(await realPlaceOf(dirname(path), left), basename(path));
  const target = await targetOf(place);
  if (target === undefined || left.links === 0) return place;
  left.links -= 1;
  return realPlaceOf(joinLiterally(dirname(place), target), left);
}

async function targetOf(place: string): Promise<string | undefined> {
  try {
    return await readlink(place);
  } catch {
    // The path does not exist, or is not a link.
    return undefined;
  }
}

export async function pathSubject(
  workspace: string,
  path: string,
  access: "read" | "write",
): Promise<readonly Subject[]> {
  return [{ kind: "path", path: await placeOf(workspace, path), access }];
}

/**
 * Returns the real path that a call was allowed to use, regardless of where the path in the call leads now. If one of
 * its folders is replaced by a link, `disk/held-folder.ts` refuses the path.
 */
export async function allowedPlace(
  workspace: string,
  path: string,
  { places: [allowed] = [] }: Pick<ToolCall, "places">,
): Promise<string> {
  return allowed ?? placeOf(workspace, path);
}

/**
 * Returns the path to show to the model. A path inside the workspace is shown relative to the workspace, because every
 * tool accepts this form.
 */
export function shownPath(workspace: string, place: string): string {
  const way = relative(workspace, place);
  if (way === "") return ".";
  return isAbsolute(way) || way === ".." || way.startsWith("../") ? place : way;
}

const MOST = 3;

/** Returns a remark that says that a path does not exist and suggests existing paths with similar names. */
export async function nothingThere(
  kind: RemarkParams<"nothing-there">["kind"],
  workspace: string,
  place: string,
): Promise<Remark> {
  const inside = join(workspace, place);
  const found = (await lookAt(inside)).kind === "file" ? [inside] : await neighbours(place);
  const similar = found.map((each) => shownPath(workspace, each));
  return remark("nothing-there", { kind, path: shownPath(workspace, place), similar });
}

async function neighbours(place: string): Promise<string[]> {
  const folder = dirname(place);
  const wanted = plain(basename(place));
  // For names of three or more letters, the limit is at least 2, because two swapped letters count as two changes.
  const most = Math.max(wanted.length < 3 ? 1 : 2, Math.floor(wanted.length / 4));
  const near = (await namesIn(folder))
    .map((name) => ({ name, far: distance(wanted, plain(name)) }))
    .filter(({ name, far }) => far <= most || sameStem(wanted, plain(name)))
    .sort((one, other) => one.far - other.far || (one.name < other.name ? -1 : 1));
  return near.slice(0, MOST).map(({ name }) => join(folder, name));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    // The caller reports the error even without a suggestion.
    return [];
  }
}

/** Normalizes a name, because a letter with an accent may be encoded as one character or two. */
function plain(name: string): string {
  return name.normalize("NFC").toLowerCase().replace(/\s/gu, " ");
}

function sameStem(one: string, other: string): boolean {
  return (
    one.slice(0, -extname(one).length || undefined) === other.slice(0, -extname(other).length || undefined)
  );
}

/** Returns how many letters must be added, removed or changed to turn one name into the other. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > one.length) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/**
 * The files that the model has seen on this branch. After a rewind or backtrack to a place, files that the model read
 * after that place count as unseen.
 */
export interface SeenFiles {
  /**
   * Returns the sha256 in hex of a file's bytes as the model last saw them, or undefined if it never saw them. The path
   * must be a real path.
   */
  shaOf(path: string): Promise<string | undefined>;
}
