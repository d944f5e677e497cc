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

/** What happens while a workspace is watched. */
export type WatchEvent =
  | { readonly code: "watching"; readonly session: SessionId; readonly workspace: string }
  /** The folder's file system reports no changes, so it is looked at from time to time. */
  | { readonly code: "polling"; readonly everyMs: number }
  /** The first look found the files as the timeline knows them. */
  | { readonly code: "known" }
  | { readonly code: "checkpoint"; readonly session: SessionId; readonly checkpoint: KeptCheckpoint }
  /** Reported once while it lasts. */
  | { readonly code: "trouble"; readonly problem: WorldlineError };

export interface Watched {
  readonly session: SessionId;
  /** "cut": ended before everything had been looked at once. "uncaptured": the last look failed. */
  readonly ended: "asked" | "cut" | "uncaptured";
  /** How many checkpoints were made. */
  readonly checkpoints: number;
}

/** Makes checkpoints whenever files of the workspace have changed and come to rest, until a signal ends it. */
export async function watchWorkspace(
  context: AppContext,
  report: (event: WatchEvent) => void,
): Promise<Watched> {
  const workspace = await workspaceOf(context);
  const holder = new FilesHolder(async () => requireFiles(await openFiles(context, workspace)));
  try {
    // Before there is a session: a folder that cannot be captured needs none.
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
  /** Asked to end: finish the current work, look once more, and leave. */
  readonly ending: AbortSignal;
  /** Asked a second time: leave without a last look. */
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
  /** How many checkpoints were made. */
  made = 0;
  /** What was reported last, until a checkpoint is made again. */
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
      // What changed since the first look and before the watcher listened.
      atFirst: "look",
      onRest: async (dirty) => {
        const kept = await this.#keep({ dirty });
        // From time to time, so that weeks of watching do not fill the disk, nor a killed watch slow down the next one.
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
    // Events arrive a little later than the changes, so everything is looked at.
    const last = await this.#keep({ dirty: "all", signal: atOnce });
    return last === "done" ? "asked" : "uncaptured";
  }

  /** False when it was cut off. The first capture of a large workspace takes time, so progress is reported. */
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

  /** What goes wrong once (a full disk, a long restore) is no reason to stop watching. */
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
      // The same again: opening the files anew may help.
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
