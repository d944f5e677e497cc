import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { userHome } from "../../../disk/folders.ts";

/** The folder for Claude's notes, which all later sessions of the same project see. */
const MEMORY = "memory";

/** Returns the folder where the SDK stores all its data. */
export function sdkHome(environment: Readonly<Record<string, string | undefined>>): string {
  return environment["CLAUDE_CONFIG_DIR"] ?? join(environment["HOME"] ?? userHome(), ".claude");
}

/**
 * Returns the files that the SDK stores for these sessions: transcripts of sessions and sub-agents, file backups, and
 * notes for all sessions of a project. Worldline lists these files, but never touches them. This function searches all
 * project folders for names that begin with the session's id, because the SDK decides how to name those folders.
 */
export async function keptFilesOf(home: string, sessions: readonly string[]): Promise<readonly string[]> {
  const folders = await foldersIn(home);
  const projects = await foldersIn(join(home, "projects"));
  const kept: string[] = [];
  for (const folder of [...folders, ...projects]) kept.push(...(await keptIn(folder, sessions)));
  return kept.sort();
}

async function keptIn(folder: string, sessions: readonly string[]): Promise<readonly string[]> {
  const entries = await entriesOf(folder);
  const isTheirs = ({ name }: Dirent): boolean => sessions.some((session) => isOf(session, name));
  if (!entries.some(isTheirs)) return [];
  const kept: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if ((isTheirs(entry) || entry.name === MEMORY) && !(await isEmpty(path, entry))) kept.push(path);
  }
  return kept;
}

function isOf(session: string, name: string): boolean {
  return name.startsWith(session) && !/^[0-9a-z]/iu.test(name.slice(session.length));
}

async function isEmpty(path: string, entry: Dirent): Promise<boolean> {
  return entry.isDirectory() && (await entriesOf(path)).length === 0;
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  return (await entriesOf(folder))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

/** Lists a folder. The list is empty if the folder is missing or unreadable. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
