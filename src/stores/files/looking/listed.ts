import { namesInOwn } from "../../../disk/durable-files.ts";
import type { SessionFilter } from "../../../ports/log-store.ts";
import type { Entry } from "../../../record/entry.ts";
import { isSessionId, type SessionId } from "../../../record/ids.ts";
import { recallHeader } from "../loading/header.ts";
import { readFirst } from "../log/read-entries.ts";
import { type Home, placesOf, sessionsFolder } from "../places.ts";

type Ground = Pick<Home, "disk" | "root">;

/** The sessions that the filter lets through, by id. Of their logs at most the first line is read. */
export function listSessions({ disk, root }: Ground, filter: SessionFilter): SessionId[] {
  const { after = "", limit = Number.POSITIVE_INFINITY } = filter;
  const found: SessionId[] = [];
  for (const name of namesInOwn(disk, sessionsFolder(root))) {
    if (found.length >= limit) break;
    if (!isSessionId(name) || name <= after) continue;
    if (passes({ disk, root }, name, filter)) found.push(name);
  }
  return found;
}

function passes(ground: Ground, session: SessionId, { workspace, mode }: SessionFilter): boolean {
  const isThere = (): boolean => ground.disk.stat(placesOf(ground.root, session).folder)?.kind === "folder";
  if (!isThere()) return false;
  if (workspace === undefined && mode === undefined) return true;
  const first = firstOf(ground, session);
  // It was perhaps moved away while we looked; else it is there, and nobody but `open` can tell what it is.
  if (first?.kind !== "session") return isThere();
  return (workspace ?? first.workspace) === first.workspace && (mode ?? first.mode) === first.mode;
}

function firstOf({ disk, root }: Ground, session: SessionId): Entry | undefined {
  const places = placesOf(root, session);
  try {
    return readFirst(disk, places) ?? recallHeader(disk, places)?.entry;
  } catch {
    // A list that fails on account of one session would hide all the others.
    return undefined;
  }
}
