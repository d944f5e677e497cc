import { ripgrep, WALKING } from "../../agent/tools/ripgrep.ts";
import { capturePresent } from "../../machine/files/look.ts";
import type { Session } from "../../machine/session.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { seenChanges } from "../../travel/plan-files.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import { snapshotOf } from "../checkpoints/checkpoint-list.ts";
import { requireFiles } from "../files/files.ts";
import type { Environment } from "../places/home.ts";
import type { AgentSession } from "../sessions/agent-session.ts";
import type { DiffRequest, WorkspaceDiff } from "./query-types.ts";

/** The differences between the workspace's files at a checkpoint and at another one, or the present. */
export async function workspaceDiff(
  { session, here }: AgentSession,
  request: DiffRequest,
): Promise<WorkspaceDiff> {
  const from = requireCheckpoint(session.outline, request.from);
  const to = request.to === undefined ? undefined : requireCheckpoint(session.outline, request.to);
  const files = requireFiles(here);
  const before = await captured(session, files, from.number);
  const after =
    to === undefined
      ? (await capturePresent({ view: session, files }, {})).snapshot
      : await captured(session, files, to.number);
  return { changes: seenChanges(await files.compare(before, after)), files };
}

/** Asks the session first, because it waits for a running capture. */
async function captured(session: Session, files: WorkspaceFiles, number: number): Promise<SnapshotId> {
  await session.filesAt(number);
  const row = requireCheckpoint(session.outline, number);
  return (await snapshotOf({ view: session, row }, files)).snapshot;
}

const MOST = 50_000;
/**
 * The user is typing, and a home folder may contain millions of files: after this time, the files found so far must do.
 */
const PATIENCE_MS = 3_000;

/**
 * Files that a prompt can mention: all files of the workspace that no ignore rule excludes and whose names can be
 * typed.
 */
export async function mentionableFiles(
  workspace: string,
  environment: Environment,
): Promise<readonly string[]> {
  let count = 0;
  const { records } = await ripgrep({
    args: ["--files", "-0", ...WALKING],
    cwd: workspace,
    environment,
    signal: AbortSignal.timeout(PATIENCE_MS),
    separator: "\0",
    onRecord: () => {
      count += 1;
      return count > MOST ? "enough" : "more";
    },
  });
  return records.filter((path) => !/\p{Cc}/u.test(path)).toSorted();
}
