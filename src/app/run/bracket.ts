import type { Ground } from "../../machine/open.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Author } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { SessionId, SnapshotId } from "../../record/ids.ts";
import type { AppContext } from "../context.ts";
import { patiently } from "../files/patiently.ts";
import { withHeld } from "../sessions/hold.ts";

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
