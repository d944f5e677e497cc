import { appendFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SessionId } from "../../record/ids.ts";
import { makeFolder } from "./make-folder.ts";
import { systemCode } from "./system-error.ts";

/** Something the user did that changes nothing, and so is on no timeline. Ids only: `forget` need not look here. */
export interface Activity {
  readonly did: "rewind-menu-opened";
  readonly in: "terminal" | "command-line";
  /** Whose checkpoints are listed first; absent where the workspace has no session yet. */
  readonly session?: SessionId;
}

const MAX_BYTES = 256 * 1024;

/**
 * Adds a line to `activity.jsonl` in Worldline's home. A session's log would be the wrong place: its last line is the head,
 * and a look at the menu must not count as new work. Past 256 KiB the file becomes `activity.jsonl.1`, in place of the one before.
 * It is a diary for finding out what happened, so a disk that takes no more costs the line and nothing else.
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
