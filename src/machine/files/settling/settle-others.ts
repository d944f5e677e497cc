import type { UnfinishedRestore, WorkspaceFiles } from "../../../ports/workspace-files.ts";
import { isWorldlineError, WorldlineError } from "../../../record/error.ts";
import type { SessionId } from "../../../record/ids.ts";
import type { Settled, SettledRestore } from "../requests.ts";

/** A session that settled its own when it was opened. */
export interface OpenedSession {
  readonly settled: Settled;
  close(): Promise<void>;
}

export interface Others {
  readonly files: WorkspaceFiles;
  /** Opens a session to write to it, and with it these files. */
  readonly open: (session: SessionId) => Promise<OpenedSession>;
  /** The one that asks: it settles its own. */
  readonly except?: SessionId;
}

/**
 * Finishes the restores that a crash has cut off, by opening the sessions that they belong to. Of a session that
 * is gone nobody can say whether its journey began; its files stay as they are.
 */
export async function settleOthers({ files, open, except }: Others): Promise<readonly SettledRestore[]> {
  const settled: SettledRestore[] = [];
  const unfinished = await files.unfinished();
  const sessions = new Set(unfinished.map(({ session }) => session).filter((id) => id !== except));
  for (const id of sessions) {
    try {
      settled.push(...(await settleByOpening(open, id)));
    } catch (error) {
      if (!isWorldlineError(error, "SESSION_UNKNOWN")) throw unfinishedIn(id, error);
      settled.push(...(await discardOf(files, id, unfinished)));
    }
  }
  return settled;
}

async function settleByOpening(open: Others["open"], id: SessionId): Promise<readonly SettledRestore[]> {
  const session = await open(id);
  try {
    const { restores, trouble } = session.settled;
    if (trouble !== undefined) throw trouble;
    return restores;
  } finally {
    await session.close();
  }
}

async function discardOf(
  files: WorkspaceFiles,
  session: SessionId,
  unfinished: readonly UnfinishedRestore[],
): Promise<readonly SettledRestore[]> {
  const settled: SettledRestore[] = [];
  for (const each of unfinished) {
    if (each.session === session) settled.push({ session, paths: await files.settle(each, "discard") });
  }
  return settled;
}

function unfinishedIn(id: SessionId, cause: unknown): WorldlineError {
  return new WorldlineError(
    "RESTORE_UNFINISHED",
    `A restore of session ${id} was cut off and could not be finished.`,
    { hint: "Close the program that works on that session, then try again.", cause },
  );
}
