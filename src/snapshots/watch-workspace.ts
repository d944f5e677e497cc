import { dirname, relative, sep } from "node:path";
import type { AsyncSubscription, Event } from "@parcel/watcher";
import { type PathBytes, pathOfText } from "../record/files.ts";

/** Where something may have changed: folders whose entries are to be looked at; "all" where that is unknown. */
export type Dirty = "all" | ReadonlySet<PathBytes>;

export interface WorkspaceWatch {
  /** "polling" where the system cannot tell of changes: then everything counts as dirty from time to time. */
  readonly by: "events" | "polling";
  close(): Promise<void>;
}

export interface WatchRequest {
  /** The workspace's real path. */
  readonly folder: string;
  /** Folders below it whose changes do not matter: large ignored ones, `.git`. */
  readonly ignored: readonly string[];
  readonly pollMs: number;
  readonly onDirty: (dirty: Dirty) => void;
}

/**
 * Says which folders may have changed. Never the truth: events can be lost, and names that are not UTF-8 arrive as
 * others that do not exist. So only folders are marked, and the capture lists them as bytes.
 */
export async function watchWorkspace(request: WatchRequest): Promise<WorkspaceWatch> {
  try {
    const subscription = await subscribe(request);
    return { by: "events", close: () => subscription.unsubscribe() };
  } catch {
    // No binary for this platform, or no watches left (max_user_watches): looking at all of it still works.
    const timer = setInterval(() => request.onDirty("all"), request.pollMs);
    return { by: "polling", close: async () => clearInterval(timer) };
  }
}

async function subscribe({ folder, ignored, onDirty }: WatchRequest): Promise<AsyncSubscription> {
  const watcher = (await import("@parcel/watcher")).default;
  return watcher.subscribe(
    folder,
    (error, events) => {
      // Events were dropped: the queue was too short, or the folder itself is gone.
      if (error !== null) onDirty("all");
      else onDirty(dirtyFolders(folder, events));
    },
    { ignore: [...ignored] },
  );
}

const BROKEN_NAME = "\ufffd";
/** Where there are so many at once, more may have been dropped without a word, and looking at all of it costs little more. */
const TOO_MANY = 4_000;

/** The folders that the events happened in. */
export function dirtyFolders(folder: string, events: readonly Pick<Event, "path">[]): Dirty {
  if (events.length > TOO_MANY) return "all";
  const dirty = new Set<PathBytes>();
  for (const { path } of events) {
    const within = relative(folder, dirname(path));
    if (within.includes(BROKEN_NAME) || within.startsWith("..")) return "all";
    dirty.add(pathOfText(sep === "/" ? within : within.replaceAll(sep, "/")));
  }
  return dirty;
}
