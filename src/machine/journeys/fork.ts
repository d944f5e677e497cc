import type { LogStore } from "../../ports/log-store.ts";
import type { KeptFor, WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Draft, Entry, EntryOf } from "../../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { Seq, SessionId, SnapshotId } from "../../record/ids.ts";
import { checkArguments, checkOptions, option } from "../../record/options.ts";
import { blobsOf } from "../../record/shape.ts";
import { shownLines } from "../../timeline/context/context.ts";
import { quoteName } from "../../timeline/context/notices.ts";
import { Outline } from "../../timeline/outline.ts";
import { isCheckpoint } from "../../timeline/row.ts";
import { planFork } from "../../travel/fork.ts";
import { MOMENT_KINDS, withSnapshotId } from "../files/intervals.ts";
import { newHeader, requireConfirmed, type SessionContext } from "../open.ts";
import type { SessionView } from "../view.ts";
import { originFor, stamp } from "../writer.ts";

export interface ForkRequest {
  /** A checkpoint's number; by default the head. */
  readonly at?: number;
  /** The folder in which the new session works; by default the source's. */
  readonly workspace?: string;
}

/**
 * Starts a new session with a copy of the branch. Ids and the tag stay the same, so that the context is identical to the
 * byte; the source is only read.
 */
export async function forkSession(
  context: SessionContext,
  source: SessionView,
  request: ForkRequest = {},
): Promise<SessionId> {
  checkArguments("forkSession", { deps: [context, option.deps], source: [source, option.view] });
  checkOptions<ForkRequest>(request, {
    call: "forkSession",
    kinds: { at: option.ordinal, workspace: option.path },
  });
  const { store, clock } = context;
  requireConfirmed(store, source.header);
  const [move] = planFork(source.outline, request.at).moves;
  if (move?.do !== "copy") throw new WorldlineError("fork-not-a-copy", {});
  const { header } = source;
  const first = newHeader(clock, {
    workspace: request.workspace ?? header.workspace,
    mode: header.mode,
    system: header.system,
    backtrack: header.backtrack,
    tag: header.tag,
    ...(header.frames === undefined ? {} : { frames: header.frames }),
    numbersFrom: Math.max(source.outline.highestNumber, header.numbersFrom),
    forkedFrom: { session: source.id, entry: move.place },
  });
  const entries = await copiedEntries(source, move.lines, { first, context });
  // Done before the session exists: a fork that refers to the files of its checkpoints must be able to restore them.
  if (context.files !== undefined)
    await keepCopied(context.files, source, { session: first.session, entries });
  await store.create(first, { entries, blobs: await blobsFor(store, source.id, entries) });
  return first.session;
}

interface Copy {
  readonly first: EntryOf<"session">;
  readonly context: SessionContext;
}

/** The branch as a straight line, followed by its files and labels, which may have been written elsewhere in the log. */
async function copiedEntries(
  source: SessionView,
  lines: readonly Seq[],
  copy: Copy,
): Promise<readonly Entry[]> {
  const outline = new Outline();
  outline.add(copy.first);
  const stored = await copiedMoments(source, lines);
  const copied = stored.map((entry) => append(outline, withKnownStart(entry, source.outline)));
  const world = { clock: copy.context.clock, framing: copy.first };
  const added = [...(await namesOf(source, outline)), ...moved(source.header, copy.first)].map((draft) => {
    const entry = stamp({ draft }, outline, world);
    outline.add(entry);
    return entry;
  });
  return [...copied, ...added];
}

/** The frozen system prompt names the folder in which the source works. */
function moved(source: EntryOf<"session">, { mode, workspace }: EntryOf<"session">): readonly Draft[] {
  if (mode !== "agent" || workspace === source.workspace) return [];
  const text = `This session is a copy, and its workspace is another folder now: ${quoteName(workspace)} (before: ${quoteName(source.workspace)}).`;
  return [{ kind: "notice", text }];
}

