import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type Remark, remark, WorldlineError } from "../../../record/error.ts";
import { checkArguments, option } from "../../../record/options.ts";
import { isJsonObject, type Json, type JsonObject, type TodoItem } from "../../../record/parts.ts";

/** A kimi-cli session that can be imported. */
export interface KimiSession {
  /** The path to pass to `importKimi`. */
  readonly path: string;
  readonly name: string;
  readonly title?: string;
  /** The session's workspace; undefined if kimi-cli no longer lists it. */
  readonly workspace?: string;
  readonly files: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

/** The folder where kimi-cli stores its data by default. */
export function kimiHome(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return environment["KIMI_SHARE_DIR"] || join(homedir(), ".kimi");
}

/** Lists the sessions in kimi-cli's folder, most recently used first, without opening them. */
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

/**
 * Finds session folders, and the session files of older versions that did not use folders. Files that kimi-cli moved
 * aside are not included, because they are part of another file's session.
 */
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
    // The folder contains no conversation, so it is skipped. Importing the folder would report what is missing.
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

/** One file of a kimi-cli session. */
export interface KimiFile {
  readonly path: string;
  readonly name: string;
  /** The modification time, in milliseconds since 1970. Messages have no timestamps, so they are given this time. */
  readonly modified: number;
}

export interface KimiFiles {
  /** The files, oldest first. The last file is the current conversation. */
  readonly files: readonly KimiFile[];
  readonly folder: string;
  /** The session's id in kimi-cli. */
  readonly name: string;
  readonly remarks: readonly Remark[];
}

const LIVE_NAME = "context.jsonl";
/** The maximum size of a file, because the whole file is read into memory. */
const MAX_BYTES = 1024 ** 3;

/**
 * Finds the files of the session at `path`, which is the session's folder or its current file. Does not open the files.
 */
export async function kimiFilesAt(path: string): Promise<KimiFiles> {
  const isFolder = (await statOf(path)).isDirectory();
  const folder = isFolder ? path : dirname(path);
  const liveName = isFolder ? LIVE_NAME : basename(path);
  const names = await readdir(folder);
  const remarks: Remark[] = [];
  const earlier = await earlierFiles(folder, { names, liveName }, remarks);
  const files = names.includes(liveName) ? [...earlier, await fileAt(join(folder, liveName))] : earlier;
  if (files.length === 0) throw new WorldlineError("import-nothing-there", { path });
  if (!names.includes(liveName)) {
    remarks.push(remark("kimi-live-file-missing", { path: liveName }));
  }
  const name = liveName === LIVE_NAME ? basename(folder) : liveName.replace(/\.jsonl$/, "");
  return { files, folder, name, remarks };
}

/** Matches files that kimi-cli moved aside: `context_<n>.jsonl`, or `context.jsonl.<n>`. */
async function earlierFiles(
  folder: string,
  { names, liveName }: { readonly names: readonly string[]; readonly liveName: string },
  remarks: Remark[],
): Promise<KimiFile[]> {
  const stem = liveName.replace(/\.jsonl$/, "");
  if (stem === liveName) return [];
  const dotted = await numbered(folder, names, [`${liveName}.`, ""]);
  const underscored = await numbered(folder, names, [`${stem}_`, ".jsonl"]);
  const times = dotted.map((file) => file.modified);
  if (new Set(times).size < times.length) {
    remarks.push(remark("kimi-times-equal", { path: liveName }));
  }
  return [...dotted.sort((a, b) => a.modified - b.modified), ...underscored];
}

async function numbered(
  folder: string,
  names: readonly string[],
  [start, end]: readonly [string, string],
): Promise<KimiFile[]> {
  const found = names.flatMap((name) => {
    if (!name.startsWith(start) || !name.endsWith(end)) return [];
    const number = name.slice(start.length, name.length - end.length);
    return /^\d{1,9}$/.test(number) ? [{ name, number: Number(number) }] : [];
  });
  const sorted = found.sort((a, b) => a.number - b.number);
  return Promise.all(sorted.map(({ name }) => fileAt(join(folder, name))));
}

/** Accepts only regular files, because reading a pipe or a device might never end. */
async function fileAt(path: string): Promise<KimiFile> {
  const found = await statOf(path);
  if (!found.isFile()) throw new WorldlineError("import-not-a-file", { path });
  if (found.size > MAX_BYTES) {
    throw new WorldlineError("import-too-large", { path, most: MAX_BYTES });
  }
  return { path, name: basename(path), modified: found.mtimeMs };
}

async function statOf(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (cause) {
    throw new WorldlineError("import-path-unreadable", { path }, { cause });
  }
}

/** The data that kimi-cli stores next to a conversation. */
interface KimiState {
  readonly title?: string;
  readonly todos: readonly TodoItem[];
  readonly remarks: readonly Remark[];
}

const STATUS: Readonly<Record<string, TodoItem["status"]>> = {
  pending: "open",
  in_progress: "doing",
  done: "done",
};

/** Reads `state.json` and, for the title, the `metadata.json` of older versions. Neither is required. */
export async function readKimiState(folder: string): Promise<KimiState> {
  const state = await readObject(join(folder, "state.json"));
  const older = await readObject(join(folder, "metadata.json"));
  const title = [state.value?.["custom_title"], older.value?.["title"]].find(
    (one) => typeof one === "string" && one.trim() !== "" && one !== "Untitled",
  );
  return {
    ...(typeof title === "string" ? { title } : {}),
    todos: todosIn(state.value?.["todos"]),
    remarks: [...state.remarks, ...older.remarks],
  };
}

function todosIn(value: Json | undefined): TodoItem[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).flatMap((item) => {
    if (!isJsonObject(item) || typeof item["title"] !== "string") return [];
    return [{ text: item["title"], status: STATUS[String(item["status"])] ?? "open" }];
  });
}

