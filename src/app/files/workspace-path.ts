import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { WorldlineError } from "../../record/error.ts";
import { type PathBytes, pathOfText } from "../../record/files.ts";
import type { AppContext } from "../context.ts";
import { currentFolder } from "../places/workspace.ts";

/**
 * The paths within the workspace that a person may mean: relative to the current folder, as shells complete them, or to
 * the workspace for who stands outside of it. The second, where there is one, reads `\xNN` as lists show it, because a
 * command line cannot hold such bytes.
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

/** Without its last part, which may itself be a link that is meant. */
async function realPlace(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  return join(folder, basename(path));
}