/**
 * A compaction whose first kept line is lost shows what it can, from the gap on. The copy has no gap to find, so the first
 * line that is shown is named explicitly.
 */
function withKnownStart(entry: Entry, source: Outline): Entry {
  if (entry.kind !== "compaction" || source.byId(entry.firstKept) !== undefined) return entry;
  const [first] = shownLines(source, source.at(entry.seq), entry).entries;
  return { ...entry, firstKept: source.at(first ?? entry.seq)?.id ?? entry.id };
}

/** Appends the entry as the next line of `outline`: its place changes, its content does not. */
function append(outline: Outline, entry: Entry): Entry {
  const { origin: _origin, ...rest } = entry;
  const parent = outline.head;
  const seq = outline.nextSeq;
  const origin = originFor({ seq, kind: entry.kind, parent, outline });
  const placed = {
    ...rest,
    seq,
    parent: parent?.id ?? null,
    ...(origin === undefined ? {} : { origin }),
  } as Entry;
  outline.add(placed);
  return placed;
}

async function namesOf(
  source: SessionView,
  copied: Outline,
): Promise<({ kind: "label"; target: Entry["id"]; label: string } | { kind: "title"; title: string })[]> {
  const labels = [...(await source.labels())].filter(([target]) => copied.byId(target) !== undefined);
  const title = await source.title();
  return [
    ...labels.map(([target, label]) => ({ kind: "label" as const, target, label })),
    ...(title === undefined ? [] : [{ kind: "title" as const, title }]),
  ];
}

/** A blob that the source has lost is lost in the copy too, but does not prevent the fork. */
async function blobsFor(
  store: LogStore,
  session: SessionId,
  entries: readonly Entry[],
): Promise<readonly Uint8Array[]> {
  const blobs: Uint8Array[] = [];
  for (const hash of new Set(entries.flatMap(blobsOf))) {
    try {
      blobs.push(await store.getBlob(session, hash));
    } catch (error) {
      if (!isWorldlineError(error, "BLOB_MISSING") && !isWorldlineError(error, "BLOB_DAMAGED")) throw error;
    }
  }
  return blobs;
}

/**
 * The entries of a branch, followed by the files of its checkpoints that were written elsewhere: a snapshot comes after its
 * checkpoint, and may be on another branch. Between two states that were not neighbors in the source, entries are left out of
 * the copy, and it is unknown who made the changes in between: they count as the outside's.
 */
async function copiedMoments(source: SessionView, lines: readonly Seq[]): Promise<readonly Entry[]> {
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

/** The last entry about the files of each checkpoint on the branch, if it is not on the branch itself. */
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

/** For each line with a state of the files, the previous such line in the log. */
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

/** Keeps the snapshots that a copy refers to for the copy as well. One that is already gone is gone for both. */
async function keepCopied(
  files: WorkspaceFiles,
  source: SessionView,
  copy: { readonly session: SessionId; readonly entries: readonly Entry[] },
): Promise<void> {
  const labels = await source.labels();
  const checkpoints = new Map(
    copy.entries.flatMap((entry) => ("number" in entry ? [[entry.number as number, entry]] : [])),
  );
  for (const stored of copy.entries) {
    // Read from the source, where the line is a different one. The snapshot is looked up only if its id was spilled.
    const row = source.outline.byId(stored.id);
    if (row === undefined) continue;
    const entry = await withSnapshotId(source, { ...stored, seq: row.seq });
    for (const { snapshot, kept } of keptSnapshotsIn(entry, copy.session, { checkpoints, labels })) {
      await keepIfThere(files, kept, snapshot);
    }
  }
}

interface Known {
  readonly checkpoints: ReadonlyMap<number, Entry>;
  readonly labels: ReadonlyMap<Entry["id"], string>;
}

/** The snapshots that an entry keeps, and what for. */
export function keptSnapshotsIn(
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
  // Compared by time, because a copy has other lines than its source.
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
