import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import { type FoundCheckpoint, findCheckpoint } from "../checkpoints/find-checkpoint.ts";
import type { AppContext } from "../context.ts";

/** What a person means by `12:src/a.ts`: which checkpoint, and the path as it was written. */
export interface FoundFile extends FoundCheckpoint {
  readonly path: string;
}

/**
 * Finds the checkpoint of `<cp>:<path>`. Both may have colons in them: a number goes first, then `session:number`,
 * then the longest label that there is.
 */
export async function findFile(context: AppContext, store: LogStore, text: string): Promise<FoundFile> {
  const numbered = /^(#?\d+|[^\s:]+:#?\d+):(.+)$/su.exec(text);
  if (numbered?.[1] !== undefined && numbered[2] !== undefined) {
    return { ...(await findCheckpoint(context, store, numbered[1])), path: numbered[2] };
  }
  const splits = [...text.matchAll(/:/gu)]
    .map(({ index }) => ({ cp: text.slice(0, index), path: text.slice(index + 1) }))
    .filter(({ cp, path }) => cp.trim() !== "" && path !== "");
  const [first] = splits;
  if (first === undefined) throw notAFile(text);
  for (const { cp, path } of splits.slice(1).toReversed()) {
    const found = await findOrNot(context, store, cp);
    if (found !== undefined) return { ...found, path };
  }
  return { ...(await findCheckpoint(context, store, first.cp)), path: first.path };
}

async function findOrNot(
  context: AppContext,
  store: LogStore,
  cp: string,
): Promise<FoundCheckpoint | undefined> {
  try {
    return await findCheckpoint(context, store, cp);
  } catch (error) {
    if (isWorldlineError(error, "CHECKPOINT_UNKNOWN") || isWorldlineError(error, "SESSION_UNKNOWN"))
      return undefined;
    throw error;
  }
}

function notAFile(text: string): WorldlineError {
  return new WorldlineError("file-of-checkpoint-unnamed", { given: text });
}
