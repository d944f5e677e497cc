import { dirname, relative, sep } from "node:path";
import type { AsyncSubscription, Event } from "@parcel/watcher";
import { type PathBytes, pathOfText } from "../record/files.ts";

/**
 * The places where something may have changed: folders whose entries must be checked, or "all" if the folders are
 * unknown.
 */
export type Dirty = "all" | ReadonlySet<PathBytes>;

export interface WorkspaceWatch {
  /**
   * "polling" means that the system cannot report changes, so everything is reported as changed at regular intervals.
   */
  readonly by: "events" | "polling";
  close(): Promise<void>;
}

export interface WatchRequest {
  /** The real path of the workspace. */
  readonly folder: string;
  /** Folders in the workspace where changes do not matter: large ignored folders and `.git`. */
  readonly ignored: readonly string[];
  readonly pollMs: number;
  readonly onDirty: (dirty: Dirty) => void;
}

/**
 * Reports which folders may have changed. Events are never reliable: they can be lost, and names that are not valid
 * UTF-8 arrive as names that do not exist. Therefore, only folders are reported, and the capture lists the names in
 * them as bytes.
 */
export async function watchWorkspace(request: WatchRequest): Promise<WorkspaceWatch> {
  try {
    const subscription = await subscribe(request);
    return { by: "events", close: () => subscription.unsubscribe() };
  } catch {
    // The watcher has no binary for this platform, or no more watches are available (max_user_watches). The capture can
    // still check everything.
    const timer = setInterval(() => request.onDirty("all"), request.pollMs);
    return { by: "polling", close: async () => clearInterval(timer) };
  }
}

async function subscribe({ folder, ignored, onDirty }: WatchRequest): Promise<AsyncSubscription> {
  const watcher = (await import("@parcel/watcher")).default;
  return watcher.subscribe(
    folder,
    (error, events) => {
      // Events were dropped because the queue overflowed, or the folder itself no longer exists.
      if (error !== null) onDirty("all");
      else onDirty(dirtyFolders(folder, events));
    },
    { ignore: [...ignored] },
  );
}

const BROKEN_NAME = "\ufffd";
/**
 * Maximum number of events in a report that can be trusted. In a larger report, some events may have been dropped
 * silently, and checking everything costs little more.
 */
const TOO_MANY = 4_000;

/** Returns the folders that contain the changed paths, or "all" if they are unknown. */
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
