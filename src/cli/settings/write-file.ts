import { randomBytes } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { WorldlineError } from "../../record/error.ts";
import { makeFolder } from "../places/make-folder.ts";
import { systemCode } from "../places/system-error.ts";

export interface Modes {
  /** For a file that is new; one that is there keeps its own. */
  readonly file: number;
  readonly folder: number;
}

/** Puts `text` in a file's place: a reader finds the old content or the new, also after a power cut. */
export async function replaceFile(path: string, text: string, modes: Modes): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  try {
    await makeFolder(folder, modes.folder);
    const there = await stat(path).catch(() => undefined);
    await writeDurably(temporary, text, there === undefined ? modes.file : there.mode & 0o777);
    await rename(temporary, path);
    await syncFolder(folder);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const full = ["ENOSPC", "EDQUOT"].includes(systemCode(cause) ?? "");
    throw new WorldlineError(
      full ? "STORE_FULL" : "STORE_UNWRITABLE",
      `${path} could not be written: ${cause instanceof Error ? cause.message : String(cause)}.`,
      {
        hint: full ? "Make room on the disk and try again." : "Check that the folder is yours to write to.",
        cause,
      },
    );
  }
}

async function writeDurably(path: string, text: string, mode: number): Promise<void> {
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
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
