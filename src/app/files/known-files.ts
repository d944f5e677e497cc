import { lastMomentLine, withSnapshotId } from "../../machine/files/intervals.ts";
import type { SessionView } from "../../machine/view.ts";
import { type SnapshotId, toSeq } from "../../record/ids.ts";

/** The files as the session's log has them last. */
export async function filesKnownTo(session: SessionView): Promise<SnapshotId | undefined> {
  const line = lastMomentLine(session.outline);
  const [stored] = line === 0 ? [] : await session.storedEntries([toSeq(line)]);
  if (stored === undefined) return undefined;
  const entry = await withSnapshotId(session, stored);
  if ("snapshot" in entry) return entry.snapshot;
  return "left" in entry ? entry.left : undefined;
}
