import { capturePresent } from "../../machine/files/look.ts";
import type { Session } from "../../machine/session.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { seenChanges } from "../../travel/plan-files.ts";
import { requireCheckpoint } from "../../travel/rewind.ts";
import type { CurrentSession } from "../current/session-access.ts";
import { requireFiles } from "../files/files.ts";
import { snapshotOf } from "../files/target.ts";
import type { DiffRequest } from "./query-types.ts";

/** More than anybody scrolls through; the command line has all of it. */
const MOST_CHARACTERS = 2_000_000;

/** A unified diff of the workspace's files between a checkpoint and another, or now; empty where nothing differs. */
export async function toldDiff({ words, opened }: CurrentSession, request: DiffRequest): Promise<string> {
  const { session } = opened;
  const from = requireCheckpoint(session.outline, request.from);
  const to = request.to === undefined ? undefined : requireCheckpoint(session.outline, request.to);
  const files = requireFiles(opened.here);
  const before = await captured(session, files, from.number);
  const after =
    to === undefined
      ? (await capturePresent({ view: session, files }, {})).snapshot
      : await captured(session, files, to.number);
  const changes = seenChanges(await files.compare(before, after));
  const pieces: string[] = [];
  let length = 0;
  for await (const piece of words.patch(changes, files)) {
    pieces.push(piece);
    length += piece.length;
    if (length < MOST_CHARACTERS) continue;
    const more = changes.length - pieces.length;
    if (more > 0) pieces.push(`... +${more}\n`);
    break;
  }
  return pieces.join("");
}

/** The session is asked first: it waits for a capture that runs. */
async function captured(session: Session, files: WorkspaceFiles, number: number): Promise<SnapshotId> {
  await session.filesAt(number);
  const row = requireCheckpoint(session.outline, number);
  return (await snapshotOf({ view: session, row }, files)).snapshot;
}
