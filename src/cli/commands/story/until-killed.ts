import { setImmediate } from "node:timers/promises";
import { systemClock } from "../../../disk/system-clock.ts";
import { holdSession } from "../../../machine/open.ts";
import type { SessionId } from "../../../record/ids.ts";
import { openFilesStore } from "../../../stores/files/files.ts";

/** Where this module is, so that the story can have another process load it. */
export const here = import.meta.url;

/** Should nobody kill it: the story has long ended by then. */
const MOST_MS = 20_000;

/**
 * Appends entry after entry and says the id of each when it is durable, until the process is killed.
 * @public Called by its name, in another process.
 */
export async function writeUntilKilled(home: string, session: SessionId): Promise<void> {
  const ground = { store: openFilesStore({ root: home, clock: systemClock }), clock: systemClock };
  const held = await holdSession(ground, session, { name: "the story's second process" });
  const end = systemClock.now() + MOST_MS;
  for (let count = 1; systemClock.now() < end; count += 1) {
    const id = await held.append({
      kind: "notice",
      text: `Entry ${count} of a process that is about to be killed.`,
    });
    process.stdout.write(`${id}\n`);
    // A turn of the event loop, or the end of the story would never be noticed.
    await setImmediate();
  }
  await held.close();
}
