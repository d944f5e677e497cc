import { randomBytes } from "node:crypto";
import { lstat, open, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type HeldFolder, inHeldFolder, isParentChanged } from "../../disk/held-folder.ts";
import { WorldlineError } from "../../record/error.ts";
import { pathOfText } from "../../record/files.ts";
import { makeFolder, systemCode } from "./home.ts";

export interface Modes {
  /** For a file that is new; one that is there keeps its own. */
  readonly file: number;
  readonly folder: number;
  /** "never": its path was looked at, and no folder on the way may have become a link since. By default they are followed. */
  readonly links?: "follow" | "never";
}

/** Puts `text` in a file's place: a reader finds the old content or the new, also after a power cut. */
export async function replaceFile(path: string, text: string, modes: Modes): Promise<void> {
  try {
    const folder = modes.links === "never" ? dirname(path) : await realFolder(dirname(path), modes.folder);
    const name = basename(path);
    await inHeldFolder(pathOfText(folder), async (held) => replaceIn(held, { name, text, modes }), {
      make: modes.folder,
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WorldlineError(reasonOf(cause), { path, why }, { cause });
  }
}

function reasonOf(cause: unknown): "no-room-for-file" | "file-below-a-link" | "file-unwritable" {
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
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function writeDurably(path: string | Buffer, text: string, mode: number): Promise<void> {
  const handle = await open(path, "wx", mode);
  try {
    await handle.writeFile(text, "utf8");
    // The mode given to `open` passes through the umask; the old file's must come back exactly.
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A rename is on disk only when its folder is. Windows cannot open folders, and needs no such thing. */
async function syncFolder(folder: HeldFolder): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder.at(), "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
