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

/** What differs in the workspace's files between a checkpoint and another, or now. */
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

/** The session is asked first: it waits for a capture that runs. */
async function captured(session: Session, files: WorkspaceFiles, number: number): Promise<SnapshotId> {
  await session.filesAt(number);
  const row = requireCheckpoint(session.outline, number);
  return (await snapshotOf({ view: session, row }, files)).snapshot;
}

const MOST = 50_000;
/** Somebody is typing, and a home folder may hold millions: what was found by then has to do. */
const PATIENCE_MS = 3_000;

/** Files that may be mentioned: all of the workspace that no ignore rule leaves out, and whose names can be typed. */
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
