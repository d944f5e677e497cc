import type { LogStore } from "../../ports/log-store.ts";
import type { Draft, Entry, EntryOf } from "../../record/entry.ts";
import { isWorldlineError, WorldlineError } from "../../record/error.ts";
import type { Seq, SessionId } from "../../record/ids.ts";
import { checkArguments, checkOptions, option } from "../../record/options.ts";
import { blobsOf } from "../../record/spill.ts";
import { quoteName } from "../../timeline/context/quote.ts";
import { shownLines } from "../../timeline/context/shown.ts";
import { Outline } from "../../timeline/outline.ts";
import { planFork } from "../../travel/fork.ts";
import { type Ground, newHeader, requireConfirmed } from "../open.ts";
import type { SessionView } from "../view.ts";
import { originFor, stamp } from "../writing/stamp.ts";
import { copiedMoments, keepCopied } from "./fork-files.ts";

export interface ForkRequest {
  /** A checkpoint's number; by default the head. */
  readonly at?: number;
  /** The folder that the new session works in; by default the source's. */
  readonly workspace?: string;
}

/**
 * Begins a new session with a copy of the branch. Ids and the tag stay, so that the context is
 * the same to the byte; the source is only read.
 */
export async function forkSession(
  ground: Ground,
  source: SessionView,
  request: ForkRequest = {},
): Promise<SessionId> {
  checkArguments("forkSession", { ground: [ground, option.ground], source: [source, option.view] });
  checkOptions<ForkRequest>(request, {
    call: "forkSession",
    kinds: { at: option.ordinal, workspace: option.path },
  });
  const { store, clock } = ground;
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
  const entries = await copiedEntries(source, move.lines, { first, ground });
  // Before the session is there: a fork that says what its files were must be able to bring them back.
  if (ground.files !== undefined) await keepCopied(ground.files, source, { session: first.session, entries });
  await store.create(first, { entries, blobs: await blobsFor(store, source.id, entries) });
  return first.session;
}

interface Copy {
  readonly first: EntryOf<"session">;
  readonly ground: Ground;
}

/** The branch as one straight line, then its files and names, which may have been written elsewhere in the log. */
async function copiedEntries(
  source: SessionView,
  lines: readonly Seq[],
  copy: Copy,
): Promise<readonly Entry[]> {
  const outline = new Outline();
  outline.add(copy.first);
  const stored = await copiedMoments(source, lines);
  const copied = stored.map((entry) => append(outline, withKnownStart(entry, source.outline)));
  const world = { clock: copy.ground.clock, framing: copy.first };
  const added = [...(await namesOf(source, outline)), ...moved(source.header, copy.first)].map((draft) => {
    const entry = stamp({ draft }, outline, world);
    outline.add(entry);
    return entry;
  });
  return [...copied, ...added];
}

/** The frozen system prompt names the folder that the source works in. */
function moved(source: EntryOf<"session">, { mode, workspace }: EntryOf<"session">): readonly Draft[] {
  if (mode !== "agent" || workspace === source.workspace) return [];
  const text = `This session is a copy, and its workspace is another folder now: ${quoteName(workspace)} (before: ${quoteName(source.workspace)}).`;
  return [{ kind: "notice", text }];
}

/**
 * A compaction whose first kept line is lost shows what it can from the gap on. The copy has no gap to
 * look for, so it is told where to begin.
 */
function withKnownStart(entry: Entry, source: Outline): Entry {
  if (entry.kind !== "compaction" || source.byId(entry.firstKept) !== undefined) return entry;
  const [first] = shownLines(source, source.at(entry.seq), entry).entries;
  return { ...entry, firstKept: source.at(first ?? entry.seq)?.id ?? entry.id };
}

/** The entry as the next line of `outline`: its place is new, what it says is not. */
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

/** A blob that the source has lost is lost in the copy too, and no reason not to fork. */
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
