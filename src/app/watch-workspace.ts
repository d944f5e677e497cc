import { isWorldlineError, type WorldlineError } from "../record/error.ts";
import type { SessionId } from "../record/ids.ts";
import type { Dirty } from "../snapshots/watch-workspace.ts";
import type { AppContext } from "./context.ts";
import { openFiles, requireFiles } from "./files/files.ts";
import { openToAct } from "./sessions/find-session.ts";
import { type OwnSession, ownSession } from "./sessions/own-session.ts";
import { openStore, provideSessionDeps } from "./sessions/store.ts";
import { closeFiles, FilesHolder, Keeper, type KeptCheckpoint, leftOutFolders, watchFiles } from "./watch.ts";

const NAME = "worldline watch";

/** Events while a workspace is watched. */
export type WatchEvent =
  | { readonly code: "watching"; readonly session: SessionId; readonly workspace: string }
  /** The folder's file system does not report changes, so the folder is checked at regular intervals. */
  | { readonly code: "polling"; readonly everyMs: number }
  /** The first check found no differences between the files and the timeline's last state. */
  | { readonly code: "known" }
  | { readonly code: "checkpoint"; readonly session: SessionId; readonly checkpoint: KeptCheckpoint }
  /** A problem. It is reported only once while it persists. */
  | { readonly code: "trouble"; readonly problem: WorldlineError };

export interface Watched {
  readonly session: SessionId;
  /** "cut": the watch ended before the first check was complete. "uncaptured": the last check failed. */
  readonly ended: "asked" | "cut" | "uncaptured";
  /** Number of checkpoints that were made. */
  readonly checkpoints: number;
}

/**
 * Makes a checkpoint whenever files in the workspace have changed and then stayed unchanged for a while. Continues
 * until a signal ends the watch.
 */
export async function watchWorkspace(
  context: AppContext,
  report: (event: WatchEvent) => void,
): Promise<Watched> {
  const workspace = await workspaceOf(context);
  const holder = new FilesHolder(async () => requireFiles(await openFiles(context, workspace)));
  try {
    // The files are opened before a session is created, because a folder that cannot be captured does not need a
    // session.
    await holder.get();
    const deps = await provideSessionDeps(context);
    const own = await ownSession(context, deps, NAME);
    const { id: session, seen } = own;
    const keeper = new Keeper({
      context,
      deps,
      files: holder,
      session,
      seen,
      author: "outside",
      name: NAME,
    });
    return await withInterrupts(context, async (signals) => {
      const watch = new Watch({ context, holder, own, keeper, report, ...signals });
      const ended = await watch.untilEnded();
      return { session, ended, checkpoints: watch.made };
    });
  } finally {
    await closeFiles(context, holder);
  }
}

async function workspaceOf(context: AppContext): Promise<string> {
  const { session } = context.common;
  if (session === undefined) return context.workspace();
  return (await openToAct(context, openStore(context), session)).header.workspace;
}

interface Signals {
  /** The first signal: the watch finishes its current work, checks the files once more, and ends. */
  readonly ending: AbortSignal;
  /** The second signal: the watch ends without checking again. */
  readonly atOnce: AbortSignal;
}

async function withInterrupts<Result>(
  { surroundings }: AppContext,
  work: (signals: Signals) => Promise<Result>,
): Promise<Result> {
  const [ending, atOnce] = [new AbortController(), new AbortController()];
  const release = surroundings.onInterrupt(() => {
    if (ending.signal.aborted) atOnce.abort();
    ending.abort();
  });
  try {
    return await work({ ending: ending.signal, atOnce: atOnce.signal });
  } finally {
    release();
  }
}

interface WatchDeps extends Signals {
  readonly context: AppContext;
  readonly holder: FilesHolder;
  readonly own: OwnSession;
  readonly keeper: Keeper;
  readonly report: (event: WatchEvent) => void;
}

class Watch {
  /** Number of checkpoints that were made. */
  made = 0;
  /** The last reported problem, until the next checkpoint is made. */
  #trouble = "";
  readonly #deps: WatchDeps;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  async untilEnded(): Promise<Watched["ended"]> {
    const { context, holder, own, ending, atOnce, report } = this.#deps;
    const { values } = await context.settings();
    const pace = { quietMs: values["watch.quietMs"], maxMs: values["watch.maxMs"] };
    if (!(await this.#firstLook())) return "cut";
    const files = await holder.get();
    const { snapshot } = await files.capture({ look: [] });
    let tidied = this.made;
    await watchFiles({
      folder: files.folder,
      ignored: await leftOutFolders(files, snapshot),
      pace,
      // Covers changes made after the first check but before the watcher started.
      atFirst: "look",
      onRest: async (dirty) => {
        const kept = await this.#keep({ dirty });
        // Regular cleanups prevent a watch that runs for weeks from filling the disk, and a killed watch from slowing
        // down the next one.
        if (dirty === "all" && kept === "done" && this.made > tidied) {
          tidied = this.made;
          await closeFiles(context, holder);
        }
        return kept;
      },
      onWatching: (by) => {
        report({ code: "watching", session: own.id, workspace: own.workspace });
        if (by === "polling") report({ code: "polling", everyMs: pace.maxMs });
      },
      signal: ending,
    });
    // Events arrive slightly later than the changes, so everything is checked.
    const last = await this.#keep({ dirty: "all", signal: atOnce });
    return last === "done" ? "asked" : "uncaptured";
  }

  /**
   * Performs the first check. Returns false if the check was interrupted. Reports the progress, because the first
   * capture of a large workspace takes time.
   */
  async #firstLook(): Promise<boolean> {
    const { context, keeper, ending, report } = this.#deps;
    const { listener } = context;
    try {
      const kept = await keeper.keep("all", {
        onProgress: (progress) => listener.progress({ doing: "capture", ...progress }),
        signal: ending,
      });
      listener.progress("done");
      if (kept === undefined) report({ code: "known" });
      else this.#reportKept(kept);
      return true;
    } catch (error) {
      if (ending.aborted) return false;
      throw error;
    } finally {
      listener.progress("done");
    }
  }

  /** Makes a checkpoint if necessary. A temporary problem (a full disk, a long restore) must not end the watch. */
  async #keep({
    dirty,
    signal,
  }: {
    readonly dirty: Dirty;
    readonly signal?: AbortSignal;
  }): Promise<"done" | "again"> {
    const { keeper, holder } = this.#deps;
    try {
      const kept = await keeper.keep(dirty, signal === undefined ? {} : { signal });
      if (kept !== undefined) this.#reportKept(kept);
      return kept?.state === "none" ? "again" : "done";
    } catch (error) {
      if (signal?.aborted === true) return "done";
      if (!isWorldlineError(error)) throw error;
      // If the same problem repeats, reopening the files may help.
      const trouble = `${error.reason} ${JSON.stringify(error.params)}`;
      if (trouble === this.#trouble) await holder.close();
      else this.#deps.report({ code: "trouble", problem: error });
      this.#trouble = trouble;
      return "again";
    }
  }

  #reportKept(checkpoint: KeptCheckpoint): void {
    this.made += 1;
    this.#trouble = "";
    this.#deps.report({ code: "checkpoint", session: this.#deps.own.id, checkpoint });
  }
}
