import { join } from "node:path";
import type { Disk } from "../../disk/disk.ts";
import type { DurableFolders } from "../../disk/durable-folders.ts";
import type { Clock } from "../../ports/clock.ts";
import { isSessionId, type SessionId } from "../../record/ids.ts";
import { sessionUnknown } from "../session-error.ts";

/** Where all sessions stand, and what is needed to work on them. */
export interface Home {
  readonly disk: Disk;
  readonly root: string;
  readonly clock: Clock;
  readonly folders: DurableFolders;
}

/** Where the parts of one session stand. */
export interface SessionPlaces {
  readonly session: SessionId;
  readonly folder: string;
  /** The live file: the newest lines. */
  readonly log: string;
  /** A copy of the first line, for the day when that line is damaged. */
  readonly header: string;
  readonly index: string;
  readonly lock: string;
  readonly blobs: string;
  readonly checkpoints: string;
  /** What commands printed that was too long for the model; nothing of the log refers to it. */
  readonly outputs: string;
}

export const LOG_NAME = "log.jsonl";
export const HEADER_NAME = "session.json";

export function sessionsFolder(root: string): string {
  return join(root, "sessions");
}

export function trashFolder(root: string): string {
  return join(root, "trash");
}

/** The id is checked before it becomes part of a path, so that `../../evil` is an unknown session and no path. */
export function placesOf(root: string, session: SessionId): SessionPlaces {
  if (!isSessionId(session)) throw sessionUnknown(session);
  return placesIn(join(sessionsFolder(root), session), session);
}

export function placesIn(folder: string, session: SessionId): SessionPlaces {
  return {
    session,
    folder,
    log: join(folder, LOG_NAME),
    header: join(folder, HEADER_NAME),
    index: join(folder, "index"),
    lock: join(folder, "lock"),
    blobs: join(folder, "blobs"),
    checkpoints: join(folder, "checkpoints"),
    outputs: join(folder, "outputs"),
  };
}
