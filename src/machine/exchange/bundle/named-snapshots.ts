import type { KeptSnapshot } from "../../../ports/snapshot-objects.ts";
import type { Entry } from "../../../record/entry.ts";
import { type BlobHash, isSnapshotId, type SessionId, type SnapshotId } from "../../../record/ids.ts";
import { fill } from "../../../record/shape.ts";
import { keptSnapshotsIn } from "../../journeys/fork.ts";

/** The snapshots that an entry refers to. Their ids are always stored in the entry itself, never in a blob. */
export function snapshotIdsOf(entry: Entry): readonly SnapshotId[] {
  const ids: unknown[] = [
    "snapshot" in entry ? entry.snapshot : undefined,
    "left" in entry ? entry.left : undefined,
  ];
  return ids.filter(isSnapshotId);
}

/** The snapshots that a session with these entries protects from deletion, with a reason for each one. */
export function keptIn({
  entries,
  blobs,
  session,
}: {
  readonly entries: readonly Entry[];
  readonly blobs: ReadonlyMap<BlobHash, Uint8Array>;
  readonly session: SessionId;
}): KeptSnapshot[] {
  const whole = entries.map((entry) => fill(entry, (hash) => textOf(blobs.get(hash))));
  const checkpoints = new Map(
    whole.flatMap((entry) => ("number" in entry ? [[entry.number as number, entry] as const] : [])),
  );
  const labels = labelsIn(whole);
  return whole.flatMap((entry) =>
    [...keptSnapshotsIn(entry, session, { checkpoints, labels }), ...orphanOf(entry, session, checkpoints)]
      .filter(({ snapshot }) => isSnapshotId(snapshot))
      .map(({ snapshot, kept }) => ({ snapshot, keptFor: kept, at: entry.at })),
  );
}

/** The snapshot recorded for a checkpoint whose own line is lost. The snapshot is still protected. */
function orphanOf(
  entry: Entry,
  session: SessionId,
  checkpoints: ReadonlyMap<number, Entry>,
): ReturnType<typeof keptSnapshotsIn> {
  if (entry.kind !== "snapshot" || entry.snapshot === undefined || checkpoints.has(entry.checkpoint))
    return [];
  return [{ snapshot: entry.snapshot, kept: { session, checkpoint: entry.checkpoint, on: "step" } }];
}

function textOf(blob: Uint8Array | undefined): string {
  return blob === undefined ? "" : Buffer.from(blob).toString("utf8");
}

/** The current label of each entry: the last one that it was given. Entries whose last label is empty are left out. */
function labelsIn(entries: readonly Entry[]): Map<Entry["id"], string> {
  const labels = new Map<Entry["id"], string>();
  for (const entry of entries) {
    if (entry.kind !== "label") continue;
    if (entry.label === "") labels.delete(entry.target);
    else labels.set(entry.target, entry.label);
  }
  return labels;
}
