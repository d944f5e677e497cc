import { constants, type FileHandle, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { WorldlineError } from "../../../record/error.ts";
import type { WhyFileUnreadable } from "../../../strings/errors/en/settings.ts";
import { systemCode } from "../../places/system-error.ts";
import type { FileLayer } from "../given.ts";

export interface SettingsFile {
  readonly layer: FileLayer;
  readonly path: string;
}

/** A settings file that is there. The bytes are what trust is about, the text is what they say. */
export interface SettingsFileContent extends SettingsFile {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** A settings file is written by hand; what is larger is something else, perhaps without an end. */
const MOST_BYTES = 1024 * 1024;

/**
 * The settings files for a workspace, weakest first. When the workspace is the folder that holds the
 * home, its own file would be the user's: that one file then counts once, as the user's.
 */
export async function settingsFiles(home: string, workspace: string): Promise<readonly SettingsFile[]> {
  const folder = join(workspace, ".worldline");
  const user: SettingsFile = { layer: "user", path: join(home, "settings.json") };
  if ((await realOrSame(folder)) === (await realOrSame(home))) return [user];
  return [
    user,
    { layer: "workspace", path: join(folder, "settings.json") },
    { layer: "local", path: join(folder, "settings.local.json") },
  ];
}

/** Nothing when there is no such file; SETTINGS_INVALID when there is one that cannot be read. */
export async function readSettingsFile(file: SettingsFile): Promise<SettingsFileContent | undefined> {
  const bytes = await readBytes(file.path);
  if (bytes === undefined) return undefined;
  try {
    // Without a BOM in the result: editors on Windows write one.
    return { ...file, bytes, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (cause) {
    throw unreadable(file.path, "not-utf8", cause);
  }
}

/** The workspace's `.mcp.json`; nothing when there is none. */
export async function readMcpFile(
  workspace: string,
): Promise<{ readonly path: string; readonly bytes: Uint8Array } | undefined> {
  const path = join(workspace, ".mcp.json");
  try {
    const bytes = await readBytes(path);
    return bytes === undefined ? undefined : { path, bytes };
  } catch (error) {
    // Commands that start no server go on without it, and whoever wants one is told why then.
    if (error instanceof WorldlineError) return { path, bytes: new Uint8Array() };
    throw error;
  }
}

/** Nothing where there is none; SETTINGS_INVALID where there is something else. */
export async function readBytes(path: string): Promise<Uint8Array | undefined> {
  try {
    // Non-blocking, because opening a FIFO would wait for a writer for ever.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      return await readRegular(handle, path);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (cause instanceof WorldlineError) throw cause;
    // ENOTDIR: the workspace has a file named .worldline, which may be anything.
    if (["ENOENT", "ENOTDIR"].includes(systemCode(cause) ?? "")) return undefined;
    throw unreadable(path, { system: cause instanceof Error ? cause.message : String(cause) }, cause);
  }
}

async function readRegular(handle: FileHandle, path: string): Promise<Uint8Array> {
  const found = await handle.stat();
  if (!found.isFile()) throw unreadable(path, "not-a-file");
  if (found.size > MOST_BYTES) throw unreadable(path, { largerThan: MOST_BYTES });
  return handle.readFile();
}

async function realOrSame(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function unreadable(file: string, why: WhyFileUnreadable, cause?: unknown): WorldlineError {
  return new WorldlineError("settings-file-unreadable", { file, why }, { cause });
}
