import { writeSync } from "node:fs";
import type { SessionId } from "../../../../record/ids.ts";
import { act } from "../stage.ts";

/** Where this module is, so that another process can load it. */
export const here = import.meta.url;

export interface Fate {
  readonly home: string;
  readonly workspace: string;
  readonly session: SessionId;
  readonly to: number;
  /** After which part of the restore, from 0 to 1, it kills itself; undefined when somebody else does. */
  readonly at?: number;
}

const STANDARD_OUTPUT = 1;

/**
 * Rewinds the files and is killed on the way.
 * @public Called by its name, in another process.
 */
export async function rewindUntilKilled({ home, workspace, session: id, to, at }: Fate): Promise<void> {
  const acting = await act({ home, workspace }, id);
  await acting.session.rewind({
    to,
    scope: "files",
    choice: "take",
    author: "timeline",
    onProgress: (progress) => {
      if (progress.doing !== "restore") return;
      if (progress.done === 1) writeSync(STANDARD_OUTPUT, "restoring\n");
      if (at !== undefined && progress.done >= at * progress.of) process.kill(process.pid, "SIGKILL");
    },
  });
  await acting.close();
}
