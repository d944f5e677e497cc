import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { WorldlineError } from "../../record/error.ts";
import {
  type FileState,
  folderOf,
  type LeftOut,
  type PathBytes,
  pathOfText,
  shownPath,
  textOfPath,
} from "../../record/files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { visibleName } from "../../record/visible-text.ts";
import { isLeftOutByName } from "../../snapshots/finding/coverage.ts";
import type { WhyLeftOut } from "../../strings/en/errors/files.ts";
import type { AppContext } from "../context.ts";
import { currentFolder } from "../places/workspace.ts";

/** Control characters, which must not be shown as they are, because they would break lines and columns. */
const controls = /\p{Cc}/gu;

/** Shows a path on one line, for users. Bytes that are not text, or that a terminal would interpret, become `\xNN`. */
export function pathText(path: PathBytes): string {
  const shown = shownPath(path).replace(controls, (each) => `\\x${twoDigits(each.charCodeAt(0))}`);
  return visibleName(shown === "" ? "." : shown);
}

/** The maximum length in characters. Lists have one row per path, and a path can be 4,095 bytes long. */
const MAX_SHOWN = 160;

/** Works like `pathText`, but for lists: a very long path is shown without its middle. */
export function shortPathText(path: PathBytes): string {
  const characters = [...pathText(path)];
  if (characters.length <= MAX_SHOWN) return characters.join("");
  const half = Math.floor((MAX_SHOWN - 1) / 2);
  return `${characters.slice(0, half).join("")}…${characters.slice(-half).join("")}`;
}

/** A path in JSON: its text and, if it is not valid text, its bytes in base64. */
export interface PathDocument {
  readonly path: string;
  readonly bytes?: string;
}

export function pathDocument(path: PathBytes): PathDocument {
  if (textOfPath(path) !== undefined) return { path: shownPath(path) };
  return { path: shownPath(path), bytes: Buffer.from(path, "latin1").toString("base64") };
}

function twoDigits(code: number): string {
  return code.toString(16).padStart(2, "0");
}

/**
 * Returns the paths within the workspace that the user may mean. The text is relative to the current folder, as in
 * shell completion, or to the workspace if the current folder is outside it. If the text contains `\xNN`, the result
 * also includes the path with the bytes themselves, which cannot be typed on a command line.
 */
export async function pathsMeant(
  context: AppContext,
  workspace: string,
  given: string,
): Promise<readonly PathBytes[]> {
  if (given === "") throw new WorldlineError("path-empty", {});
  const cwd = currentFolder(context.surroundings.cwd);
  const isOutside = withinOf(workspace, cwd) === undefined;
  const within =
    (await withinReal(workspace, resolve(cwd, given))) ??
    (isOutside ? await withinReal(workspace, resolve(workspace, given)) : undefined);
  if (within === undefined) throw new WorldlineError("path-outside", { path: given, workspace });
  const path = pathOfText(within);
  const spelled = path.replace(/\\x([0-9a-f]{2})/gu, (_all, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return spelled === path ? [path] : [path, spelled];
}

async function withinReal(workspace: string, path: string): Promise<string | undefined> {
  return withinOf(workspace, path) ?? withinOf(workspace, await realPlace(path));
}

function withinOf(workspace: string, path: string): string | undefined {
  const within = relative(workspace, path);
  if (isAbsolute(within) || within === ".." || within.startsWith(`..${sep}`)) return undefined;
  return within.split(sep).join("/");
}

/** Resolves links in the parent folders, but not the last part, because the user may mean the link itself. */
async function realPlace(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  return join(folder, basename(path));
}

/** A path given with `--only`: the text that the user typed and the paths that it may mean. */
interface MeantPath {
  readonly given: string;
  readonly paths: readonly PathBytes[];
}

export async function meantPaths(
  context: AppContext,
  workspace: string,
  given: readonly string[],
): Promise<readonly MeantPath[]> {
  const meant: MeantPath[] = [];
  for (const each of given) meant.push({ given: each, paths: await pathsMeant(context, workspace, each) });
  return meant;
}

interface Known {
  readonly files: States;
  /** A path is known if at least one of these snapshots contains it. */
  readonly snapshots: readonly SnapshotId[];
}

/**
 * Throws for a path that exists neither now nor in the snapshot. Such a path is probably mistyped, and must not be
 * reported as "nothing to do".
 */
export async function requireKnown(meant: readonly MeantPath[], known: Known): Promise<void> {
  for (const { given, paths } of meant) {
    if (await isKnown(paths, known)) continue;
    throw new WorldlineError("path-in-neither", { path: given });
  }
}

async function isKnown(paths: readonly PathBytes[], { files, snapshots }: Known): Promise<boolean> {
  for (const path of paths) {
    for (const snapshot of snapshots) {
      if (path === "" || (await files.stateAt(snapshot, path)) !== undefined) return true;
    }
  }
  return false;
}

type States = Pick<WorkspaceFiles, "stateAt">;

/** Returns the first of these paths that the snapshot contains. */
export async function firstKnown(
  files: States,
  snapshot: SnapshotId,
  meant: readonly PathBytes[],
): Promise<{ readonly path: PathBytes; readonly state: FileState } | undefined> {
  for (const path of meant) {
    const state = await files.stateAt(snapshot, path);
    if (state !== undefined) return { path, state };
  }
  return undefined;
}

/**
 * Returns the path that the snapshot leaves out: the given path or a folder above it. Nothing is known about the
 * contents of that path.
 */
export async function leftOutAt(
  files: States,
  snapshot: SnapshotId,
  path: PathBytes,
): Promise<{ readonly path: PathBytes; readonly why: LeftOut } | undefined> {
  for (let above = path; above !== ""; above = folderOf(above)) {
    const state = await files.stateAt(snapshot, above);
    if (state?.kind === "left-out") return { path: above, why: state.why };
  }
  return undefined;
}

/** Returns the reason why a path is not in a snapshot. Some folders are never captured because of their names. */
export function whyLeftOut(path: PathBytes, why: LeftOut): WhyLeftOut {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return why === "ignored" && isLeftOutByName(name) ? "never-captured" : why;
}
