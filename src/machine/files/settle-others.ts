import type { LogStore } from "../../ports/log-store.ts";
import type { UnfinishedRestore, WorkspaceFiles } from "../../ports/workspace-files.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { withDetails } from "./perform.ts";
import type { Settled, SettledRestore } from "./requests.ts";

/** Another session that was opened, which also finished its restores. */
export interface OpenedSession {
  readonly settled: Settled;
  close(): Promise<void>;
}

export interface SettleOthersDeps {
  readonly files: WorkspaceFiles;
  readonly store: Pick<LogStore, "listTrash" | "undelete" | "trash">;
  /** Opens a session for writing, together with the files of this workspace. */
  readonly open: (session: SessionId) => Promise<OpenedSession>;
  /** The session that calls this function. This session is skipped, because it finishes its own restores. */
  readonly except?: SessionId;
}

/**
 * Finishes restores that were interrupted by a crash. To do so, opens the sessions that the restores are part of,
 * including sessions in the trash. If a session cannot be found (for example, because it is in another store), its
 * restore is still finished, because the journey was decided and may already have changed half of its files. In that
 * case, the outcome cannot be recorded.
 */
export async function settleOthers(others: SettleOthersDeps): Promise<readonly SettledRestore[]> {
  const { files, except } = others;
  const settled: SettledRestore[] = [];
  const unfinished = await files.unfinished();
  const sessions = new Set(unfinished.map(({ session }) => session).filter((id) => id !== except));
  for (const id of sessions) {
    try {
      settled.push(...((await settleInLog(others, id)) ?? (await settleWithoutLog(files, id, unfinished))));
    } catch (error) {
      throw new WorldlineError("restore-unfinished-elsewhere", { session: id }, { cause: error });
    }
  }
  return settled;
}

/** Opens the session, which finishes the restore. Returns undefined if the session cannot be found. */
async function settleInLog(
  others: SettleOthersDeps,
  id: SessionId,
): Promise<readonly SettledRestore[] | undefined> {
  try {
    return await settleByOpening(others.open, id);
  } catch (error) {
    // The restore began on this machine, so a log that has been replaced since then must not decide its outcome.
    if (isWorldlineError(error, "SESSION_UNCONFIRMED")) return undefined;
    if (!isWorldlineError(error, "SESSION_UNKNOWN")) throw error;
    return settleInTrash(others, id);
  }
}

/**
 * Takes the session out of the trash, finishes its restore, and puts it back with the same time. If a crash happens in
 * between, the session stays in the list of sessions, so nothing is lost.
 */
async function settleInTrash(
  { store, open }: SettleOthersDeps,
  id: SessionId,
): Promise<readonly SettledRestore[] | undefined> {
  const trashed = (await store.listTrash()).filter(({ session }) => session === id);
  if (trashed.length === 0) return undefined;
  await store.undelete(id);
  try {
    return await settleByOpening(open, id);
  } finally {
    await store.trash(id, Math.max(...trashed.map(({ at }) => at)));
  }
}

async function settleByOpening(
  open: SettleOthersDeps["open"],
  id: SessionId,
): Promise<readonly SettledRestore[]> {
  const session = await open(id);
  try {
    const { restores, trouble } = session.settled;
    if (trouble !== undefined) throw trouble;
    return restores;
  } finally {
    await session.close();
  }
}

async function settleWithoutLog(
  files: WorkspaceFiles,
  session: SessionId,
  unfinished: readonly UnfinishedRestore[],
): Promise<readonly SettledRestore[]> {
  const settled: SettledRestore[] = [];
  for (const each of unfinished) {
    if (each.session !== session) continue;
    settled.push({ session, log: "nowhere", paths: withDetails(await files.settle(each, "forward"), each) });
  }
  return settled;
}
