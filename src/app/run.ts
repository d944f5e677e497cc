import type { Ground } from "../machine/open.ts";
import type { WorkspaceFiles } from "../ports/workspace-files.ts";
import type { Author } from "../record/entry.ts";
import { isWorldlineError } from "../record/error.ts";
import type { SessionId, SnapshotId } from "../record/ids.ts";
import { type AppContext, quietContext } from "./context.ts";
import { patiently } from "./files/files.ts";
import { withHeld } from "./sessions/hold-session.ts";
import { Keeper, type KeeperParts, leftOutFolders, type Pace, watchFiles } from "./watch.ts";

export const NAME = "worldline run";

/** One of the two checkpoints that a command stands between. */
export interface Bracket {
  readonly number?: number;
  readonly snapshot?: SnapshotId;
  /** Why the files are not captured, or not all of them. */
  readonly why?: string;
  /** Where the log ends behind it. */
  readonly seen: number;
}

export interface BracketGround {
  readonly context: AppContext;
  readonly ground: Ground;
  readonly files: WorkspaceFiles;
  readonly session: SessionId;
}

/** Makes a checkpoint of everything. What keeps it from that is told, not thrown: the command may matter more. */
export async function bracket(
  { context, ground, files, session: id }: BracketGround,
  author: Author,
): Promise<Bracket> {
  try {
    return await withHeld({ context, ground, files, session: id, name: NAME }, async (session) => {
      const number = await patiently(context, (wish) => session.checkpoint(undefined, { author, ...wish }));
      const at = await session.filesAt(number);
      const seen = session.outline.nextSeq;
      if (at.state !== "complete" && at.state !== "partial") {
        return { number, seen, why: at.state === "none" ? at.why : "they were not captured." };
      }
      const { snapshot, why } = at;
      return { number, seen, snapshot, ...(why === undefined ? {} : { why }) };
    });
  } catch (error) {
    if (!isWorldlineError(error) || error.code === "CANCELLED") throw error;
    return { why: error.message, seen: 0 };
  }
}

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
