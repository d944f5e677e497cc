import { type ChildProcessByStdio, spawn } from "node:child_process";
import { writeSync } from "node:fs";
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { systemClock } from "../src/disk/system-clock.ts";
import { holdSession } from "../src/machine/open.ts";
import type { SessionId } from "../src/record/ids.ts";
import { openFilesStore } from "../src/stores/files/files.ts";
import { openSessionOn } from "./stage.ts";

/** The task of the second process, with its argument. */
type Work =
  | { readonly does: "writeUntilKilled"; readonly with: Writing }
  | { readonly does: "rewindUntilKilled"; readonly with: Rewinding };

export interface Writing {
  readonly home: string;
  readonly session: SessionId;
}

export interface Rewinding {
  readonly home: string;
  readonly workspace: string;
  readonly session: SessionId;
  readonly to: number;
  /**
   * The fraction of the restore, from 0 to 1, after which the process kills itself; undefined if its
   * parent kills it.
   */
  readonly at?: number;
}

/** The time after which a process that was never killed ends. The demonstration is long over by then. */
const MAX_MS = 20_000;
const STANDARD_OUTPUT = 1;

/**
 * Starts a process that loads this module and does the work; its standard output is piped. Import this module
 * with `await import(...)`, because only then does the bundle keep it as a separate file that another
 * process can load.
 */
export function startUntilKilled({ does, with: argument }: Work): ChildProcessByStdio<null, Readable, null> {
  const here = JSON.stringify(import.meta.url);
  const code = `import(${here}).then((it) => it.${does}(${JSON.stringify(argument)}))`;
  return spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/**
 * Appends one entry after another and prints the id of each entry when it is durable, until the process is killed.
 * @public Called by name in another process.
 */
export async function writeUntilKilled({ home, session }: Writing): Promise<void> {
  const deps = { store: openFilesStore({ root: home, clock: systemClock }), clock: systemClock };
  const held = await holdSession(deps, session, { name: "the story's second process" });
  const end = systemClock.now() + MAX_MS;
  for (let count = 1; systemClock.now() < end; count += 1) {
    const id = await held.append({
      kind: "notice",
      text: `Entry ${count} of a process that is about to be killed.`,
    });
    process.stdout.write(`${id}\n`);
    // Yields to the event loop; otherwise the process would not notice that its pipe was closed when the
    // story ended.
    await setImmediate();
  }
  await held.close();
}

/**
 * Rewinds the files, and is killed before the rewind is finished.
 * @public Called by name in another process.
 */
export async function rewindUntilKilled({ home, workspace, session: id, to, at }: Rewinding): Promise<void> {
  const held = await openSessionOn({ home, workspace }, id);
  await held.session.rewind({
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
  await held.close();
}
