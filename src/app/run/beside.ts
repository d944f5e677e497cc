import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { quietContext } from "../context.ts";
import { Keeper, type KeeperParts } from "../watch/keeper.ts";
import type { Pace } from "../watch/unrest.ts";
import { leftOutFolders, watchFiles } from "../watch/watch-files.ts";

export interface Beside {
  /** Ends the watching; resolves when nothing is being written any more, with how many checkpoints were made. */
  end(): Promise<number>;
}

/** Makes checkpoints beside a running command, as `watch` does, and without a word: the terminal is the command's. */
export function watchBeside(
  parts: Omit<KeeperParts, "author" | "files"> & { readonly files: WorkspaceFiles },
  { pace, snapshot }: { readonly pace: Pace; readonly snapshot: SnapshotId },
): Beside {
  const { files } = parts;
  const ending = new AbortController();
  const keeper = new Keeper({
    ...parts,
    files: { get: async () => files },
    context: quietContext(parts.context),
    author: "timeline",
  });
  let made = 0;
  const keep = async (dirty: Parameters<Keeper["keep"]>[0]): Promise<"done" | "again"> => {
    try {
      const kept = await keeper.keep(dirty);
      if (kept !== undefined) made += 1;
      return "done";
    } catch (error) {
      // The checkpoint after the command says what cannot be captured.
      if (isWorldlineError(error)) return "again";
      throw error;
    }
  };
  const watching = (async () => {
    await watchFiles({
      folder: files.folder,
      ignored: await leftOutFolders(files, snapshot),
      pace,
      // What the command did before the watcher listened.
      atFirst: "look",
      onRest: keep,
      signal: ending.signal,
    });
  })();
  // Whoever ends it hears of what went wrong.
  watching.catch(() => undefined);
  return {
    async end() {
      ending.abort();
      await watching;
      return made;
    },
  };
}