/**
 * Reads the object in a small JSON file. A file that cannot be used causes only a warning, because the conversation
 * does not depend on it.
 */
async function readObject(
  path: string,
): Promise<{ readonly value?: JsonObject; readonly remarks: readonly Remark[] }> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
    return { remarks: isAbsent ? [] : [remark("kimi-file-unreadable", { path })] };
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return { value, remarks: [] };
  } catch {
    // Invalid JSON is reported below, in the same way as a file that does not contain an object.
  }
  return { remarks: [remark("kimi-file-not-an-object", { path })] };
}

/** The workspaces that kimi-cli has worked in, keyed by the name of the folder that contains their sessions. */
async function kimiWorkspaces(share: string): Promise<ReadonlyMap<string, string>> {
  const { value } = await readObject(join(share, "kimi.json"));
  const listed = value?.["work_dirs"];
  const paths = Array.isArray(listed) ? (listed as readonly Json[]) : [];
  return new Map(
    paths.flatMap((item) => {
      // Skips remote folders, because they are not on this machine.
      const isLocal = isJsonObject(item) && (item["kaos"] === undefined || item["kaos"] === "local");
      const path = isLocal ? item["path"] : undefined;
      return typeof path === "string" ? [[createHash("md5").update(path).digest("hex"), path] as const] : [];
    }),
  );
}

/** The workspace of a session in kimi-cli's folder; undefined for a session elsewhere. */
export async function workspaceOf(folder: string): Promise<string | undefined> {
  // The path is sessions/<hash>/<session>/context.jsonl or, in older versions, sessions/<hash>/<session>.jsonl.
  for (const sessions of [dirname(folder), folder]) {
    if (basename(dirname(sessions)) !== "sessions") continue;
    const workspaces = await kimiWorkspaces(dirname(dirname(sessions)));
    const workspace = workspaces.get(basename(sessions));
    if (workspace !== undefined) return workspace;
  }
  return undefined;
}
