import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Disk } from "../../disk/disk.ts";
import { writeError } from "../../disk/disk-error.ts";
import { namesIn, readWhole, tryToRemove } from "../../disk/durable-files.ts";
import { DurableFolders } from "../../disk/durable-folders.ts";
import { replaceFile } from "../../disk/replace-file.ts";
import type { Clock } from "../../ports/clock.ts";
import { signedText } from "../../record/authority.ts";
import type { EntryOf } from "../../record/entry.ts";
import { isMissing } from "../../record/error.ts";
import { isSessionId, type SessionId } from "../../record/ids.ts";
import { isJsonObject, type Json } from "../../record/parts.ts";

/** What the user of this home said of a session that it did not write. */
export interface ConfirmedSession {
  readonly session: SessionId;
  /** The digest of the session's first entry: a changed one is another one, and needs to be confirmed again. */
  readonly header: string;
  /** The folder that it works in on this machine. */
  readonly workspace: string;
  /** In place of what its first entry says. */
  readonly system: string;
  readonly tag: string;
  /** When it was confirmed, or last worked on here: milliseconds since 1970. */
  readonly used: number;
}

export interface ConfirmedSessions {
  find(session: SessionId): ConfirmedSession | undefined;
  keep(confirmed: ConfirmedSession): void;
  remove(session: SessionId): void;
  all(): readonly ConfirmedSession[];
}

export function headerDigest(header: EntryOf<"session">): string {
  return createHash("sha256").update(signedText(header.session, header)).digest("hex");
}

/** Whether it was this very first entry that was confirmed. */
export function isOfHeader(confirmed: ConfirmedSession, header: EntryOf<"session">): boolean {
  try {
    return confirmed.header === headerDigest(header);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

export interface ConfirmedPlace {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly home: string;
  /** Which store the sessions are in: one that is confirmed there is not confirmed elsewhere. */
  readonly store: string;
}

/** A small file for each, in the home: neither a log nor a shared store can say it. */
export function confirmedInFiles({ disk, clock, home, store }: ConfirmedPlace): ConfirmedSessions {
  const folder = join(home, "confirmed");
  const ending = `.${store}.json`;
  const pathOf = (session: SessionId): string => join(folder, `${session}${ending}`);
  const find = (session: SessionId): ConfirmedSession | undefined => {
    try {
      return confirmedIn(readWhole(disk, pathOf(session)).toString(), session);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };
  return {
    find,
    keep: (confirmed) => {
      try {
        new DurableFolders(disk, home).make(folder);
        const bytes = Buffer.from(`${JSON.stringify(confirmed, null, 2)}\n`);
        replaceFile({ disk, clock }, { path: pathOf(confirmed.session), bytes, content: "synced" });
        disk.syncFolder(folder);
      } catch (cause) {
        throw writeError(cause, { what: "confirmation", of: confirmed.session });
      }
    },
    remove: (session) => tryToRemove(disk, pathOf(session)),
    all: () =>
      namesIn(disk, folder).flatMap((name) => {
        const session = name.endsWith(ending) ? name.slice(0, -ending.length) : "";
        return (isSessionId(session) ? find(session) : undefined) ?? [];
      }),
  };
}

export function confirmedInMemory(): ConfirmedSessions {
  const kept = new Map<SessionId, ConfirmedSession>();
  return {
    find: (session) => kept.get(session),
    keep: (confirmed) => void kept.set(confirmed.session, confirmed),
    remove: (session) => void kept.delete(session),
    all: () => [...kept.values()],
  };
}

/** A damaged one confirms nothing: the user is asked again. */
function confirmedIn(text: string, session: SessionId): ConfirmedSession | undefined {
  const value = parsed(text);
  if (!isJsonObject(value)) return undefined;
  const { header, workspace, system, tag, used } = value;
  const isWhole = [header, workspace, system, tag].every((each) => typeof each === "string");
  if (!isWhole || typeof used !== "number" || value["session"] !== session) return undefined;
  return { ...value, session } as unknown as ConfirmedSession;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
