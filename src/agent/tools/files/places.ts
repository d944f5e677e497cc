import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Subject, ToolCall } from "../tool.ts";

/** As many links as Linux follows before it says that they lead in a circle. */
const MOST_LINKS = 40;

/** Where a path that the model wrote really leads, also where nothing is yet: links are followed, dangling ones too. */
export async function placeOf(workspace: string, path: string): Promise<string> {
  return follow(resolve(workspace, path), MOST_LINKS);
}

async function follow(path: string, links: number): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // Missing, forbidden, or a circle: then the folder above says where it would be. Whoever opens it hears the reason.
  }
  const above = dirname(path);
  if (above === path || links === 0) return path;
  const place = join(await follow(above, links), basename(path));
  const target = await targetOf(place);
  return target === undefined ? place : follow(resolve(dirname(place), target), links - 1);
}

async function targetOf(place: string): Promise<string | undefined> {
  try {
    return await readlink(place);
  } catch {
    // Nothing there, or no link.
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
 * Where a call works: the place that was allowed, whatever its path leads to by now. It is real, so that `disk/held-folder.ts`
 * refuses it when a link takes the place of a folder of it.
 */
export async function allowedPlace(
  workspace: string,
  path: string,
  { places: [allowed] = [] }: Pick<ToolCall, "places">,
): Promise<string> {
  return allowed ?? placeOf(workspace, path);
}

/** As the model is told of it: below the workspace relative to it, which every tool takes. */
export function shownPath(workspace: string, place: string): string {
  const way = relative(workspace, place);
  if (way === "") return ".";
  return isAbsolute(way) || way === ".." || way.startsWith("../") ? place : way;
}
