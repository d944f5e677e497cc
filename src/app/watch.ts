import { join } from "node:path";
import type { SessionContext } from "../machine/open.ts";
import type { Session } from "../machine/session.ts";
import type { CaptureRequest, WorkspaceFiles } from "../ports/workspace-files.ts";
import type { Author } from "../record/entry.ts";
import { isWorldlineError, type Remark, type WorldlineError } from "../record/error.ts";
import { type PathBytes, type PathChange, shownPath } from "../record/files.ts";
import type { SessionId, SnapshotId } from "../record/ids.ts";
import { type Dirty, type WorkspaceWatch, watchWorkspace } from "../snapshots/watch-workspace.ts";
import { seenChanges } from "../travel/plan-files.ts";
import type { AppContext } from "./context.ts";
import { tidyStore, whyNotCaptured } from "./files/files.ts";
import { filesKnownTo } from "./files/history.ts";
import { withHeld } from "./sessions/hold-session.ts";

interface WatchRequest {
  readonly folder: string;
  /** Folders whose changes are ignored. */
  readonly ignored: readonly string[];
  readonly pace: Pace;
  /** "look": checks everything as soon as the watcher has started. "wait": checks only after the first event. */
  readonly atFirst: "look" | "wait";
  /** Handles the paths that may have changed. Resolves with "again" if it must be called once more. */
  readonly onRest: (dirty: Dirty) => Promise<"done" | "again">;
  readonly onWatching?: (by: WorkspaceWatch["by"]) => void;
  /** Ends the watch after the current call of `onRest`. */
  readonly signal: AbortSignal;
}

/** Interval between full checks, which are needed because events can be lost silently. */
const LOOK_MS = 5 * 60_000;

/**
 * Calls `onRest` whenever files have changed and then stayed unchanged for a while. Continues until `signal` is
 * aborted.
 */
export async function watchFiles(request: WatchRequest): Promise<void> {
  const { pace, signal } = request;
  const unrest = new Unrest();
  const alarm = new Alarm(signal);
  const watching = await watchWorkspace({
    folder: request.folder,
    ignored: request.ignored,
    pollMs: pace.maxMs,
    onDirty: (dirty) => {
      unrest.mark(dirty, performance.now());
      alarm.ring();
    },
  });
  try {
    request.onWatching?.(watching.by);
    let looked = performance.now();
    if (request.atFirst === "look") unrest.mark("all", looked);
    while (!signal.aborted) {
      const now = performance.now();
      const due = Math.min(unrest.dueAt(pace), looked + LOOK_MS);
      if (due > now) {
        await alarm.sleep(due - now);
        continue;
      }
      const taken = unrest.take() ?? "all";
      const dirty = looked + LOOK_MS <= now ? "all" : taken;
      if (dirty === "all") looked = now;
      // Tries again after the next change, or after `maxMs` at the latest.
      if ((await request.onRest(dirty)) === "again") unrest.mark("all", performance.now() + pace.maxMs);
    }
  } finally {
    await watching.close();
  }
}

/**
 * Returns the folders that snapshots leave out. The watcher ignores them, because changes in these folders do not
 * change a snapshot.
 */
export async function leftOutFolders(
  files: WorkspaceFiles,
  snapshot: SnapshotId,
): Promise<readonly string[]> {
  const leftOut = (await files.list(snapshot)).flatMap(({ path, state }) =>
    state.kind === "left-out" && NEVER.has(state.why) ? [join(files.folder, shownPath(path))] : [],
  );
  // New folders with these names are also left out.
  return [...leftOut, "**/node_modules/**", "**/.git/**"];
}

const NEVER: ReadonlySet<string> = new Set(["ignored", "git", "own-store"]);

