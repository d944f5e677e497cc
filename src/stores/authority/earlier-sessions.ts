import { join } from "node:path";
import type { Disk } from "../../disk/disk.ts";
import { writeError } from "../../disk/disk-error.ts";
import { readWhole } from "../../disk/durable-files.ts";
import { DurableFolders } from "../../disk/durable-folders.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isMissing } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";

/** The sessions of a store that this home wrote before entries were signed. */
export interface EarlierSessions {
  has(session: SessionId): boolean;
  /** Writes down which they are, once, before anything new is written. */
  record(store: LogStore): Promise<void>;
}

export const NO_EARLIER_SESSIONS: EarlierSessions = { has: () => false, record: async () => undefined };

export interface EarlierPlace {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly home: string;
  readonly store: string;
  /** Those that may be from before; all that are in the store, where only this home writes to it. */
  readonly written?: () => Iterable<SessionId>;
}

/** As long as nothing was written down, all that may be from before is. */
export function earlierInFiles({ disk, clock, home, store, written }: EarlierPlace): EarlierSessions {
  const folder = join(home, "earlier");
  const path = join(folder, `${store}.json`);
  let known: ReadonlySet<string> | undefined;
  const read = (): ReadonlySet<string> | undefined => {
    known ??= readIds(disk, path);
    return known;
  };
  return {
    has: (session) => {
      const recorded = read();
      if (recorded !== undefined) return recorded.has(session);
      return written === undefined || new Set(written()).has(session);
    },
    record: async (logs) => {
      if (read() !== undefined) return;
      const ids = [...new Set(written === undefined ? await allIn(logs) : written())].sort();
      try {
        new DurableFolders(disk, home).make(folder);
        replaceFile({ disk, clock }, { path, bytes: Buffer.from(JSON.stringify(ids)), content: "synced" });
        disk.syncFolder(folder);
      } catch (cause) {
        throw writeError(cause, { what: "earlier-sessions" });
      }
      known = new Set(ids);
    },
  };
}

async function allIn(logs: LogStore): Promise<readonly SessionId[]> {
  return [...(await logs.list()), ...(await logs.listTrash()).map(({ session }) => session)];
}

/** A damaged list says of none that it is from before: they can be confirmed. */
function readIds(disk: Disk, path: string): ReadonlySet<string> | undefined {
  try {
    const ids: unknown = JSON.parse(readWhole(disk, path).toString());
    return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof SyntaxError) return new Set();
    throw error;
  }
}
