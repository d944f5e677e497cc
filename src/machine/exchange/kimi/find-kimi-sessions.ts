import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { checkArguments, option } from "../../../record/options.ts";
import { type KimiFiles, kimiFilesAt } from "./kimi-files.ts";
import { readKimiState } from "./kimi-state.ts";
import { kimiWorkspaces } from "./kimi-workspaces.ts";

/** A session of kimi-cli that could be imported. */
export interface KimiSession {
  /** What to give to `importKimi`. */
  readonly path: string;
  readonly name: string;
  readonly title?: string;
  /** Undefined when kimi-cli does not know the folder any more. */
  readonly workspace?: string;
  readonly files: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

/** Where kimi-cli keeps its things, unless it was told otherwise. */
export function kimiHome(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return environment["KIMI_SHARE_DIR"] || join(homedir(), ".kimi");
}

/** Lists the sessions below kimi-cli's folder, last used first. Looks into none of them. */
export async function findKimiSessions(home: string = kimiHome()): Promise<readonly KimiSession[]> {
  checkArguments("findKimiSessions", { home: [home, option.path] });
  const workspaces = await kimiWorkspaces(home);
  const sessions: KimiSession[] = [];
  for (const shelf of await namesIn(join(home, "sessions"))) {
    const folder = join(home, "sessions", shelf);
    const workspace = workspaces.get(shelf);
    for (const path of await candidatesIn(folder)) sessions.push(...(await sessionAt(path, workspace)));
  }
  for (const path of await candidatesIn(join(home, "imported_sessions")))
    sessions.push(...(await sessionAt(path)));
  return sessions.sort((a, b) => b.modified - a.modified || (a.path < b.path ? -1 : 1));
}

/** Folders, and the files of versions before there were folders; those that were moved aside belong to another. */
async function candidatesIn(folder: string): Promise<string[]> {
  const names = await namesIn(folder);
  const known = new Set(names);
  const candidates: string[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    const owner = name.replace(/_\d+\.jsonl$/, ".jsonl");
    const isOwn = name.endsWith(".jsonl") && (owner === name || !known.has(owner));
    if (found?.isDirectory() || (found?.isFile() && isOwn)) candidates.push(path);
  }
  return candidates;
}

async function sessionAt(path: string, workspace?: string): Promise<KimiSession[]> {
  let found: KimiFiles;
  try {
    found = await kimiFilesAt(path);
  } catch {
    // A folder without a conversation is not worth a word here; importing it says what is missing.
    return [];
  }
  const { title } = await readKimiState(found.folder);
  const isFolder = found.folder === path;
  return [
    {
      path,
      name: found.name,
      ...(title === undefined || !isFolder ? {} : { title }),
      ...(workspace === undefined ? {} : { workspace }),
      files: found.files.length,
      modified: Math.max(...found.files.map((file) => file.modified)),
    },
  ];
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    const isAbsent =
      error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
    if (isAbsent) return [];
    throw error;
  }
}