/** Waits for a given time, but stops waiting early if `ring` is called. */
class Alarm {
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    signal.addEventListener("abort", () => this.ring());
  }

  ring(): void {
    this.#wake?.();
  }

  async sleep(forMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, forMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

export interface Pace {
  /** How long files must stay unchanged before they are checked. */
  readonly quietMs: number;
  /** Interval between checks while files keep changing. */
  readonly maxMs: number;
}

/**
 * Collects the paths that may have changed, and computes when to check them. Takes times as arguments instead of using
 * a timer.
 */
export class Unrest {
  #dirty: Dirty | undefined;
  #first = 0;
  #last = 0;

  mark(dirty: Dirty, at: number): void {
    if (dirty !== "all" && dirty.size === 0) return;
    if (this.#dirty === undefined) this.#first = at;
    this.#last = at;
    this.#dirty = joined(this.#dirty, dirty);
  }

  /** Returns the time of the next check, or infinity if nothing has changed. */
  dueAt({ quietMs, maxMs }: Pace): number {
    if (this.#dirty === undefined) return Number.POSITIVE_INFINITY;
    return Math.min(this.#last + quietMs, this.#first + maxMs);
  }

  /** Returns the paths that may have changed, and starts a new collection. */
  take(): Dirty | undefined {
    const dirty = this.#dirty;
    this.#dirty = undefined;
    return dirty;
  }
}

function joined(one: Dirty | undefined, other: Dirty): Dirty {
  if (one === undefined || other === "all") return other;
  return one === "all" ? one : new Set<PathBytes>([...one, ...other]);
}

export interface KeeperOptions {
  readonly context: AppContext;
  readonly deps: SessionContext;
  readonly files: Pick<FilesHolder, "get">;
  readonly session: SessionId;
  /** The position where the log ended when it was last read. */
  readonly seen: number;
  /** The author of the changes. */
  readonly author: Author;
  /** The name that other programs see while they wait for this program. */
  readonly name: string;
}

/** A checkpoint that was made because files had changed, with the reason if it is not complete. */
export interface KeptCheckpoint extends Partial<Remark> {
  readonly number: number;
  readonly state: "complete" | "partial" | "none";
  readonly snapshot?: SnapshotId;
  /** The changes since the previous state; absent if there is no state to compare with. */
  readonly changes?: readonly PathChange[];
}

type Patience = Pick<CaptureRequest, "onProgress" | "signal">;

/** Makes checkpoints of files that differ from the timeline's last state. Holds the session only while it writes. */
export class Keeper {
  readonly #parts: KeeperOptions;
  /** The timeline's last known state. */
  #last: SnapshotId | undefined;
  #seen: number;

  constructor(parts: KeeperOptions) {
    this.#parts = parts;
    this.#seen = parts.seen;
  }

  /** Checks the paths that may have changed. Returns undefined if nothing has changed. */
  async keep(dirty: Dirty, patience: Patience = {}): Promise<KeptCheckpoint | undefined> {
    const { context, deps, session: id, name } = this.#parts;
    const files = await this.#parts.files.get();
    const look = dirty === "all" ? "everything" : [...dirty];
    const { snapshot } = await files.capture({ look, ...patience });
    if (snapshot === this.#last) return undefined;
    return withHeld({ context, deps, files, session: id, name }, async (session) => {
      try {
        return await this.#write(session, files, snapshot);
      } finally {
        this.#seen = session.outline.nextSeq;
      }
    });
  }

  async #write(
    session: Session,
    files: WorkspaceFiles,
    found: SnapshotId,
  ): Promise<KeptCheckpoint | undefined> {
    const { author } = this.#parts;
    // If another program has written to the log, it may also have restored files, so the capture above may be outdated.
    const isPast = session.outline.nextSeq !== this.#seen;
    const now = isPast ? (await files.capture({ look: "everything" })).snapshot : found;
    const before = await filesKnownTo(session);
    if (before === now) {
      this.#last = now;
      return undefined;
    }
    // The files have just been captured. The next check will find any later changes.
    const number = await session.checkpoint(undefined, { author, look: [] });
    const at = await session.filesAt(number);
    if (at.state !== "complete" && at.state !== "partial") {
      return { number, state: "none", ...whyNotCaptured(at) };
    }
    const { snapshot, state } = at;
    this.#last = snapshot;
    const isThere = before !== undefined && (await files.has(before));
    return {
      number,
      state,
      snapshot,
      ...whyNotCaptured(at),
      ...(isThere ? { changes: seenChanges(await files.compare(before, snapshot)) } : {}),
    };
  }
}

/**
 * Keeps a workspace's files open for a long time. After a persistent failure, the files are opened again. Reopening the
 * files drops pending writes from memory, because the store did not accept them and they may be outdated by now.
 */
export class FilesHolder {
  readonly #open: () => Promise<WorkspaceFiles>;
  #files: WorkspaceFiles | undefined;

  constructor(open: () => Promise<WorkspaceFiles>) {
    this.#open = open;
  }

  async get(): Promise<WorkspaceFiles> {
    this.#files ??= await this.#open();
    return this.#files;
  }

  /** Closes the files. Resolves with the error if some writes failed. The holder can be used again afterwards. */
  async close(): Promise<WorldlineError | undefined> {
    const files = this.#files;
    this.#files = undefined;
    try {
      await files?.close();
      return undefined;
    } catch (error) {
      if (!isWorldlineError(error)) throw error;
      return error;
    }
  }
}

/** Closes the files and tidies the store. Failed writes are reported, not thrown. */
export async function closeFiles(context: AppContext, holder: FilesHolder): Promise<void> {
  const problem = await holder.close();
  if (problem !== undefined) context.listener.report({ code: "files-unwritten", problem });
  else await tidyStore(context);
}
