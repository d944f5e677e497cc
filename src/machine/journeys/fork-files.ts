import type { KeptFor, WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Entry } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { Seq, SessionId, SnapshotId } from "../../record/ids.ts";
import { isCheckpoint } from "../../timeline/row.ts";
import { MOMENT_KINDS, withSnapshotId } from "../files/intervals.ts";
import type { SessionView } from "../view.ts";

/**
 * The entries of a branch, and behind them the files of its checkpoints that were written elsewhere: a snapshot
 * follows its checkpoint, and may stand on another branch. Between two states that were not neighbours in the
 * source something is left out of the copy, and nobody can say there who did it: it counts as the outside's.
 */
export async function copiedMoments(source: SessionView, lines: readonly Seq[]): Promise<readonly Entry[]> {
  const copied = await source.storedEntries([...lines, ...filesElsewhere(source, lines)]);
  const before = linesBefore(source);
  let last: number | undefined;
  return copied.map((entry) => {
    if (!before.has(entry.seq)) return entry;
    const isNeighbour = before.get(entry.seq) === last;
    last = entry.seq;
    return isNeighbour ? entry : byOutside(entry);
  });
}

/** The last word on the files of each checkpoint of the branch, where the branch does not hold it. */
function filesElsewhere({ outline }: SessionView, lines: readonly Seq[]): readonly Seq[] {
  const here = new Set(lines);
  const rows = lines.flatMap((line) => outline.at(line) ?? []);
  const numbers = new Set(rows.filter(isCheckpoint).map(({ number }) => number));
  const lastByNumber = new Map<number, Seq>();
  for (const line of outline.linesOf("snapshot")) {
    const number = outline.at(line)?.number;
    if (number !== undefined && numbers.has(number)) lastByNumber.set(number, line);
  }
  return [...lastByNumber.values()].filter((line) => !here.has(line)).sort((a, b) => a - b);
}

/** For each line that says how the files were, the one before it in the log. */
function linesBefore({ outline }: SessionView): ReadonlyMap<number, number | undefined> {
  const lines = MOMENT_KINDS.flatMap((kind) => outline.linesOf(kind)).sort((a, b) => a - b);
  return new Map(lines.map((line, at) => [line, lines[at - 1]]));
}

function byOutside(entry: Entry): Entry {
  if (entry.kind === "snapshot" || entry.kind === "interval") {
    const { during: _, signs: __, ...known } = entry;
    return { ...known, author: "outside" };
  }
  return "leftAuthor" in entry ? { ...entry, leftAuthor: "outside" } : entry;
}

/** Keeps the snapshots that a copy speaks of also for the copy. One that is gone already is gone for both. */
export async function keepCopied(
  files: WorkspaceFiles,
  source: SessionView,
  copy: { readonly session: SessionId; readonly entries: readonly Entry[] },
): Promise<void> {
  const labels = await source.labels();
  const checkpoints = new Map(
    copy.entries.flatMap((entry) => ("number" in entry ? [[entry.number as number, entry]] : [])),
  );
  for (const stored of copy.entries) {
    // Read in the source, where the line is another one: only an id that was spilled is looked up at all.
    const row = source.outline.byId(stored.id);
    if (row === undefined) continue;
    const entry = await withSnapshotId(source, { ...stored, seq: row.seq });
    for (const { snapshot, kept } of wishesOf(entry, copy.session, { checkpoints, labels })) {
      await keepIfThere(files, kept, snapshot);
    }
  }
}

interface Known {
  readonly checkpoints: ReadonlyMap<number, Entry>;
  readonly labels: ReadonlyMap<Entry["id"], string>;
}

/** What an entry says was kept, and for what. */
export function wishesOf(
  entry: Entry,
  session: SessionId,
  { checkpoints, labels }: Known,
): readonly { readonly snapshot: SnapshotId; readonly kept: KeptFor }[] {
  switch (entry.kind) {
    case "snapshot": {
      const place = checkpoints.get(entry.checkpoint);
      if (entry.snapshot === undefined || place === undefined) return [];
      const label = labels.get(place.id);
      const on = place.kind === "checkpoint" ? place.on : "step";
      const named = label === undefined ? {} : { label };
      return [{ snapshot: entry.snapshot, kept: { session, checkpoint: entry.checkpoint, on, ...named } }];
    }
    case "interval":
      return [
        {
          snapshot: entry.snapshot,
          kept: { session, checkpoint: lastNumber(checkpoints, entry), on: "step" },
        },
      ];
    case "backtrack":
    case "rewind":
    case "redo":
      return entry.left === undefined ? [] : [{ snapshot: entry.left, kept: { session, journey: "left" } }];
    case "restored":
      return entry.snapshot === undefined
        ? []
        : [{ snapshot: entry.snapshot, kept: { session, journey: "reached" } }];
    default:
      return [];
  }
}

/** The state between two tools is kept as long as the checkpoint of the step that they belong to. */
function lastNumber(checkpoints: Known["checkpoints"], { at }: Entry): number {
  let last = 1;
  // By time: a copy has other lines than its source.
  for (const [number, entry] of checkpoints) if (entry.at <= at) last = Math.max(last, number);
  return last;
}

async function keepIfThere(files: WorkspaceFiles, kept: KeptFor, snapshot: SnapshotId): Promise<void> {
  try {
    await files.keep(kept, snapshot);
  } catch (error) {
    if (!isWorldlineError(error, "SNAPSHOT_MISSING")) throw error;
  }
}
