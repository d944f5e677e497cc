import { openFiles, requireFiles } from "../../../app/files/files.ts";
import { openToAct } from "../../../app/sessions/find-session.ts";
import { openStore, provideGround } from "../../../app/sessions/store.ts";
import { FilesHolder, Keeper, type KeptCheckpoint, leftOutFolders, watchFiles } from "../../../app/watch.ts";
import { isWorldlineError } from "../../../record/error.ts";
import type { Dirty } from "../../../snapshots/watch-workspace.ts";
import { defineCommand } from "../../command.ts";
import type { Frame } from "../../frame.ts";
import { letGo } from "./let-go.ts";
import { type OwnSession, ownSession } from "./own-session.ts";
import { openWatchDisplay, type WatchDisplay } from "./watch-display.ts";

const NAME = "worldline watch";

export const watch = defineCommand({
  description:
    "Makes a checkpoint by itself whenever files of the workspace have changed and come to rest (watch.quietMs), at the " +
    "latest every watch.maxMs while they keep changing. For work with any editor or agent: go back at any time with " +
    "`worldline rewind`, from another terminal. The checkpoints go to the workspace's own session. Ctrl-C ends it, after a " +
    "last look. With --json each checkpoint is a line of JSON.",
  examples: [
    { command: "worldline watch", meaning: "keep every state of this workspace, until Ctrl-C" },
    { command: "worldline watch --setting watch.quietMs=500", meaning: "after half a second of rest" },
    { command: "worldline watch --json | jq .number", meaning: "for a program" },
  ],
  run: async ({ frame }) => {
    const workspace = await workspaceOf(frame);
    const holder = new FilesHolder(async () => requireFiles(await openFiles(frame, workspace)));
    try {
      // Before there is a session: a folder that cannot be captured needs none.
      await holder.get();
      const ground = await provideGround(frame);
      const own = await ownSession(frame, ground, NAME);
      const { id: session, seen } = own;
      const keeper = new Keeper({
        context: frame,
        ground,
        files: holder,
        session,
        seen,
        author: "outside",
        name: NAME,
      });
      return await withInterrupts(frame, (signals) =>
        watchWorkspace({ frame, holder, own, keeper, ...signals }),
      );
    } finally {
      await letGo(frame, holder);
    }
  },
});

async function workspaceOf(frame: Frame): Promise<string> {
  const { session } = frame.common;
  if (session === undefined) return frame.workspace();
  return (await openToAct(frame, openStore(frame), session)).header.workspace;
}

interface Signals {
  /** Asked to end: finish what is being done, look once more, and leave. */
  readonly ending: AbortSignal;
  /** Asked a second time: leave without a last look. */
  readonly atOnce: AbortSignal;
}

async function withInterrupts<Result>(
  frame: Frame,
  work: (signals: Signals) => Promise<Result>,
): Promise<Result> {
  const [ending, atOnce] = [new AbortController(), new AbortController()];
  const release = frame.surroundings.onInterrupt(() => {
    if (ending.signal.aborted) atOnce.abort();
    ending.abort();
  });
  try {
    return await work({ ending: ending.signal, atOnce: atOnce.signal });
  } finally {
    release();
  }
}

interface Watch extends Signals {
  readonly frame: Frame;
  readonly holder: FilesHolder;
  readonly own: OwnSession;
  readonly keeper: Keeper;
}

async function watchWorkspace(watched: Watch): Promise<0 | 1> {
  const { frame, own } = watched;
  const { output, strings } = frame;
  const display = openWatchDisplay(frame, own.id);
  try {
    const outcome = await untilEnded(watched, display);
    display.close();
    const document = { session: own.id, ended: outcome, checkpoints: display.made };
    output.answer(document, () =>
      outcome === "asked" ? strings.watch.ended(display.made) : strings.watch[outcome],
    );
    return outcome === "uncaptured" ? 1 : 0;
  } finally {
    display.close();
  }
}

/** "cut": ended before everything had been looked at once. "uncaptured": the last look failed. */
async function untilEnded(watched: Watch, display: WatchDisplay): Promise<"asked" | "cut" | "uncaptured"> {
  const { frame, holder, own, ending, atOnce } = watched;
  const { values } = await frame.settings();
  const pace = { quietMs: values["watch.quietMs"], maxMs: values["watch.maxMs"] };
  if (!(await firstLook(watched, display))) return "cut";
  const files = await holder.get();
  const { snapshot } = await files.capture({ look: [] });
  let tidied = display.made;
  await watchFiles({
    folder: files.folder,
    ignored: await leftOutFolders(files, snapshot),
    pace,
    // What changed since the first look and before the watcher listened.
    atFirst: "look",
    onRest: async (dirty) => {
      const kept = await keepOrTell(watched, display, { dirty });
      // From time to time, so that weeks of watching do not fill the disk, nor a killed watch cost the next one time.
      if (dirty === "all" && kept === "done" && display.made > tidied) {
        tidied = display.made;
        await letGo(frame, holder);
      }
      return kept;
    },
    onWatching: (by) => {
      display.began(own.workspace);
      if (by === "polling") display.notice(frame.strings.watch.polling(Math.ceil(pace.maxMs / 1_000)));
    },
    signal: ending,
  });
  // Events arrive a little later than what they tell of, so everything is looked at.
  const last = await keepOrTell(watched, display, { dirty: "all", signal: atOnce });
  return last === "done" ? "asked" : "uncaptured";
}

/** False when it was cut off. The first time a large workspace takes its time, so progress is shown. */
async function firstLook({ frame, keeper, ending }: Watch, display: WatchDisplay): Promise<boolean> {
  const onProgress: Parameters<Keeper["keep"]>[1] = {
    onProgress: (progress) => frame.listener.progress({ doing: "capture", ...progress }),
    signal: ending,
  };
  try {
    const kept = await keeper.keep("all", onProgress);
    frame.listener.progress("done");
    if (kept === undefined) display.notice(frame.strings.watch.known);
    else display.checkpoint(kept);
    return true;
  } catch (error) {
    if (ending.aborted) return false;
    throw error;
  } finally {
    frame.listener.progress("done");
  }
}

/** What goes wrong once (a full disk, a long restore) is no reason to stop watching. */
async function keepOrTell(
  { keeper, holder }: Watch,
  display: WatchDisplay,
  { dirty, signal }: { readonly dirty: Dirty; readonly signal?: AbortSignal },
): Promise<"done" | "again"> {
  try {
    const kept: KeptCheckpoint | undefined = await keeper.keep(dirty, signal === undefined ? {} : { signal });
    if (kept !== undefined) display.checkpoint(kept);
    return kept?.state === "none" ? "again" : "done";
  } catch (error) {
    if (signal?.aborted === true) return "done";
    if (!isWorldlineError(error)) throw error;
    if (display.trouble(error.message) === "again") await holder.close();
    return "again";
  }
}
