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
  /** The number of the checkpoint to fork from; by default, the session is forked at the head. */
  readonly at?: number;
  /** The folder that the new session works in; by default, the folder of the original session. */
  readonly workspace?: string;
}

/**
 * Starts a new session with a copy of the branch. The original session is not changed. Ids and the tag stay the same,
 * so that the context is byte-for-byte identical.
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
  // The snapshots are protected before the session is created, because a fork must be able to restore the files of its
  // checkpoints.
  if (context.files !== undefined)
    await keepCopied(context.files, source, { session: first.session, entries });
  await store.create(first, { entries, blobs: await blobsFor(store, source.id, entries) });
  return first.session;
}

interface Copy {
  readonly first: EntryOf<"session">;
  readonly context: SessionContext;
}

/** The branch as a linear log, followed by entries about its files and labels, which may be on other branches. */
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

/**
 * Adds a notice if the workspace is different, because the copied system prompt names the original session's folder.
 */
function moved(source: EntryOf<"session">, { mode, workspace }: EntryOf<"session">): readonly Draft[] {
  if (mode !== "agent" || workspace === source.workspace) return [];
  const text = `This session is a copy. Its workspace is now ${quoteName(workspace)} (previously ${quoteName(source.workspace)}).`;
  return [{ kind: "notice", text }];
}

/**
 * If the first line that a compaction keeps is lost, the original session shows everything after the gap. The copy has
 * no such gap, so its compaction must refer to the first line that is shown.
 */
function withKnownStart(entry: Entry, source: Outline): Entry {
  if (entry.kind !== "compaction" || source.byId(entry.firstKept) !== undefined) return entry;
  const [first] = shownLines(source, source.at(entry.seq), entry).entries;
  return { ...entry, firstKept: source.at(first ?? entry.seq)?.id ?? entry.id };
}

/** Appends the entry as the next line of `outline`. Changes only the entry's position, not its content. */
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

/**
 * The blobs that the entries refer to. A blob that is missing from the original session is also missing from the copy,
 * but does not prevent the fork.
 */
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
 * A branch's entries, followed by the entries on other branches that record the files for the branch's checkpoints. The
 * copy leaves out entries, so two states may be adjacent in the copy although they were not adjacent in the original
 * session. Because it is unknown who made the changes between such states, these changes count as outside changes.
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

/**
 * Returns the last entry about the files of each checkpoint on the branch. Entries that are on the branch themselves
 * are omitted.
 */
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

/** For each line that records a state of the files, the previous such line. */
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

/**
 * Protects the snapshots that the copied entries refer to, so that the copy can use them, too. A snapshot that no
 * longer exists is missing from both sessions.
 */
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
    // If the snapshot id is stored in a blob, the entry is read from the original session, where its line number is
    // different.
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

/** The snapshots that an entry protects, with a reason for each one. */
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

/**
 * The number of the checkpoint that comes before a state between two tool calls. The state is kept as long as this
 * checkpoint's snapshot.
 */
function lastNumber(checkpoints: Known["checkpoints"], { at }: Entry): number {
  let last = 1;
  // Entries are compared by time, because a copy's lines have different numbers.
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
