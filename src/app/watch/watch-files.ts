import { join } from "node:path";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { shownPath } from "../../record/files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { type Dirty, type Watching, watchWorkspace } from "../../snapshots/watch-workspace.ts";
import { type Pace, Unrest } from "./unrest.ts";

export interface WatchRequest {
  readonly folder: string;
  /** Folders whose changes nobody wants to hear of. */
  readonly ignored: readonly string[];
  readonly pace: Pace;
  /** "look": everything is looked at once the watcher listens. "wait": only once it tells of something. */
  readonly atFirst: "look" | "wait";
  /** Looks where something may have changed; "again" when that has to be tried once more. */
  readonly onRest: (dirty: Dirty) => Promise<"done" | "again">;
  readonly onWatching?: (by: Watching["by"]) => void;
  /** Ends it; what is being looked at is finished first. */
  readonly signal: AbortSignal;
}

/** Events can be lost without a word. */
const LOOK_MS = 5 * 60_000;

/** Calls `onRest` whenever files have changed and come to rest, until it is ended. */
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
      // Tried again with the next change, or, should there be none, as late as may be.
      if ((await request.onRest(dirty)) === "again") unrest.mark("all", performance.now() + pace.maxMs);
    }
  } finally {
    await watching.close();
  }
}

/** The folders that a snapshot leaves out, for the watcher: changes there change no snapshot. */
export async function leftOutFolders(
  files: WorkspaceFiles,
  snapshot: SnapshotId,
): Promise<readonly string[]> {
  const leftOut = (await files.list(snapshot)).flatMap(({ path, state }) =>
    state.kind === "left-out" && NEVER.has(state.why) ? [join(files.folder, shownPath(path))] : [],
  );
  // These are left out wherever they come up later.
  return [...leftOut, "**/node_modules/**", "**/.git/**"];
}

const NEVER: ReadonlySet<string> = new Set(["ignored", "git", "own-store"]);

/** Sleep that ends early when something happens. */
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
