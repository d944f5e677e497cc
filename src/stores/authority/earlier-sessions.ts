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

/** The sessions of a store inside the home from before entries were signed: they count as written by this home. */
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
}

/** As long as nothing was written down, all that is there is from before. */
export function earlierInFiles({ disk, clock, home, store }: EarlierPlace): EarlierSessions {
  const folder = join(home, "earlier");
  const path = join(folder, `${store}.json`);
  let known: ReadonlySet<string> | undefined;
  const read = (): ReadonlySet<string> | undefined => {
    known ??= readIds(disk, path);
    return known;
  };
  return {
    has: (session) => read()?.has(session) ?? true,
    record: async (logs) => {
      if (read() !== undefined) return;
      const trashed = (await logs.listTrash()).map(({ session }) => session);
      const ids = [...new Set([...(await logs.list()), ...trashed])].sort();
      try {
        new DurableFolders(disk, home).make(folder);
        replaceFile({ disk, clock }, { path, bytes: Buffer.from(JSON.stringify(ids)), content: "synced" });
        disk.syncFolder(folder);
      } catch (cause) {
        throw writeError(cause, "The list of this home's earlier sessions");
      }
      known = new Set(ids);
    },
  };
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
