import { createHash, randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import {
  appendFile,
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { KeepOutput } from "../../agent/tools/bash/kept-output.ts";
import { userHome, usualHome } from "../../disk/folders.ts";
import { type HeldFolder, inHeldFolder, isParentChanged } from "../../disk/held-folder.ts";
import type { StorePlace } from "../../ports/log-store.ts";
import { WorldlineError } from "../../record/error.ts";
import { pathOfText } from "../../record/files.ts";
import type { SessionId } from "../../record/ids.ts";
import { isJsonObject } from "../../record/parts.ts";

/** Returns the code of an operating-system error, such as ENOENT. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the folder for everything that Worldline stores: WORLDLINE_HOME, or `~/.worldline`. Does not create the
 * folder.
 */
export function homeFolder(environment: Environment): string {
  const given = environment["WORLDLINE_HOME"];
  if (given === undefined || given === "") return usualHome();
  // Only a shell expands `~`. In a .env file or a service's configuration, an unexpanded `~` would create a folder
  // named "~".
  return resolve(withHome(given));
}

/** Creates the home folder if it does not exist, accessible only to its owner. */
export async function provideHome(folder: string): Promise<void> {
  try {
    await makeFolder(folder, 0o700);
  } catch (cause) {
    throw await homeUnusable(folder, cause);
  }
}

async function homeUnusable(folder: string, cause: unknown): Promise<WorldlineError> {
  const there = await stat(folder).catch(() => undefined);
  if (there !== undefined) return new WorldlineError("home-not-a-folder", { folder }, { cause });
  const why = cause instanceof Error ? { why: cause.message } : {};
  return new WorldlineError("home-not-made", { folder, ...why }, { cause });
}

/** Checks whether a word on the command line is the path of an existing folder or file. */
export function namedBy(word: string, cwd: () => string): "folder" | "file" | "nothing" {
  try {
    return statSync(resolve(cwd(), word)).isDirectory() ? "folder" : "file";
  } catch {
    // A word that cannot be checked does not name an existing folder or file: it may not exist, be far too long, or not
    // be a path at all.
    return "nothing";
  }
}

/** Checks whether the word can only be a path. */
export function looksLikePath(word: string): boolean {
  return /^(?:\.{0,2}\/|~\/|~$)|\/$/u.test(word) && !/\s/u.test(word);
}

/** Expands `~` in paths that did not come from a shell, which would already have expanded it. */
export function withHome(folder: string): string {
  return folder === "~" || folder.startsWith("~/") ? join(userHome(), folder.slice(1)) : folder;
}

/**
 * Creates a folder and its missing parents. Node's own option `recursive` is not used, because the call never returns
 * if creating a folder in an existing parent fails with "does not exist", as in /proc.
 */
export async function makeFolder(folder: string, mode: number): Promise<void> {
  if (await isFolder(folder)) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder), mode);
  try {
    await mkdir(folder, mode);
  } catch (error) {
    // The error is fine if another process has just created the folder, but not if the path is a file.
    if (!(await isFolder(folder))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (there) => there.isDirectory(),
    () => false,
  );
}

/**
 * Returns the folder for long outputs from a session's tools. The folder is next to the session's log or, if the log is
 * in a database, in a separate place.
 */
export function outputsOf(home: string, { kind }: StorePlace, session: SessionId): string {
  return kind === "files" ? join(home, "sessions", session, "outputs") : join(home, "outputs", session);
}

/**
 * Removes the long outputs from sessions that are stored in a database. If a session is stored in files, its outputs
 * are removed with its folder.
 */
export async function dropOutputs(home: string, sessions: readonly SessionId[]): Promise<void> {
  for (const session of sessions) await rm(join(home, "outputs", session), { recursive: true, force: true });
}

/** Finds the saved outputs that contain the text, for sessions that are stored in a database. */
export async function outputsWith(
  home: string,
  hasText: (bytes: Buffer) => boolean,
): Promise<readonly { readonly session: SessionId; readonly path: string }[]> {
  const found: { session: SessionId; path: string }[] = [];
  for (const session of await namesIn(join(home, "outputs"))) {
    for (const file of await namesIn(join(home, "outputs", session))) {
      const path = join(home, "outputs", session, file);
      if (hasText(await readFile(path))) found.push({ session: session as SessionId, path });
    }
  }
  return found;
}

/** Lists the names in a folder. Returns an empty list if the folder does not exist. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

/**
 * Saves outputs that are too long for the model, in one file for each call. Call ids can repeat after a backtrack, in a
 * sub-agent, or because a provider counts from 1 in every reply. An existing file is therefore never reused.
 */
export function keptOutputs(outputs: string): { readonly outputs: string; readonly keepOutput: KeepOutput } {
  return {
    outputs,
    keepOutput: async (call, bytes, file) => {
      if (file === undefined) return newFile(outputs, nameOf(call), bytes);
      await appendFile(file, bytes);
      return file;
    },
  };
}

async function newFile(outputs: string, name: string, bytes: Uint8Array): Promise<string> {
  await mkdir(outputs, { recursive: true, mode: 0o700 });
  for (let number = 1; ; number += 1) {
    const file = join(outputs, number === 1 ? `${name}.txt` : `${name}-${number}.txt`);
    try {
      await writeFile(file, bytes, { mode: 0o600, flag: "wx" });
      return file;
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
  }
}

/** Returns a safe file name for a call. The provider chooses the call ids and might choose `../../evil`. */
function nameOf(call: string): string {
  return call.replaceAll(/[^A-Za-z0-9_-]/gu, "_").slice(0, 100) || "call";
}

const MOST = 1_000;
/**
 * Number of lines by which the file may grow before the oldest lines are removed. Removing one line at a time would
 * rewrite the whole file for every new line.
 */
const SLACK = 200;

/** The inputs that the user typed in a workspace, stored in a file that only the user can read. */
interface TypedHistory {
  /** Returns the inputs, oldest first. */
  read(): Promise<readonly string[]>;
  add(typed: string): Promise<void>;
}

type HasText = (text: string) => boolean;

/** Counts the lines that contain the text in all workspaces' histories. */
export async function countTyped(home: string, hasText: HasText): Promise<number> {
  const files = await historiesWith(home, hasText);
  return files.reduce((sum, { forgotten }) => sum + forgotten, 0);
}

/**
 * Removes every line that contains the text from all workspaces' histories. Resolves with the number of removed lines.
 */
export async function forgetTyped(home: string, hasText: HasText): Promise<number> {
  const files = await historiesWith(home, hasText);
  for (const { path, kept } of files) {
    // Temporary files that a crash left next to a history are not needed.
    if (basename(path).startsWith(".")) await rm(path);
    else await replaceFile(path, kept.map((line) => `${line}\n`).join(""), { file: 0o600, folder: 0o700 });
  }
  return files.reduce((sum, { forgotten }) => sum + forgotten, 0);
}

interface Typed {
  readonly path: string;
  readonly kept: readonly string[];
  readonly forgotten: number;
}

async function historiesWith(home: string, hasText: HasText): Promise<readonly Typed[]> {
  const found: Typed[] = [];
  for (const name of await namesIn(folderIn(home))) {
    const path = join(folderIn(home), name);
    const lines = await linesIn(path);
    // The raw line is searched too, because a line that cannot be parsed may still contain the text.
    const kept = lines.filter((line) => ![line, ...typedIn(line)].some(hasText));
    if (kept.length < lines.length) found.push({ path, kept, forgotten: lines.length - kept.length });
  }
  return found;
}

function folderIn(home: string): string {
  return join(home, "history");
}

export function typedHistory(home: string, workspace: string): TypedHistory {
  const folder = folderIn(home);
  const path = join(folder, `${createHash("sha256").update(workspace).digest("hex").slice(0, 16)}.jsonl`);
  return {
    read: async () => (await linesIn(path)).flatMap(typedIn).slice(-MOST),
    async add(typed) {
      if (typed.trim() === "") return;
      await provideHome(home);
      await makeFolder(folder, 0o700);
      await append(path, `${JSON.stringify({ typed })}\n`);
      const lines = await linesIn(path);
      if (lines.length <= MOST + SLACK) return;
      await replaceFile(path, `${lines.slice(-MOST).join("\n")}\n`, { file: 0o600, folder: 0o700 });
    },
  };
}

/** Appends a line. If the file ends with a torn line, begins a new line first, so that only the torn line is lost. */
async function append(path: string, line: string): Promise<void> {
  const handle = await open(path, "a+", 0o600);
  try {
    const { size } = await handle.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    await handle.appendFile(size > 0 && last.toString() !== "\n" ? `\n${line}` : line);
  } finally {
    await handle.close();
  }
  await chmod(path, 0o600);
}

async function linesIn(path: string): Promise<readonly string[]> {
  try {
    return (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

function typedIn(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line);
    const typed = isJsonObject(value) ? value["typed"] : undefined;
    return typeof typed === "string" ? [typed] : [];
  } catch {
    return [];
  }
}

/**
 * A user action that changes nothing and is therefore not on a timeline. An activity contains only ids, so `forget`
 * need not search it.
 */
export interface Activity {
  readonly did: "rewind-menu-opened";
  readonly in: "terminal" | "command-line";
  /** The session whose checkpoints are listed first; absent if the workspace has no session yet. */
  readonly session?: SessionId;
}

const MAX_BYTES = 256 * 1024;

/**
 * Adds a line to `activity.jsonl` in Worldline's home. The line is not written to a session's log, because the last
 * entry in a log is the head, and opening the menu must not count as new work. When the file exceeds 256 KiB, it is
 * renamed to `activity.jsonl.1`, which replaces the previous file of that name. The file is used only to find out what
 * happened, so a write error is ignored.
 */
export async function noteActivity(home: string, activity: Activity): Promise<"written" | "not-written"> {
  const path = join(home, "activity.jsonl");
  const line = `${JSON.stringify({ at: new Date().toISOString(), ...activity })}\n`;
  try {
    await makeFolder(home, 0o700);
    const { size } = await stat(path).catch(() => ({ size: 0 }));
    if (size > MAX_BYTES) await rename(path, `${path}.1`);
    await appendFile(path, line, { mode: 0o600 });
    return "written";
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return "not-written";
  }
}

interface Modes {
  /** The mode of a new file. An existing file keeps its mode. */
  readonly file: number;
  readonly folder: number;
  /**
   * "never": the path was checked, and replacing the file fails if one of its folders has become a link since then. By
   * default, links are followed.
   */
  readonly links?: "follow" | "never";
}

/** Replaces a file with `text`. Readers see either the old or the new content, even after a power failure. */
export async function replaceFile(path: string, text: string, modes: Modes): Promise<void> {
  try {
    const folder = modes.links === "never" ? dirname(path) : await realFolder(dirname(path), modes.folder);
    const name = basename(path);
    await inHeldFolder(pathOfText(folder), async (held) => replaceIn(held, { name, text, modes }), {
      make: modes.folder,
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WorldlineError(whyNotReplaced(cause), { path, why }, { cause });
  }
}

/** Returns the reason for the error when a file cannot be replaced. */
export function whyNotReplaced(cause: unknown): "no-room-for-file" | "file-below-a-link" | "file-unwritable" {
  if (["ENOSPC", "EDQUOT"].includes(systemCode(cause) ?? "")) return "no-room-for-file";
  return isParentChanged(cause) ? "file-below-a-link" : "file-unwritable";
}

async function realFolder(folder: string, mode: number): Promise<string> {
  await makeFolder(folder, mode);
  return realpath(folder);
}

async function replaceIn(
  held: HeldFolder,
  { name, text, modes }: { readonly name: string; readonly text: string; readonly modes: Modes },
): Promise<void> {
  const place = held.at(pathOfText(name));
  const temporary = held.at(pathOfText(`.${name}.${randomBytes(6).toString("hex")}`));
  try {
    const there = await lstat(place).catch(() => undefined);
    await writeDurably(temporary, text, there?.isFile() === true ? there.mode & 0o777 : modes.file);
    held.requireStill();
    await rename(temporary, place);
    await syncFolder(held);
  } catch (error) {
    await rm(temporary).catch(() => undefined);
    throw error;
  }
}

async function writeDurably(path: string | Buffer, text: string, mode: number): Promise<void> {
  const handle = await open(path, "wx", mode);
  try {
    await handle.writeFile(text, "utf8");
    // The umask changes the mode given to `open`, but the old file's mode must be kept exactly.
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Syncs a folder, because a rename in a folder is not durable until the folder is synced. Windows cannot open folders
 * and does not need the sync.
 */
async function syncFolder(folder: HeldFolder): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder.at(), "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Returns the SDK folder that the setting `claude.sdk` names, or undefined if the SDK is expected to be installed next
 * to Worldline.
 */
export function sdkFolder(named: string): string | undefined {
  if (named === "") return undefined;
  const folder = withHome(named);
  if (isAbsolute(folder)) return folder;
  // A relative path would depend on the current folder, which may contain untrusted code.
  throw new WorldlineError("sdk-folder-relative", { folder: named });
}
